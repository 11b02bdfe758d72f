"""`select_interactions`: how many interactions does this data need, and which?"""

from rsens._selection._result import Selection as Selection
from rsens._selection._verb import select_interactions as select_interactions
