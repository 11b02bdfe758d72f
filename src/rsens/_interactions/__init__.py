"""Which pairs of variables interact: a score test against a model in which they add up."""

from rsens._interactions._additivity import MOST_INFLATION, Additivity, find_interactions, variance_inflation
from rsens._interactions._score import cauchy_combination, upper_tail
from rsens._interactions._target import Target, Untested, likelihood_for, scale_text
