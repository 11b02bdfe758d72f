"""`select_interactions`: how many interactions does this data need, and which?"""

from rsens._select_interactions._reduced_models import KernelTerms as KernelTerms
from rsens._select_interactions._select_interactions import SplitAnalysis as SplitAnalysis
from rsens._select_interactions._select_interactions import select_interactions as select_interactions
from rsens._select_interactions._selection import Selection as Selection
from rsens._select_interactions._selection import answer as answer
