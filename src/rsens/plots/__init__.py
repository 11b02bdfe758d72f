"""Plots of explanations and models: Axes in, Axes out, and nothing global changes."""

from rsens.plots._bars import BARS
from rsens.plots._bars import bars as bars
from rsens.plots._beeswarm import BEESWARM
from rsens.plots._beeswarm import beeswarm as beeswarm
from rsens.plots._calibration import CALIBRATION
from rsens.plots._calibration import calibration as calibration
from rsens.plots._difference import DIFFERENCE
from rsens.plots._difference import difference as difference
from rsens.plots._effects import EFFECTS, ROW
from rsens.plots._effects import effects as effects
from rsens.plots._effects import row as row
from rsens.plots._heatmap import HEATMAP
from rsens.plots._heatmap import heatmap as heatmap
from rsens.plots._plot import Plot as Plot
from rsens.plots._plot import Section as Section
from rsens.plots._plot import tip_of as tip_of
from rsens.plots._predictions import predictive as predictive
from rsens.plots._profile import PROFILE
from rsens.plots._profile import profile as profile
from rsens.plots._profile import profile_of as profile_of
from rsens.plots._profile import profile_values as profile_values
from rsens.plots._ranks import COMPARISON, RANK_STABILITY
from rsens.plots._ranks import comparison as comparison
from rsens.plots._ranks import rank_stability as rank_stability
from rsens.plots._selection import SELECTION
from rsens.plots._selection import selection as selection
from rsens.plots._style import lay_out as lay_out
from rsens.plots._style import short_labels as short_labels
from rsens.plots._style import take_notes as take_notes
from rsens.plots._subgroups import SUBGROUPS
from rsens.plots._subgroups import subgroups as subgroups
from rsens.plots._surface import SURFACE
from rsens.plots._surface import pair_surface as pair_surface
from rsens.plots._surface import surface as surface

#: Every plot. A study, the report and the documentation draw and list what is here, in this order.
PLOTS: list[Plot] = [
    BARS, EFFECTS, BEESWARM, HEATMAP, SUBGROUPS, CALIBRATION, PROFILE, SURFACE, COMPARISON, DIFFERENCE, RANK_STABILITY,
    SELECTION, ROW,
]  # fmt: skip


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
