"""Pictures of an explanation and of a model: Axes in, Axes out, and nothing global is changed."""

from rsens.plots._bars import bars as bars
from rsens.plots._beeswarm import beeswarm as beeswarm
from rsens.plots._calibration import calibration as calibration
from rsens.plots._comparison import comparison as comparison
from rsens.plots._heatmap import heatmap as heatmap
from rsens.plots._network import network as network
from rsens.plots._profile import profile as profile
from rsens.plots._rank_stability import rank_stability as rank_stability
from rsens.plots._selection import selection as selection
from rsens.plots._surface import surface as surface
