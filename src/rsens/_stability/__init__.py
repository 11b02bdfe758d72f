"""`stability`: does a ranking of variables or pairs hold when the model is fitted to other samples of the data?"""

from rsens._stability._result import Stability as Stability
from rsens._stability._stability import stability as stability
from rsens._stability._text import answer as answer
