"""`select_interactions`: how many interactions does this data need, and which?"""

from rsens._select_interactions._reduced_models import KernelTerms
from rsens._select_interactions._select_interactions import SplitAnalysis, select, select_interactions
from rsens._select_interactions._selection import Selection, answer, score_tables
