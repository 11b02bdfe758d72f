"""`stability`: does a ranking of variables or pairs hold when the model is fitted to other samples of the data?"""

from rsens._stability._result import Ranks as Ranks
from rsens._stability._result import Stability as Stability
from rsens._stability._result import answer as answer
from rsens._stability._result import drawn as drawn
from rsens._stability._result import entropy as entropy
from rsens._stability._result import rank_shares as rank_shares
from rsens._stability._result import ranks_of as ranks_of
from rsens._stability._stability import SampleAnalysis as SampleAnalysis
from rsens._stability._stability import Sampling as Sampling
from rsens._stability._stability import sampling as sampling
from rsens._stability._stability import stability as stability
