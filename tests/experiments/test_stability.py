"""Table 2: the script, and entropies of known rankings."""

import numpy as np
import pandas as pd
import pytest

from experiments._benchmarks import METHODS
from experiments.stability import PUBLISHED, half_width, markdown, summarize
from rsens import datasets

TINY = ["--data", "bike", "--rows", "40", "--samples", "2", "--n-jobs", "1"]


@pytest.fixture(autouse=True)
def no_download(monkeypatch):
    monkeypatch.setattr(datasets, "_download", lambda source: pytest.fail("a test must not download anything"))


def test_published_values_are_complete():
    published = pd.read_csv(PUBLISHED, comment="#")
    assert sorted(zip(published["data"], published["method"], strict=True)) == sorted(
        (data, method) for data in ("concrete", "bike") for method in METHODS
    )


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

    from rsens._stability import entropy, rank_shares

    over_data = 1.96 * np.std([entropy(rank_shares(rankings())) for _ in range(400)])
    bootstrap = np.mean([half_width(rankings()) for _ in range(3)])
    assert bootstrap == pytest.approx(over_data, rel=0.25)  # 400 data sets: 4 %; the rest is the bootstrap's own
