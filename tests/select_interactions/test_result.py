"""Tables, the answer, files."""

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._select_interactions import Selection, answer
from rsens._select_interactions._selection import smallest_sufficient, standard_error
from rsens.kernels import EQ, Categorical
from tests.select_interactions.made import made


def test_standard_error():
    scores = np.array([1.0, 2.0, 3.0, 6.0])
    plain = scores.std(ddof=1) / 2.0
    assert standard_error(scores, 0.0) == pytest.approx(plain)
    # a quarter as many rows held out as trained on, four splits: s √(1/4 + 1/4)
    assert standard_error(scores, 0.25) == pytest.approx(plain * np.sqrt(2.0))
    assert np.isnan(standard_error(scores[:1], 0.25))


def test_smallest_sufficient():
    ups_and_downs = np.array([1.0, -1.0, 1.0, -1.0])
    far, near, best = -1.0 + 0.0 * ups_and_downs, -0.1 + 0.5 * ups_and_downs, 0.0 * ups_and_downs
    # the difference 0.1 of the second to the best varies by ±0.5: its standard error is 0.29
    assert smallest_sufficient(np.array([far, near, best]), 0.0) == 1
    # the same mean, but in every split: no doubt
    assert smallest_sufficient(np.array([far, near * 0.0 - 0.1, best]), 0.0) == 2
    assert smallest_sufficient(np.array([best, near, far]), 0.0) == 0
    assert smallest_sufficient(np.array([far, best, best]), 0.0) == 1
    assert smallest_sufficient(np.array([[-1.0], [0.0], [-0.1]]), 0.25) == 1  # one split: the best


def test_what_all_splits_share_does_not_count():
    """Some rows are harder to predict than others, for all models alike: the differences are paired."""
    easy = 10.0 * np.random.default_rng(0).normal(size=20)
    assert smallest_sufficient(np.array([easy - 0.2, easy, easy]), 0.25) == 1


def test_table():
    selection = made(["rsens2", "h"], k=3)
    table = selection.table
    assert table.columns.tolist() == ["method", "k", "mean", "se", "difference", "difference_se"]
    assert table["method"].tolist() == ["rsens2"] * 4 + ["h"] * 4 + ["full"]
    assert table["k"].tolist()[:8] == [0, 1, 2, 3] * 2
    assert pd.isna(table["k"].iloc[8])
    scores = selection.scores
    mean = scores.groupby(["method", "k"], dropna=False)["log_density"].mean()
    assert table["mean"][2] == pytest.approx(mean["rsens2", 2])
    full = scores.loc[scores["method"] == "full", "log_density"].to_numpy()
    paired = scores.query("method == 'h' and k == 1")["log_density"].to_numpy() - full
    assert table["difference"][5] == pytest.approx(paired.mean())
    assert table["difference_se"][5] == pytest.approx(paired.std(ddof=1) * np.sqrt(0.1 + 0.25))
    assert selection.summary(corrected=False)["difference_se"][5] == pytest.approx(paired.std(ddof=1) / np.sqrt(10))


def test_frequency():
    chosen = np.array([[[0, 1], [1, 0], [1, 4], [1, 0]]])
    frequency = made(k=2, splits=4, chosen=chosen).frequency
    assert frequency.index.tolist() == [("rsens2", "a", "c"), ("rsens2", "a", "b"), ("rsens2", "a", "f")]
    np.testing.assert_array_equal(frequency.to_numpy(), [[0.75, 1.0], [0.25, 0.75], [0.0, 0.25]])
    assert frequency.columns.tolist() == [1, 2]


def test_pairs():
    chosen = np.array([[[0, 1], [1, 0], [1, 4], [1, 0]]])
    pairs = made(k=2, splits=4, chosen=chosen, pairs=np.array([[1, 0]])).pairs
    assert pairs[["rank", "first", "second", "share"]].to_numpy().tolist() == [[1, "a", "c", 1.0], [2, "a", "b", 0.75]]


