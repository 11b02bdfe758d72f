"""Figure 4: the script, its tables and its claims."""

import numpy as np
import pytest

from experiments._benchmarks import METHODS, SETTINGS, CountRegressor
from experiments.real_data import by_setting, claims, corrected_half, summarize
from rsens import datasets

KEY = ("concrete", "weak priors")
#: Test rows per training row.
SHARES = {"concrete": 23 / 80, "bike": 841 / 500}
TINY = ["--rows", "30", "--pairs", "1", "--splits", "2", "--n-jobs", "1"]


@pytest.fixture(autouse=True)
def no_download(monkeypatch):
    monkeypatch.setattr(datasets, "_download", lambda source: pytest.fail("a test must not download anything"))


# ---- tables of known results -----------------------------------------------------------------------------------------


def split(number, scores=(-3.0, -2.0, -1.5), full=-1.0, **others):
    """A finished split in which all methods have the same scores, except those in `others`."""
    return {
        "full": full + 0.1 * number,
        "scores": {name: list(others.get(name, scores)) for name in METHODS},
        "ranked": {name: [number, 5] for name in METHODS},
        "fits": 3,
        "warned": 0,
    }


def cell(table, method, pairs):
    return table[(table["method"] == method) & (table["pairs"] == pairs)].iloc[0]


def test_means_differences_and_intervals():
    table = summarize(by_setting({(*KEY, 0): split(0), (*KEY, 1): split(1, pd=(-3.0, -2.5, -1.5))}))
    full = table[table["method"] == "all"].iloc[0]
    assert full["ours"] == pytest.approx(-0.95)
    assert full["ours_half"] == pytest.approx(1.96 * 0.05)  # two numbers 0.1 apart: their mean has the se 0.05
    assert full["difference"] == full["difference_half"] == 0.0
    assert cell(table, "none", 0)["ours"] == -3.0
    assert cell(table, "pd", 1)["ours"] == -2.25
    assert cell(table, "pd", 1)["difference"] == pytest.approx(-1.3)  # of −1 and −1.6
    assert len(table) == 2 + 2 * len(METHODS)


def holding(tested, claim, column="holds"):
    return tested.loc[tested["claim"] == claim, column].item()


def test_splits_share_rows():
    differences = np.array([0.3, 0.1, 0.2, 0.2])
    s2, n = differences.var(ddof=1), 4
    assert corrected_half(differences, 0.5) == pytest.approx(1.96 * np.sqrt(s2 * (1 / n + 0.5)))
    assert corrected_half(differences, 0.0) == pytest.approx(1.96 * np.sqrt(s2 / n))
    # EAH beats H by 0.3, 0.1, 0.2 and 0.2 with one pair and none with two: 0.1 ± 0.04 on average.
    results = {
        (*KEY, k): split(k, scores=(-3.0, -2.0, -1.9), h=(-3.0, -2.0 - d, -1.9)) for k, d in enumerate(differences)
    }
    tested = claims(by_setting(results), {"concrete": 0.5})
    row = tested[tested["claim"] == "EAH less H"].iloc[0]
    assert row["corrected_half"] == pytest.approx(corrected_half(0.5 * differences, 0.5))
    assert (row["holds"], row["holds_corrected"]) == ("yes", "yes")
    tested = claims(by_setting(results), {"concrete": 1.0 + 1.0 / 3.0})
    assert holding(tested, "EAH less H", "holds_corrected") == "undecided"
    assert holding(tested, "EAH less H") == "yes"


# ---- the median count ------------------------------------------------------------------------------------------------


def test_partial_dependence_of_the_median_count():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = rng.poisson(np.exp(1.0 + X[:, 0] * X[:, 1]))
    model = CountRegressor(likelihood="poisson", optimize=False).fit(X, y)
    rows, at = X[:5], X[10:20, [0, 2]]
    held = np.repeat(rows[None], len(at), axis=0)
    held[:, :, [0, 2]] = at[:, None, :]
    medians = np.exp(model._latents[0].moments(held.reshape(-1, 3)).mean).reshape(len(at), len(rows))
    found = model.partial_dependence((0, 2), at, rows)
    np.testing.assert_allclose(found[:, 0], medians.mean(axis=1), rtol=1e-10)  # the same sums in another order


@pytest.mark.usefixtures("data_folder")
def test_settings_have_the_paper_s_data():
    assert {(s.data, s.rows, s.load()[0].shape) for s in SETTINGS.values()} == {
        ("concrete", 80, (103, 7)),
        ("bike", 500, (1341, 6)),
    }
