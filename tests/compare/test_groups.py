"""Columns that belong together, in `compare` and `stability`."""

import numpy as np
import pandas as pd
import pytest

from rsens import GPRegressor, InputError, Normal, compare, explain, from_function, stability

GROUP = {"season": ["sin", "cos"]}


def rows(n=40, seed=0):
    rng = np.random.default_rng(seed)
    t = rng.uniform(0.0, 2.0 * np.pi, n)
    return pd.DataFrame({"sin": np.sin(t), "a": rng.normal(size=n), "cos": 3.0 * np.cos(t), "b": rng.normal(size=n)})


@pytest.fixture(scope="module")
def fitted():
    X = rows()
    y = X["sin"] * X["a"] + X["cos"] + 0.1 * np.random.default_rng(1).normal(size=len(X))
    return GPRegressor(optimize=False, noise_variance=0.1).fit(X, y), X, y


@pytest.mark.parametrize("order", [1, 2])
def test_every_method_has_the_group_or_says_why_not(fitted, order):
    model, X, y = fitted
    table = compare(model, X, y, order=order, groups=GROUP, budget="paper", random_state=0)
    without = table[table["term"].isna()]
    assert list(without["method"]) == (["kl"] if order == 1 else [])
    assert all("no value for columns that belong together" in status for status in without["status"])
    names = ["season", "a", "b"] if order == 1 else ["season:a", "season:b", "a:b"]
    for _, lines in table[table["term"].notna()].groupby("method"):
        assert sorted(lines["term"]) == sorted(names)
        assert np.isfinite(lines["value"]).all()
    alone = compare(model, X, y, order=order, budget="paper", random_state=0)
    assert set(table["method"]) == set(alone["method"])


def test_rsens_is_that_of_explain(fitted):
    model, X, y = fitted
    found = compare(model, X, y, methods=["rsens"], groups=GROUP).set_index("term")["value"]
    pairs = compare(model, X, y, methods=["rsens2"], order=2, groups=GROUP).set_index("term")["value"]
    expected = explain(model, X, groups=GROUP, intervals=False)
    np.testing.assert_allclose(found[expected.main.index], expected.main)
    for (first, second), value in expected.pairs.items():
        assert pairs[f"{first}:{second}"] == pytest.approx(value)
    alone, together = (
        compare(model, X, y, methods=["ard"], **how).set_index("term")["value"] for how in ({}, {"groups": GROUP})
    )
    assert together["season"] == alone[["sin", "cos"]].max()


def test_known_derivatives():
    """f = 3u + 4v: the slope is 5 in the direction (3, 4), here at every row; ard has the larger of two."""
    X = pd.DataFrame({"u": [0.0, 1.0, 2.0], "w": [1.0, 0.0, 3.0], "v": [2.0, 0.0, 5.0]})
    model = from_function(lambda x: Normal(3.0 * x[:, 0] + 4.0 * x[:, 2] + x[:, 1] ** 2 * x[:, 0], 4.0))
    still = from_function(lambda x: Normal(3.0 * x[:, 0] + 4.0 * x[:, 2], 4.0))
    how = {"groups": {"uv": ["u", "v"]}, "scale": "raw"}
    found = compare(still, X, methods=["rsens", "ead", "aed", "apc"], **how).set_index(["method", "term"])["value"]
    assert found["rsens", "uv"] == pytest.approx(2.5)
    assert found["ead", "uv"] == pytest.approx(5.0)
    assert found["aed", "uv"] == pytest.approx(5.0)
    pairs = compare(model, X, methods=["rsens2", "eah", "aeh"], order=2, **how).set_index(["method", "term"])["value"]
    # ∂²f/∂u∂w = 2w, and nothing with v.
    assert pairs["eah", "uv:w"] == pytest.approx(2.0 * X["w"].mean(), rel=1e-4)
    assert pairs["aeh", "uv:w"] == pytest.approx(2.0 * X["w"].mean(), rel=1e-4)
    assert pairs["rsens2", "uv:w"] == pytest.approx(X["w"].mean(), rel=1e-4)


def test_a_column_that_does_nothing_adds_nothing():
    """Derivatives, apc and var aside: these count the length of a step."""
    X = rows()
    y = X["a"] + 0.1 * X["b"]
    model = from_function(lambda x: Normal(x[:, 1] ** 2 + x[:, 1] * x[:, 3], 1.0))
    how = {"budget": "full", "random_state": 0}
    for method in ("rsens", "ead", "aed", "shap", "pfi"):
        alone = compare(model, X, y, methods=[method], **how).set_index("term")["value"]
        found = compare(model, X, y, methods=[method], groups={"g": ["a", "sin"]}, **how).set_index("term")["value"]
        assert found["g"] == pytest.approx(alone["a"], rel=0.1 if method == "pfi" else 1e-6), method
        assert found["b"] == pytest.approx(alone["b"], rel=0.1 if method == "pfi" else 1e-6), method


@pytest.mark.parametrize("call", [compare, stability])
@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ({"g": ["sin", "no"]}, "^groups.* names the column 'no'"),
        ({"g": ["sin", "kind"]}, "^groups: 'g' has the categorical column 'kind'"),
        (["sin", "cos"], "^groups must be a dict"),
    ],
)
def test_what_is_refused(call, groups, text):
    X = rows().assign(kind=np.resize(["u", "v"], 40))
    model = GPRegressor(optimize=False).fit(X, X["a"])
    with pytest.raises(InputError, match=text):
        call(model, X, X["a"], groups=groups)


def test_stability_ranks_the_group(fitted, tmp_path):
    model, X, y = fitted
    found = stability(model, X, y, n_boot=3, groups=GROUP, random_state=0, folder=tmp_path / "kept")
    assert found.terms == ("season", "a", "b")
    assert "kl" not in found.methods
    assert "rsens" in found.methods
    assert found.mean_rank.loc["season", "rsens"] == 1.0
    assert not len(found.failures)
    again = stability(model, X, y, n_boot=3, groups=GROUP, random_state=0, folder=tmp_path / "kept")
    pd.testing.assert_frame_equal(again.ranks, found.ranks)
    with pytest.raises(InputError, match="another question: methods was rsens, ead"):
        stability(model, X, y, n_boot=3, random_state=0, folder=tmp_path / "kept")
    for methods in ("kl", ["rsens", "kl"]):
        with pytest.raises(InputError, match="kl has no value for columns that belong together"):
            stability(model, X, y, n_boot=3, groups=GROUP, methods=methods)
