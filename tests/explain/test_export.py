"""The same numbers in shap."""

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


def test_a_missing_package_names_the_extra(X, monkeypatch):
    result = explain(Heteroscedastic(), X)
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(MissingExtraError, match=r"shap is needed.*rsens\[compare\]"):
        result.to_shap()
