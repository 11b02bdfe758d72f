"""Which pairs of variables interact: a score test against a model in which they add up."""

from rsens._interactions._additivity import MOST_INFLATION as MOST_INFLATION
from rsens._interactions._additivity import Additivity as Additivity
from rsens._interactions._additivity import find_interactions as find_interactions
from rsens._interactions._additivity import variance_inflation as variance_inflation
from rsens._interactions._score import cauchy_combination as cauchy_combination
from rsens._interactions._score import upper_tail as upper_tail
from rsens._interactions._target import Target as Target
from rsens._interactions._target import Untested as Untested
from rsens._interactions._target import likelihood_for as likelihood_for
from rsens._interactions._target import scale_text as scale_text
