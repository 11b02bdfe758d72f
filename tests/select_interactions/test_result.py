"""Tables, the answer, files."""

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._select_interactions import Selection, answer
from rsens._select_interactions._selection import smallest_sufficient
from rsens.kernels import EQ, Categorical
from tests.select_interactions.made import made


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
    # Some rows are harder to predict than others, for all models alike: the differences are paired.
    easy = 10.0 * np.random.default_rng(0).normal(size=20)
    assert smallest_sufficient(np.array([easy - 0.2, easy, easy]), 0.25) == 1


def test_summary_and_pairs():
    selection = made(k=3)
    table = selection.summary()
    assert table.columns.tolist() == ["k", "mean", "se", "difference", "difference_se"]
    assert table["k"].tolist()[:4] == [0, 1, 2, 3]
    assert pd.isna(table["k"].iloc[4])
    scores = selection.scores
    assert table["mean"][2] == pytest.approx(scores.groupby("k")["log_density"].mean()[2])
    full = scores.loc[scores["k"].isna(), "log_density"].to_numpy()
    paired = scores.query("k == 1")["log_density"].to_numpy() - full
    assert table["difference"][1] == pytest.approx(paired.mean())
    assert table["difference_se"][1] == pytest.approx(paired.std(ddof=1) * np.sqrt(0.1 + 0.25))
    assert selection.summary(corrected=False)["difference_se"][1] == pytest.approx(paired.std(ddof=1) / np.sqrt(10))
    chosen = np.array([[0, 1], [1, 0], [1, 4], [1, 0]])
    pairs = made(k=2, splits=4, chosen=chosen, pairs=np.array([1, 4])).pairs
    assert pairs[["first", "second"]].to_numpy().tolist() == [["a", "c"], ["a", "f"]]
    assert pairs["share"].tolist() == [1.0, 0.25]


def test_kernel():
    selection = made(k=2, pairs=np.array([1, 14]))
    of_columns = [Categorical(dims=d) if d == 2 else EQ(dims=d) for d in range(6)]
    assert selection.kernel(0).terms == tuple(of_columns)
    assert selection.kernel(1).terms[6:] == (EQ(dims=0) * Categorical(dims=2),)
    assert selection.kernel(2).terms[7:] == (EQ(1.0, (1.0, 1.0), dims=(4, 5)),)
    assert selection.kernel() == selection.kernel(selection.suggested)
    for call, text in (
        (lambda: selection.kernel(3), "k must be at most 2"),
        (lambda: selection.model(-1), "k must be a whole number"),
        (lambda: selection.summary(corrected="yes"), "corrected"),
    ):
        with pytest.raises(InputError, match=text):
            call()


def scored(*means, full=0.0, columns=6):
    """Scores that vary by about 0.1 around these means, independently in every split."""
    noise = 0.1 * np.random.default_rng(1).normal(size=(len(means) + 1, 20))
    chosen = np.tile(np.arange(len(means) - 1), (20, 1))
    return made(
        k=len(means) - 1,
        splits=20,
        scores=np.array(means)[:, None] + noise[1:],
        full=full + noise[0],
        chosen=chosen,
        pairs=chosen[0].copy(),
        columns=tuple("abcdef"[:columns]),
    )


@pytest.mark.parametrize(
    ("selection", "sentences"),
    [
        (scored(-2.0, -1.0, 0.0, 0.0), ["2 interactions are enough: a:b, a:c. Per row, that is "]),
        (scored(-1.0, 0.0), ["1 interaction is enough: a:b. "]),
        (scored(0.0, -0.2), ["No interaction is needed. "]),
        (scored(-1.0, 0.0, full=-0.5), ["above the model with all interactions."]),
        (scored(-3.0, -2.0), ["1 interaction is not enough: per row, ", " better. Raise k, or keep the full model."]),
        (scored(-2.0, -2.3, -2.3), ["2 interactions are not enough: ", "Raise k"]),
        (scored(-3.0, -2.0, columns=2), ["More than two columns act together: keep the full model."]),
    ],
)
def test_sentences(selection, sentences):
    for sentence in sentences:
        assert sentence in " ".join(str(selection).split())


def test_reaches_full():
    assert scored(-2.0, 0.0).reaches_full
    assert not scored(-2.0, -1.0).reaches_full
    assert not made(splits=1, k=0).reaches_full  # one split: no standard error, so any score below is below
    assert answer(scored(-3.0, -2.0)).argument == "k"  # so that the command line can say --pairs


def test_save_and_load(tmp_path):
    for selection in (made(k=3), made(k=0)):
        selection.save(tmp_path / "selection.json")
        again = Selection.load(tmp_path / "selection.json")
        assert repr(again) == repr(selection)
        for name in ("scores", "pairs"):
            pd.testing.assert_frame_equal(getattr(again, name), getattr(selection, name), check_exact=True)
        assert again.kernel() == selection.kernel()
        with pytest.raises(InputError, match=r"read from a file.*selection\.kernel"):
            again.model()
