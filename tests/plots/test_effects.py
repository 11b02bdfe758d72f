"""Effects as dots: they stand where `Explanation.effects` says."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from rsens import BayesianLinearRegression, InputError, explain, from_function
from rsens.distributions import Normal
from rsens.plots import effects
from tests.plots.effects_and_rows import mixed_columns, of_classes, of_events


def dots(ax: Axes) -> np.ndarray:
    """Where the dots stand, from top to bottom."""
    found = [line for line in ax.lines if line.get_marker() == "o"]
    return np.array([line.get_xdata()[0] for line in found])


def intervals(ax: Axes) -> np.ndarray:
    """Both ends of each interval, from top to bottom."""
    found = [line for line in ax.lines if line.get_marker() != "o" and line.get_transform() == ax.transData]
    return np.array([line.get_xdata() for line in found])


def names(ax: Axes) -> list[str]:
    return [label.get_gid() for label in ax.get_yticklabels() if label.get_gid()]


@pytest.mark.parametrize(("make", "unit"), [(mixed_columns, 1.0), (of_events, 100.0), (of_classes, 100.0)])
def test_dots_and_intervals_are_the_table_with_probabilities_in_percentage_points(make, unit):
    found = make()
    ax = effects(found)
    np.testing.assert_allclose(dots(ax), unit * found.effects["effect"])
    np.testing.assert_allclose(intervals(ax), unit * found.effects[["lower", "upper"]])
    words = "the probability, percentage points" if unit == 100.0 else "the prediction"
    assert ax.get_xlabel() == f"change of {words}"


def test_two_levels_are_one_line():
    """The first against the second is the same with the other sign."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"site": ["north", "south"] * 20, "dose": np.linspace(0.0, 1.0, 40)})
    y = (X["site"] == "south") * 3.0 + X["dose"] + 0.1 * rng.normal(size=40)
    model = BayesianLinearRegression().fit(X, y)
    found = explain(model, X, null=False, intervals=False)
    ax = effects(found)
    assert names(ax) == ["site = south", "dose"]
    assert dots(ax)[0] == found.effects.set_index("level").loc["south", "effect"]


def test_many_levels_are_the_largest():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"letter": rng.choice(list("abcdefghij"), 200), "x": rng.normal(size=200)})
    y = X["letter"].map(dict(zip("abcdefghij", [0, 9, 0, -9, 5, 0, -5, 7, 0, -7], strict=True)))
    y = y + X["x"] + 0.1 * rng.normal(size=200)
    found = explain(BayesianLinearRegression().fit(X, y), X, null=False, intervals=False)
    assert names(effects(found)) == [f"letter = {level}" for level in "bdeghj"] + ["x"]


def test_groups_have_no_effects():
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = from_function(lambda Z: Normal(Z.sum(axis=1), 1.0))
    found = explain(model, X, groups={"both": ["x0", "x1"]}, null=False, intervals=False)
    with pytest.raises(InputError, match="no effects to draw"):
        effects(found)
