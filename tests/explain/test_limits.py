"""Thousands of columns: an answer, or a refusal before any work."""

import warnings

import numpy as np
import pytest

from rsens import BayesianLinearRegression, InputError, Normal, explain, from_function


class Untouched(BayesianLinearRegression):
    """A model that must not be asked anything: only its size is looked at."""

    def predict_distribution(self, X, **options):
        raise AssertionError("the model was asked")

    def derivatives(self, X, order=1, **options):
        raise AssertionError("the model was asked")


def table(columns, rows=6):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    return X, X[:, 0] + 0.1 * rng.standard_normal(rows)


@pytest.mark.parametrize(
    ("asked", "what"), [({"pairs": True}, "pairs=True"), ({"keep_local": "pairs"}, "keep_local='pairs'")]
)
def test_pairs_of_many_columns_are_refused(asked, what):
    X, y = table(301)
    model = Untouched(prior_precision=1.0).fit(X, y)
    with pytest.raises(InputError, match=f"^{what} asks for pairs, .* at most 300 columns; got 301 columns, 45,150"):
        explain(model, X, **asked)


def test_many_columns_without_refits_are_explained_in_silence():
    """One note at most and a short text."""
    X, _ = table(400, rows=10)
    slopes = np.linspace(1.0, 2.0, 400)
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        found = explain(from_function(lambda Z: Normal(Z @ slopes, 1.0)), X, null=False)
    assert len(raised) <= 1
    assert len(str(found).splitlines()) < 60
