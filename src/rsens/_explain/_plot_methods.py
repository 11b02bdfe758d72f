"""The plots of an explanation as its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class PlotMethods:
    """Each method draws what the function of `rsens.plots` that it names draws, and takes its options."""

    def plot_bars(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Ranked bars of `main`, or with order=2 of `pairs`; see `rsens.plots.bars`."""
        from rsens.plots import bars

        return bars(self, ax=ax, **options)

    def plot_effects(self, ax: Axes | None = None, **options: Any) -> Axes:
        """What a change of each variable does to the prediction, with intervals; see `rsens.plots.effects`."""
        from rsens.plots import effects

        return effects(self, ax=ax, **options)

    def plot_beeswarm(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Every row of `local_main` as a point, coloured by the value of the variable; see `rsens.plots.beeswarm`."""
        from rsens.plots import beeswarm

        return beeswarm(self, ax=ax, **options)

    def plot_pairs(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Heat map of `pairs`, or with by="prediction" of that part of them; see `rsens.plots.heatmap`."""
        from rsens.plots import heatmap

        return heatmap(self, ax=ax, **options)

    def plot_posterior(self, ax: Axes | None = None, **options: Any) -> Axes:
        """R-sens of each draw's own predictive, for models of posterior draws; see `rsens.plots.posterior`."""
        from rsens.plots import posterior

        return posterior(self.posterior, ax=ax, **options)  # type: ignore[attr-defined]

    def plot_by(self, ax: Axes | None = None, **options: Any) -> Axes:
        """R-sens within the subgroups of `by`, beside the other rows; see `rsens.plots.subgroups`."""
        from rsens.plots import subgroups

        return subgroups(self, ax=ax, **options)

    def plot_profile(self, variable: str | int, ax: Any = None, **options: Any) -> Any:
        """Prediction and R-sens along one column of X, in the units of this explanation; see `rsens.plots.profile`.

        Evaluates the model, which is remembered from `explain` but not stored in files: after `load`, give it and X as
        model=..., X=...
        """
        from rsens.plots import profile_of

        return profile_of(self, variable, ax=ax, **options)

    def plot_surface(self, first: str | int, second: str | int, ax: Axes | None = None, **options: Any) -> Axes:
        """Prediction and R-sens₂ over two columns of X, in the units of this explanation; see `rsens.plots.surface`.

        Evaluates the model, which is remembered from `explain` but not stored in files: after `load`, give it and X as
        model=..., X=...
        """
        from rsens.plots import surface

        return surface(self, first, second, ax=ax, **options)