def test_kernel():
    selection = made(["rsens2", "h"], k=2, pairs=np.array([[1, 0], [14, 13]]))
    of_columns = [Categorical(dims=d) if d == 2 else EQ(dims=d) for d in range(6)]
    assert selection.kernel(0).terms == tuple(of_columns)
    assert selection.kernel(1).terms[6:] == (EQ(dims=0) * Categorical(dims=2),)
    assert selection.kernel(2, "h").terms[6:] == (EQ(1.0, (1.0, 1.0), dims=(3, 5)), EQ(1.0, (1.0, 1.0), dims=(4, 5)))
    assert selection.kernel() == selection.kernel(selection.suggested)


def scored(*means, full=0.0, columns=6):
    """Scores that vary by about 0.1 around these means, independently in every split."""
    noise = 0.1 * np.random.default_rng(1).normal(size=(len(means) + 1, 20))
    k = len(means) - 1
    chosen = np.tile(np.arange(k), (1, 20, 1))
    return made(
        k=k,
        splits=20,
        scores=(np.array(means)[:, None] + noise[1:])[None],
        full=full + noise[0],
        chosen=chosen,
        pairs=chosen[:, 0].copy(),
        columns=tuple("abcdef"[:columns]),
    )


@pytest.mark.parametrize(
    ("selection", "sentences"),
    [
        (scored(-2.0, -1.0, 0.0, 0.0), ["2 interactions are enough: a:b, a:c. Per row, that is "]),
        (scored(-1.0, 0.0), ["1 interaction is enough: a:b. "]),
        (scored(0.0, -0.2), ["No interaction is needed. "]),
        (scored(-1.0, 0.0, full=-0.5), ["above the model with all interactions."]),
        (scored(-3.0, -2.0), ["One interaction is not enough: per row, ", " better. Raise k, or keep the full model."]),
        (
            scored(-2.0, -2.3, -2.3),
            ["Up to 2 interactions are not enough: ", " better. They do not help. Raise k"],
        ),
        (scored(-3.0, -2.0, -2.3), [" better. Only the first 1 of them (a:b) help. Raise k"]),
        (scored(-3.0, -2.0, columns=2), ["More than two columns act together: keep the full model."]),
        (made(["rsens2", "h"]), ["rsens2: ", " h: "]),
    ],
)
def test_sentences(selection, sentences):
    for sentence in sentences:
        assert sentence in " ".join(str(selection).split())


def test_the_advice_knows_its_argument():
    """So that the command line can say --pairs."""
    assert answer(scored(-3.0, -2.0), "rsens2").argument == "k"


def test_reaches_full():
    assert scored(-2.0, 0.0).reaches_full.tolist() == [True]
    assert scored(-2.0, -1.0).reaches_full.tolist() == [False]
    # one split: no standard error, so what is below is below
    assert not made(splits=1, k=0).reaches_full["rsens2"]


def test_save_and_load(tmp_path):
    for selection in (made(["rsens2", "h"], k=3), made(k=0)):
        selection.save(tmp_path / "selection.json")
        again = Selection.load(tmp_path / "selection.json")
        assert repr(again) == repr(selection)
        for name in ("scores", "pairs", "frequency"):
            pd.testing.assert_frame_equal(getattr(again, name), getattr(selection, name), check_exact=True)
        assert again.kernel() == selection.kernel()
        with pytest.raises(InputError, match=r"read from a file.*selection\.kernel"):
            again.model()


def test_wrong_arguments():
    selection = made(k=2)
    with pytest.raises(InputError, match="k must be at most 2"):
        selection.kernel(3)
    with pytest.raises(InputError, match="k must be a whole number"):
        selection.model(-1)
    with pytest.raises(InputError, match="method must be one of 'rsens2'"):
        selection.kernel(1, "h")
    with pytest.raises(InputError, match="corrected"):
        selection.summary(corrected="yes")
