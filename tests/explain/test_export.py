"""The same numbers in shap and shapiq."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rsens._errors import MissingExtraError
from rsens._explain import Explanation, explain
from tests.explain.models import Heteroscedastic


@pytest.fixture
def X():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(25, 3)), columns=["a", "b", "c"])


def test_shap(X):
    shap = pytest.importorskip("shap")
    result = explain(Heteroscedastic(), X)
    exported = result.to_shap()
    np.testing.assert_array_equal(exported.values, result.local_main)
    np.testing.assert_array_equal(exported.data, X)
    assert list(exported.feature_names) == ["a", "b", "c"]
    np.testing.assert_allclose(exported.abs.mean(0).values, result.main, rtol=1e-12)
    ax = shap.plots.bar(exported, show=False)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert {"a", "b", "c"} <= {label.split("=")[-1].strip() for label in labels}
    plt.close("all")
    exported.values[:] = 0.0  # the caller's own
    assert (result.main > 0.0).all()


def test_shap_of_groups_and_after_loading(X, tmp_path):
    pytest.importorskip("shap")
    grouped = explain(Heteroscedastic(), X, groups={"bc": ["b", "c"]})
    exported = grouped.to_shap()
    assert list(exported.feature_names) == ["a", "bc"]
    np.testing.assert_array_equal(exported.data[:, 0], X["a"])
    assert np.isnan(exported.data[:, 1]).all()
    grouped.save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json").to_shap()
    np.testing.assert_array_equal(loaded.values, exported.values)
    assert loaded.data is None


def test_shapiq(X, tmp_path):
    shapiq = pytest.importorskip("shapiq")
    result = explain(Heteroscedastic(), X)
    exported = result.to_interaction_values()
    assert isinstance(exported, shapiq.InteractionValues)
    assert exported[(1,)] == result.main["b"]
    assert exported[(1, 2)] == result.pairs["b", "c"]
    assert exported[(0, 1)] == 0.0
    assert exported.get_n_order(2).dict_values == {(0, 1): 0.0, (0, 2): 0.0, (1, 2): result.pairs["b", "c"]}
    np.testing.assert_array_equal(exported.get_n_order_values(1), result.main)
    largest = max(exported.dict_values.items(), key=lambda item: item[1])
    assert exported.get_top_k(1).dict_values == dict([largest])
    exported.plot_network(show=False)
    plt.close("all")
    exported.to_json_file(tmp_path / "x.json")
    assert shapiq.InteractionValues.from_json_file(tmp_path / "x.json") == exported


def test_shapiq_without_pairs(X):
    pytest.importorskip("shapiq")
    result = explain(Heteroscedastic(), X, pairs=False)
    exported = result.to_interaction_values()
    assert exported.max_order == 1
    assert exported.dict_values == {(d,): value for d, value in enumerate(result.main)}


@pytest.mark.parametrize(("package", "method"), [("shap", "to_shap"), ("shapiq", "to_interaction_values")])
def test_a_missing_package_names_the_extra(X, monkeypatch, package, method):
    result = explain(Heteroscedastic(), X)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package} is needed.*rsens\[compare\]"):
        getattr(result, method)()
