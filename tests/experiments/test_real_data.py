"""Figure 4 and Table 2: claims, intervals and entropies; why the settings of Concrete differ."""

import numpy as np
import pytest

from experiments._benchmarks import METHODS, CountRegressor
from experiments.concrete_fits import COLUMN, ML, WEAK, repetition
from experiments.real_data import by_setting, claims, corrected_half
from experiments.stability import half_width, markdown, summarize
from rsens import datasets
from rsens._stability import entropy, rank_shares

KEY = ("concrete", "weak priors")


@pytest.fixture(autouse=True)
def no_download(monkeypatch):
    monkeypatch.setattr(datasets, "_download", lambda source: pytest.fail("a test must not download anything"))


def split(number, scores=(-3.0, -2.0, -1.5), full=-1.0, **others):
    """A finished split in which all methods have the same scores, except those in `others`."""
    return {
        "full": full + 0.1 * number,
        "scores": {name: list(others.get(name, scores)) for name in METHODS},
        "ranked": {name: [number, 5] for name in METHODS},
        "fits": 3,
        "warned": 0,
    }


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


def test_entropies_of_known_rankings():
    # Three pairs, two samples: always the same ranking, or the first two exchanged in one of the samples.
    same, exchanged = [3.0, 2.0, 1.0], [2.0, 3.0, 1.0]
    samples = [dict.fromkeys(METHODS, same), dict.fromkeys(METHODS, same) | {"h": exchanged}]
    table = summarize({("bike", "weekday", n): values for n, values in enumerate(samples)})
    by_method = table.set_index("method")
    assert by_method.loc["rsens2", "ours"] == 0.0
    assert by_method.loc["h", "ours"] == pytest.approx(2.0 * np.log(2.0) / 3.0)  # log 2 at two of three ranks
    assert by_method.loc["h", "published"] == 2.61
    assert not by_method["agrees"].any()
    assert markdown(table).count("**no**") == len(METHODS)


def test_half_width_matches_many_data_sets():
    """The bootstrap against the standard deviation over new samples from the same distribution."""
    rng = np.random.default_rng(0)

    def rankings():
        noisy = np.arange(6.0) + 2.0 * rng.standard_normal((100, 6))
        return np.argsort(np.argsort(-noisy, axis=1), axis=1) + 1

    over_data = 1.96 * np.std([entropy(rank_shares(rankings())) for _ in range(400)])
    bootstrap = np.mean([half_width(rankings()) for _ in range(3)])
    assert bootstrap == pytest.approx(over_data, rel=0.25)  # 400 data sets: 4 %; the rest is the bootstrap's own


@pytest.mark.usefixtures("data_folder")
def test_shuffling_the_column_ends_the_disagreement_and_other_noise_does_not():
    entries = repetition("split", 0, rows=None, seed=0)["changed"]
    rho = {tuple(entry[:4]): entry[4]["rho"] for entry in entries}
    assert rho[WEAK, WEAK, "all", "training"] < 0.3
    assert rho[WEAK, ML, "all", "training"] < 0.3
    assert rho[WEAK, WEAK, "all", "held-out"] < 0.3
    assert rho[WEAK, WEAK, f"{COLUMN} shuffled", "training"] > 0.8
