"""The likelihood that is chosen for a target, and the reason that is given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris, load_wine

from rsens import InputError
from rsens._app.tables import choose_likelihood

rng = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_labels_are_classes(dtype):
    choice = choose_likelihood(pd.Series(["no", "yes"] * 2, dtype=dtype))
    assert (choice.kind, choice.classes) == ("classification", ("no", "yes"))
    assert "2 classes" in choice.reason


@pytest.mark.parametrize("values", [[False, True], [0, 1], [1, 2], [-1, 1], [0.0, 1.0]])
def test_two_whole_numbers_are_classes(values):
    choice = choose_likelihood(np.array(values * 10))
    assert (choice.kind, choice.classes) == ("classification", tuple(values))


@pytest.mark.parametrize(
    ("y", "kind", "words"),
    [
        (rng.normal(size=100), "gaussian", "numbers from"),
        (np.array([0.5, 1.5] * 10), "gaussian", "numbers from 0.5 to 1.5"),
        (rng.poisson(3.0, 300), "poisson", "about the spread of Poisson"),
        (rng.poisson(3.0, 300).astype(float), "poisson", "whole numbers from 0"),
        (rng.poisson(rng.gamma(2.0, 5.0, 300)), "negative_binomial", "more spread than Poisson"),
        (rng.poisson(3.0, 300) - 1, "gaussian", "negative"),
        (rng.integers(1, 6, 300), "gaussian", "less spread than counts"),  # marks from 1 to 5
        (rng.integers(0, 3, 300), "gaussian", "use likelihood='classification'"),
        (rng.integers(1990, 2020, 300), "gaussian", "none below 10"),
        (load_diabetes().target, "gaussian", "whole numbers from 25 to 346"),
        (load_iris().target, "gaussian", "only 3 different values"),
        (load_wine().data[:, 12], "gaussian", "whole numbers from 278 to 1,680"),
    ],
)
def test_numbers(y, kind, words):
    choice = choose_likelihood(y)
    assert choice.kind == kind
    assert words in choice.reason
    assert choice.classes is None


def test_bicycles(data_folder):
    y = pd.read_csv(data_folder / "bike_hour.csv")["cnt"]
    expected = "whole numbers from 1 to 977, mean 189, variance 32,901: counts with more spread than Poisson"
    assert choose_likelihood(y).reason == expected


def test_poisson_counts_are_hardly_ever_taken_for_a_measurement():
    """Three standard deviations of variance/mean: one in 700 or fewer, as its distribution leans to the right."""
    chosen = [choose_likelihood(np.random.default_rng(seed).poisson(4.0, 50)).kind for seed in range(300)]
    assert chosen.count("poisson") >= 297


def test_what_is_asked_for():
    for asked in ("gaussian", "student_t", "poisson", "negative_binomial"):
        choice = choose_likelihood(np.array([0, 1, 5, 3]), asked)
        assert (choice.kind, choice.reason) == (asked, "as asked for")
    assert choose_likelihood(load_iris().target, "classification").classes == (0, 1, 2)
    assert len(choose_likelihood(pd.Series([f"c{i}" for i in range(20)] * 2)).classes) == 20


@pytest.mark.parametrize(
    ("y", "asked", "text"),
    [
        (pd.Series([f"city {i}" for i in range(300)], name="city"), "auto", "'city' has 300 different values"),
        (pd.Series(["a", "a"]), "auto", "only one value"),
        (pd.Series(["a", "b"]), "poisson", "labels, not numbers: it cannot be 'poisson'"),
        (np.arange(50), "classification", "likelihood='gaussian'"),
        (pd.Series([1.0, -1.0, 3.0], name="n"), "poisson", "the target 'n' has -1, which is not a count"),
        (pd.Series([1.0, 2.5, 3.0]), "negative_binomial", "the target has 2.5, which is not a count"),
        ([1, 2, 3], "binomial", "likelihood must be one of 'auto'"),
        ([1.0, np.nan], "auto", "missing values"),
        (pd.Series(pd.date_range("2024-01-01", periods=3)), "auto", "must have numbers or labels"),
    ],
)
def test_what_is_refused(y, asked, text):
    with pytest.raises(InputError, match=text):
        choose_likelihood(y, asked)
