"""The values that models take as y, offset, weights and settings, and the errors for others."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import InputError
from rsens.kernels import EQ, Categorical, Linear, Periodic

N = 20
X = np.random.default_rng(0).normal(size=(N, 3))
Y = np.abs(X[:, 0]) + 0.1 * np.random.default_rng(1).uniform(size=N)
TRUE = X[:, 0] > 0.0
DAYS = pd.date_range("2020", periods=N)

REGRESSORS = [rsens.GPRegressor(optimize=False), rsens.BayesianLinearRegression(), rsens.BayesianPoissonRegression()]
CLASSIFIERS = [rsens.GPClassifier(optimize=False), rsens.BayesianLogisticRegression()]
NO_NUMBERS = {
    "days with one missing": pd.Series([pd.NaT, *DAYS[1:]]),
    "days of Python": [date(2020, 1, 1 + i) for i in range(N)],
    "days with a time zone": pd.Series(DAYS.tz_localize("UTC")),
    "periods": pd.Series(DAYS.to_period("D")),
    "the string type": pd.Series(Y).astype("string"),
    "text among numbers": pd.Series([*Y[1:], "1.5"], dtype=object),
    "beyond float64": [10**400, *Y[1:]],
}


def refused(argument, word, call):
    """An `InputError` about this argument, or about y, whose errors name no argument."""
    with pytest.raises(InputError, match=word) as error:
        call()
    assert error.value.argument in (argument, None)


@pytest.mark.parametrize("wrong", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_dates_and_text_are_no_numbers(model, wrong):
    refused(None, "y must be numbers", lambda: model.fit(X, wrong))
    refused("offset", "must be numbers", lambda: model.fit(X, Y, offset=wrong))
    refused(None, "y must be numbers", lambda: model.fit(X, Y).log_predictive_density(X, wrong))


def test_weights_and_offsets_of_another_kind_or_size():
    model = rsens.BayesianPoissonRegression()
    for wrong in (DAYS, ["1"] * N, np.ones(N - 1), np.full(N, np.nan)):
        refused("sample_weight", "must", lambda wrong=wrong: model.fit(X, Y, sample_weight=wrong))
        refused("offset", "must", lambda wrong=wrong: model.fit(X, Y, offset=wrong))
    for wrong in (np.zeros(N), -np.ones(N)):
        refused("sample_weight", "zero|at least 0", lambda wrong=wrong: model.fit(X, Y, sample_weight=wrong))
    refused("offset", "must", lambda: model.fit(X, Y).predict(X, offset=np.zeros(3)))


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_all_kinds_of_numbers(model):
    whole = np.arange(N)
    expected = model.fit(X, whole).predict(X)
    for y in (
        pd.Series(whole, dtype="Int64"),
        whole.astype(object),
        [Decimal(int(i)) for i in whole],
        pd.Series(whole).astype("category"),
    ):
        np.testing.assert_array_equal(model.fit(X, y).predict(X), expected)
    decimals = pd.DataFrame(X, columns=list("abc")).map(lambda number: Decimal(repr(number)))  # as databases give them
    np.testing.assert_array_equal(model.fit(decimals, whole).predict(decimals), expected)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize("kind", ["boolean", "Int64", "UInt8", "bool"])
def test_classes_keep_their_type(model, kind, tmp_path):
    y = TRUE if kind == "bool" else pd.Series(TRUE.astype(int), dtype=kind)
    model.fit(X, y)
    assert model.classes_.dtype.kind == kind[0].lower()
    assert model.predict(X).dtype == model.classes_.dtype
    assert model.classes_.tolist() == [0, 1]
    assert np.isfinite(model.log_predictive_density(X, y)).all()
    rsens.save_model(model, tmp_path / "model.rsens")
    assert rsens.load_model(tmp_path / "model.rsens").classes_.dtype == model.classes_.dtype


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize(
    ("y", "word"),
    [
        (pd.Series([pd.NA, *TRUE[1:]], dtype="boolean"), "1 missing .* the first at row 0"),
        (pd.Series(list(DAYS[:2]) * (N // 2)), "dates or times"),
        (pd.Series(list(DAYS[:2].tz_localize("UTC")) * (N // 2)), "label"),
        (np.array([1, "one"] * (N // 2), dtype=object), "mixes text, such as 'one'"),
        (np.ones(N), "two classes"),
    ],
)
def test_labels_that_are_no_classes(model, y, word):
    with pytest.raises(InputError, match=word):
        model.fit(X, y)


@pytest.mark.parametrize("factor", [1e160, 1e-300])
@pytest.mark.parametrize("model", [*REGRESSORS, rsens.GPRegressor(standardize=False)], ids=repr)
def test_numbers_whose_squares_leave_float64(model, factor):
    refused(None, "y is too (large|small)", lambda: model.fit(X, Y * factor))
    refused(None, "column 'x1' of X is too (large|small)", lambda: model.fit(X * [1.0, factor, 1.0], Y))
    refused("offset", "is too", lambda: model.fit(X, Y, offset=Y * factor))


@pytest.mark.parametrize("factor", [1e-70, 1e70])
@pytest.mark.parametrize(
    "model", [rsens.GPRegressor(EQ(dims=(0,)) + Linear(), optimize=False), rsens.BayesianLinearRegression()]
)
def test_the_largest_sizes_that_are_taken(model, factor):
    """Predictions scale with y for any size of X: no intermediate number leaves float64."""
    expected = model.fit(X, Y).predict(X)
    np.testing.assert_allclose(model.fit(X / factor, Y * factor).predict(X / factor), expected * factor, rtol=1e-6)


def test_truth_values():
    for model in (*REGRESSORS, *CLASSIFIERS):
        for name in {"fit_intercept", "standardize", "optimize", "progress"} & set(model.get_params()):
            for wrong in ("no", None, 1):
                given = type(model)(**{name: wrong})
                refused(name, "True or False", lambda given=given: given.fit(X, TRUE))
    assert rsens.BayesianLinearRegression(fit_intercept=np.False_).fit(X, Y).intercept_ == 0.0


@pytest.mark.parametrize(
    ("kernel", "column"),
    [
        (EQ(dims=(0,)) + Linear(dims=(1, 4)), 4),
        (EQ(dims=(0,)) * Periodic(dims=(3,)), 3),
        (EQ() + EQ() * Categorical(dims=(7,)), 7),
        (EQ(1.0, (1.0,) * 4), 3),
    ],
    ids=repr,
)
def test_kernels_of_other_columns(kernel, column):
    for model, y in ((rsens.GPRegressor(kernel), Y), (rsens.GPClassifier(kernel, optimize=False), TRUE)):
        refused("kernel", f"uses column {column}", lambda model=model, y=y: model.fit(X, y))
    with pytest.raises(InputError, match="EQ has values for 2 columns"):
        rsens.GPRegressor(EQ(1.0, (1.0, 1.0))).fit(X, Y)
