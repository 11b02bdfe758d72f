"""What the models take as y, offset, weights and settings, and what they say about the rest."""

from datetime import date, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens.kernels import EQ, Categorical, Linear, Periodic
from rsens.models import (
    BayesianLinearRegression,
    BayesianLogisticRegression,
    BayesianPoissonRegression,
    GPClassifier,
    GPRegressor,
    load_model,
    save_model,
)

N = 20
X = np.random.default_rng(0).normal(size=(N, 3))
Y = np.abs(X[:, 0]) + 0.1 * np.random.default_rng(1).uniform(size=N)
TRUE = X[:, 0] > 0.0
DAYS = pd.date_range("2020", periods=N)

REGRESSORS = [GPRegressor(optimize=False), BayesianLinearRegression(), BayesianPoissonRegression()]
CLASSIFIERS = [GPClassifier(optimize=False), BayesianLogisticRegression()]
DATES = {
    "days": DAYS,
    "days with one missing": pd.Series([pd.NaT, *DAYS[1:]]),
    "days of NumPy": DAYS.to_numpy(),
    "days of Python": [date(2020, 1, 1 + i) for i in range(N)],
    "days with a time zone": pd.Series(DAYS.tz_localize("UTC")),
    "periods": pd.Series(DAYS.to_period("D")),
    "durations": DAYS - DAYS[0],
    "durations of Python": [timedelta(days=i) for i in range(N)],
}
TEXTS = {
    "a list": [f"{y}" for y in Y],
    "a Series": pd.Series(Y).astype(str),
    "the string type": pd.Series(Y).astype("string"),
    "text among numbers": pd.Series([*Y[1:], "1.5"], dtype=object),
}


@pytest.mark.parametrize("wrong", DATES.values(), ids=DATES)
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_dates_are_no_numbers(model, wrong):
    with pytest.raises(InputError, match="y must be numbers; got dates or times"):
        model.fit(X, wrong)
    with pytest.raises(InputError, match="offset must be numbers; got dates or times"):
        model.fit(X, Y, offset=wrong)
    with pytest.raises(InputError, match="y must be numbers; got dates or times"):
        model.fit(X, Y).log_predictive_density(X, wrong)


