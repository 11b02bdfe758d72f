"""Speed and memory, as ratios to peers and to the one BLAS call that cannot be avoided."""
