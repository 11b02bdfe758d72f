"""Thousands of columns: an answer, or a refusal before any work."""

import warnings

import numpy as np
import pytest

from rsens import BayesianLinearRegression, GPRegressor, InputError, Normal, explain, from_function


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


@pytest.fixture(scope="module")
def wide():
    X, y = table(3001, rows=4)
    return GPRegressor(optimize=False).fit(X, y), X, y


@pytest.mark.parametrize("options", [{}, {"null": False}, {"intervals": "rows"}])
def test_refits_to_many_columns_are_refused(options, wide):
    model, X, y = wide
    with pytest.raises(InputError, match=r"more than 3,000 columns; got 3,001\. .* null=False and intervals='rows'"):
        explain(model, X, y, **options)


def test_differences_in_many_columns_are_refused():
    def never(X):
        raise AssertionError("the function was asked")

    with pytest.raises(InputError, match=r"differences of its predictions, .* more than 5,000 columns; got 5,001"):
        explain(from_function(never), table(5001)[0])


def test_many_columns_without_refits_are_explained_in_silence():
    """One note at most and a short text."""
    X, _ = table(400, rows=10)
    slopes = np.linspace(1.0, 2.0, 400)
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        found = explain(from_function(lambda Z: Normal(Z @ slopes, 1.0)), X, null=False)
    assert len(raised) <= 1
    assert len(str(found).splitlines()) < 60
