"""`stability`: does a ranking of variables or pairs hold when the model is fitted to other samples of the data?"""

from rsens._stability._result import (
    Ranks,
    Stability,
    answer,
    entropy,
    mean_ranks,
    rank_shares,
    ranking_methods,
    ranks_of,
)
from rsens._stability._stability import SampleAnalysis, Sampling, sampling, stability
