"""Pictures of an explanation and of a model: Axes in, Axes out, and nothing global is changed."""

from rsens.plots._bars import bars as bars
from rsens.plots._heatmap import heatmap as heatmap
from rsens.plots._profile import profile as profile
