"""Every plot says what it draws when it is given something else."""

import pandas as pd
import pytest

from rsens import Explanation, InputError, plots

MAKERS = {
    plots.bars: "rsens.explain",
    plots.beeswarm: "rsens.explain",
    plots.heatmap: "rsens.explain",
    plots.subgroups: "rsens.explain",
    plots.rank_stability: "rsens.stability",
    plots.selection: "rsens.select_interactions",
    plots.calibration: "rsens.assess",
    plots.difference: "Explanation.difference",
    plots.effects: "rsens.explain",
    plots.row: "Explanation.row",
}


@pytest.mark.parametrize("plot", MAKERS, ids=lambda plot: plot.__name__)
@pytest.mark.parametrize("wrong", [pd.DataFrame({"a": [1.0]}), Explanation])
def test_wrong_objects(plot, wrong):
    with pytest.raises(
        InputError, match=f"{plot.__name__} draws what {MAKERS[plot]} returned; got {type(wrong).__name__}"
    ):
        plot(wrong)


def test_surface():
    with pytest.raises(InputError, match=r"surface draws what rsens\.explain returned; got int"):
        plots.surface(3, "a", "b")