@pytest.mark.parametrize("wrong", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
def test_text_is_no_number(model, wrong):
    with pytest.raises(InputError, match=r"y must be numbers; got text, such as '[\d.]+'.*to_numeric"):
        model.fit(X, wrong)
    with pytest.raises(InputError, match="offset must be numbers; got text"):
        model.fit(X, Y, offset=wrong)


@pytest.mark.parametrize("model", [*REGRESSORS, *CLASSIFIERS], ids=repr)
def test_arrays_of_dates_and_text_are_no_rows(model):
    with pytest.raises(InputError, match="X must be numbers; got dates or times"):
        model.fit(DAYS.to_numpy()[:, None], TRUE)
    with pytest.raises(InputError, match="X must be numbers; got text, such as '0'"):
        model.fit([[f"{i}"] for i in range(N)], TRUE)


@pytest.mark.parametrize("wrong", [DAYS, ["1"] * N], ids=["dates", "text"])
def test_weights_are_numbers(wrong):
    with pytest.raises(InputError, match="sample_weight must be numbers"):
        BayesianPoissonRegression().fit(X, Y, sample_weight=wrong)


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


# ---- classes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (pd.Series(TRUE, dtype="boolean"), "b"),
        (pd.Series(TRUE.astype(int), dtype="Int64"), "i"),
        (pd.Series(TRUE.astype(int), dtype="UInt8"), "u"),
        (TRUE, "b"),
    ],
    ids=["boolean", "Int64", "UInt8", "bool"],
)
def test_classes_keep_their_type(model, y, kind, tmp_path):
    model.fit(X, y)
    assert model.classes_.dtype.kind == kind
    assert model.classes_.tolist() == [0, 1]
    assert model.predict(X).dtype.kind == kind
    assert np.isfinite(model.log_predictive_density(X, y)).all()
    save_model(model, tmp_path / "model.rsens")
    assert load_model(tmp_path / "model.rsens").classes_.dtype == model.classes_.dtype


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
@pytest.mark.parametrize(
    ("y", "text"),
    [
        (pd.Series([pd.NA, *TRUE[1:]], dtype="boolean"), "missing"),
        (pd.Series([pd.NaT, *list(DAYS[:1]) * (N - 1)]), "1 missing labels, the first at row 0"),
        (pd.Series(list(DAYS[:2]) * (N // 2)), "dates or times, which cannot be classes"),
        (pd.Series(list(DAYS[:2].tz_localize("UTC")) * (N // 2)), "dates or times, which cannot be classes"),
        (np.array([1, "one"] * (N // 2), dtype=object), "mixes text, such as 'one', with other labels, such as 1"),
        ([1, "one"] * (N // 2), "mixes text, such as 'one', with other labels, such as 1"),
    ],
    ids=["missing truth values", "missing dates", "dates", "dates with a time zone", "mixed", "a mixed list"],
)
def test_what_is_no_class(model, y, text):
    with pytest.raises(InputError, match=text):
        model.fit(X, y)


@pytest.mark.parametrize(
    ("column", "other", "text"),
    [
        (pd.Series(TRUE), str, "text instead of truth values"),
        (pd.Series(np.where(TRUE, "1", "2")), int, "numbers instead of text"),
    ],
)
def test_levels_of_another_type(column, other, text):
    frame = pd.DataFrame(X, columns=list("abc")).assign(level=column)
    model = BayesianLinearRegression(categorical=["level"]).fit(frame, Y)
    with pytest.raises(InputError, match=f"The type differs: {text}") as error:
        model.predict(frame.assign(level=column.astype(other)))
    assert "Did you mean" not in str(error.value)


# ---- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [1e160, 1e-300])
@pytest.mark.parametrize("model", [*REGRESSORS, GPRegressor(standardize=False)], ids=repr)
def test_numbers_whose_squares_leave_float64(model, factor):
    with pytest.raises(InputError, match=r"y is too (large|small).*largest magnitude is .*e[+-]\d{3}.*Rescale y"):
        model.fit(X, Y * factor)
    with pytest.raises(InputError, match=r"column 'x1' of X is too (large|small).*Rescale"):
        model.fit(X * [1.0, factor, 1.0], Y)
    with pytest.raises(InputError, match="offset is too"):
        model.fit(X, Y, offset=Y * factor)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_columns_of_a_classifier(model):
    frame = pd.DataFrame(X * [1.0, 1.0, 1e200], columns=list("abc"))
    with pytest.raises(InputError, match="column 'c' of X is too large"):
        model.fit(frame, TRUE)


@pytest.mark.parametrize("factor", [1e-70, 1e70])
@pytest.mark.parametrize("model", [GPRegressor(EQ(dims=(0,)) + Linear(), optimize=False), BayesianLinearRegression()])
def test_the_largest_sizes_that_are_taken(model, factor):
    """Predictions scale with y, whatever the size of X: nothing on the way leaves float64."""
    expected = model.fit(X, Y).predict(X)
    np.testing.assert_allclose(model.fit(X / factor, Y * factor).predict(X / factor), expected * factor, rtol=1e-6)


# ---- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", ["no", None, 1])
@pytest.mark.parametrize("model", [*REGRESSORS, *CLASSIFIERS], ids=repr)
def test_truth_values(model, wrong):
    for name in {"fit_intercept", "standardize", "optimize", "progress"} & set(model.get_params()):
        given = type(model)(**{name: wrong})
        with pytest.raises(InputError, match=f"{name} must be True or False; got {wrong!r}"):
            given.fit(X, TRUE)


def test_truth_values_of_numpy():
    model = BayesianLinearRegression(fit_intercept=np.False_).fit(X, Y)
    assert model.intercept_ == 0.0


@pytest.mark.parametrize(
    ("kernel", "column"),
    [
        (EQ(dims=(5,)), 5),
        (EQ(dims=(0,)) + Linear(dims=(1, 4)), 4),
        (EQ(dims=(0,)) * Periodic(dims=(3,)), 3),
        (EQ() + EQ() * Categorical(dims=(7,)), 7),
        (EQ(1.0, (1.0,) * 4), 3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("optimize", [True, False])
def test_kernels_of_other_columns(kernel, column, optimize):
    text = rf"kernel uses column {column}, in its dims.*but X has 3 columns, numbered from 0 to 2"
    for model, y in ((GPRegressor(kernel, optimize=optimize), Y), (GPClassifier(kernel, optimize=optimize), TRUE)):
        with pytest.raises(InputError, match=text):
            model.fit(X, y)


def test_a_kernel_with_values_for_fewer_columns():
    with pytest.raises(InputError, match="EQ has values for 2 columns; got X with 3 columns"):
        GPRegressor(EQ(1.0, (1.0, 1.0))).fit(X, Y)
