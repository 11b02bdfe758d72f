"""Methods that only ask for predictions: what R-sens is compared with."""
