"""The plot methods: they pass on what they are given, and the model is remembered."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._explain import Explanation, explain
from rsens.measures import rsens
from tests.explain.models import Heteroscedastic


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def X():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=["a", "b", "c"])


@pytest.mark.parametrize(
    ("scale", "unit"), [("raw", 1.0), ({"a": 1.0, "b": 1.0, "c": 5.0}, 5.0), ([1.0, 1.0, 5.0], 5.0)]
)
@pytest.mark.parametrize("variable", ["c", 2])
def test_a_profile_is_in_the_units_of_the_explanation(X, scale, unit, variable):
    result = explain(Heteroscedastic(), X, scale=scale)
    axes = result.plot_profile(variable, at=3)
    grid = np.repeat(X.to_numpy()[[3]], 101, axis=0)
    grid[:, 2] = np.linspace(X["c"].min(), X["c"].max(), 101)
    expected = unit * rsens(Heteroscedastic(), grid)[:, 2]
    lines = [line.get_ydata() for line in axes[1].get_lines()]
    assert any(len(line) == 101 and np.allclose(line, expected, rtol=1e-12) for line in lines)


def test_a_profile_after_loading(X, tmp_path):
    explain(Heteroscedastic(), X).save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json")
    with pytest.raises(InputError, match="Give both to plot_profile, as model and X"):
        loaded.plot_profile("a")
    with pytest.raises(InputError, match="Give both to plot_profile, as model and X"):
        loaded.plot_profile("a", model=Heteroscedastic())
    assert len(loaded.plot_profile("a", model=Heteroscedastic(), X=X)) == 2
    loaded.plot_bars()
    loaded.plot_pairs()


def test_a_surface_in_axes_and_after_loading(X, tmp_path):
    result = explain(Heteroscedastic(), X)
    _, ax = plt.subplots()
    assert result.plot_surface("a", 1, ax=ax, n_grid=5) is ax
    result.save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json")
    assert (loaded.model, loaded.data) == (None, None)
    with pytest.raises(InputError, match="Give both to plot_surface, as model and X"):
        loaded.plot_surface("a", "b")
    drawn, again = (e.plot_surface("a", "b", model=Heteroscedastic(), X=X, n_grid=5) for e in (result, loaded))
    np.testing.assert_array_equal(drawn.images[0].get_array(), again.images[0].get_array())
