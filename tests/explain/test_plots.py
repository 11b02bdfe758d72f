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


@pytest.mark.parametrize("method", ["plot_bars", "plot_beeswarm", "plot_pairs"])
def test_axes_in_axes_out(X, method):
    result = explain(Heteroscedastic(), X)
    _, ax = plt.subplots()
    assert getattr(result, method)(ax=ax) is ax
    assert getattr(result, method)(top=2) is not ax


def test_pairs_that_were_not_computed(X):
    with pytest.raises(InputError, match="pairs=True"):
        explain(Heteroscedastic(), X, pairs=False).plot_pairs()


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


def test_a_swarm_after_loading_has_one_colour_unless_x_is_given(X, tmp_path):
    explain(Heteroscedastic(), X).save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json")
    assert len(np.unique(loaded.plot_beeswarm().collections[0].get_facecolors(), axis=0)) == 1
    assert len(np.unique(loaded.plot_beeswarm(X=X).collections[0].get_facecolors(), axis=0)) > 10


def test_the_model_and_the_rows_are_remembered(X):
    model = Heteroscedastic()
    result = explain(model, X)
    assert result.model is model
    assert result.data is X


def test_a_profile_of_no_column(X):
    with pytest.raises(InputError, match="column of X"):
        explain(Heteroscedastic(), X, scale=[1, 2, 3]).plot_profile("nope")
