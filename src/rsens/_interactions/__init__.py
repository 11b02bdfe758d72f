"""Which pairs of variables interact: a score test against a model in which they add up."""

from rsens._interactions._additivity import (
    MOST_INFLATION,
    Target,
    Untested,
    find_interactions,
    likelihood_for,
    scale_text,
    variance_inflation,
)
from rsens._interactions._score import cauchy_combination, upper_tail
