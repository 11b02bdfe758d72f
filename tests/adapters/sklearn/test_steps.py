"""The steps of a pipeline: derivatives of what they make of rows, against differences of `transform`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    SplineTransformer,
    StandardScaler,
)

from rsens.adapters._sklearn._steps import RoughStepError, derivatives_of, through
from rsens.derivatives import NoSecondDerivativesError
from tests.adapters.sklearn.cases import ROWS, X, Y, by_richardson, gap

AFFINE = [
    StandardScaler(),
    PCA(2, whiten=True),
    SelectKBest(f_regression, k=2),
    SimpleImputer(),
    make_pipeline("passthrough", StandardScaler()),
]
#: With how close the oracle's differences come in first and second derivatives; a spline's third derivative jumps.
SMOOTH = [
    (PolynomialFeatures(3), 1e-8, 1e-7),
    (SplineTransformer(), 1e-4, 3e-2),
    (SplineTransformer(extrapolation="linear", include_bias=False), 1e-4, 3e-2),
    (SplineTransformer(extrapolation="continue"), 1e-4, 3e-2),
    (SplineTransformer(extrapolation="periodic", n_knots=4), 1e-4, 3e-2),
    (PowerTransformer(), 1e-4, 3e-2),  # Yeo and Johnson's second derivative jumps at 0
    (FunctionTransformer(np.arcsinh), 1e-8, 1e-6),
    (Normalizer(), 1e-6, 1e-4),
    (make_pipeline(StandardScaler(), PolynomialFeatures(2), StandardScaler()), 1e-8, 1e-6),
    (
        FeatureUnion(
            [("a", StandardScaler()), ("b", FunctionTransformer(np.sin)), ("c", "drop")], transformer_weights={"b": 2.0}
        ),
        1e-8,
        1e-6,
    ),
    (
        ColumnTransformer(
            [
                ("scaled", StandardScaler(), [2, 0]),
                ("bent", PolynomialFeatures(2), slice(0, 2)),
                ("masked", FunctionTransformer(np.exp), [False, True, False]),
                ("gone", "drop", [1]),
            ]
        ),
        1e-8,
        1e-6,
    ),
    (ColumnTransformer([("bent", FunctionTransformer(np.sin), [0])], remainder="passthrough"), 1e-8, 1e-6),
]


@pytest.mark.parametrize("step", AFFINE)
def test_affine(step):
    """One matrix for all rows, and no second derivatives."""
    step = step.fit(X, Y)
    inner = derivatives_of(step, ROWS, 2)
    assert inner.second is None
    assert len(inner.first) == 1
    moved = step.transform(ROWS + 0.5) - step.transform(ROWS)
    np.testing.assert_allclose(moved, np.broadcast_to(inner.first[0].sum(axis=1) * 0.5, moved.shape), rtol=1e-9)


@pytest.mark.parametrize(("step", "close", "second_close"), SMOOTH)
def test_smooth(step, close, second_close):
    """Some of the rows lie outside the training rows, none on their edge, where the slope of a spline may change."""
    step, rows = step.fit(X), 1.3 * ROWS
    inner = derivatives_of(step, rows, 2)
    first, second = by_richardson(step.transform, rows, 1e-3)
    assert gap(inner.first, first) < close
    assert gap(inner.second, second) < second_close


@pytest.mark.parametrize(
    "step",
    [FunctionTransformer(np.log), PowerTransformer("box-cox"), SplineTransformer(extrapolation="error")],
    ids=str,
)
def test_steps_that_are_not_defined_everywhere(step):
    """Rows may be moved only a little, and nothing is said of those that were moved too far."""
    positive = np.exp(0.3 * X)
    step, rows = step.fit(positive), positive[:12] * 0.97 + 0.03 * positive.mean(axis=0)
    inner = derivatives_of(step, rows, 2)
    first, second = by_richardson(step.transform, rows, 1e-3)
    assert gap(inner.first, first) < 1e-4
    assert gap(inner.second, second) < 3e-2


def test_one_row():
    """One row has no spread; that a step is not affine shows around it."""
    inner = derivatives_of(FunctionTransformer(np.square).fit(X), ROWS[:1], 2)
    np.testing.assert_allclose(inner.first[0], np.diag(2.0 * ROWS[0]), rtol=1e-8, atol=1e-10)
    assert derivatives_of(StandardScaler().fit(X), ROWS[:1], 2).second is None


@pytest.mark.parametrize("coupled", [False, True])
def test_steps_of_single_columns_need_no_corners(coupled):
    """Without pairs of columns 4 copies of the rows per column give second derivatives, not 4 D²."""
    wide, copies = np.random.default_rng(0).normal(size=(6, 20)), []

    def bend(X):
        copies.append(len(X) / 6)
        return np.sin(X) * (np.roll(X, 1, axis=1) if coupled else 1.0)

    second = derivatives_of(FunctionTransformer(bend).fit(wide), wide, 2).second
    np.testing.assert_allclose(second[:, 3, 3, 3], bend(wide)[:, 3] * -1.0, atol=1e-7)
    np.testing.assert_allclose(second[:, 3, 3, 2], np.cos(wide[:, 3]) if coupled else 0.0, atol=1e-7 * coupled)
    assert (sum(copies) > 1000) == coupled


@pytest.mark.parametrize("rows", [1, 8])
def test_columns_multiply_where_a_slope_vanishes(rows):
    step = FunctionTransformer(lambda X: X[:, :1] * X[:, 1:])
    second = derivatives_of(step, np.tile([0.0, 1.0], (rows, 1)), 2).second[:, 0]
    np.testing.assert_allclose(second, np.broadcast_to([[0.0, 1.0], [1.0, 0.0]], second.shape), atol=1e-7)


def test_columns_far_from_zero():
    """Power-of-two steps lose no digits: years, and seconds since 1970."""
    far = X * [1.0, 5.0, 1e3] + [0.0, 2020.0, 1.7e9]
    inner = derivatives_of(StandardScaler().fit(far), far[:5], 1)
    np.testing.assert_allclose(inner.first[0], np.diag(1.0 / far.std(axis=0)), rtol=1e-9, atol=1e-12)
    inner = derivatives_of(make_pipeline(StandardScaler(), FunctionTransformer(np.sin)).fit(far), far[:5], 1)
    z = (far - far.mean(0)) / far.std(0)
    np.testing.assert_allclose(inner.first[2], np.diag(np.cos(z[2]) / far.std(axis=0)), rtol=1e-8, atol=1e-12)


def test_kinks():
    """First derivatives are average slopes there; second ones do not exist."""
    step = QuantileTransformer(n_quantiles=10).fit(X)
    assert (derivatives_of(step, X, 1).first[:, [0, 1, 2], [0, 1, 2]] >= 0.0).all()
    with pytest.raises(NoSecondDerivativesError, match="QuantileTransformer of the pipeline has kinks"):
        derivatives_of(step, X, 2)


@pytest.mark.parametrize(
    "step",
    [
        KBinsDiscretizer(4, encode="ordinal", strategy="uniform"),
        FunctionTransformer(np.round),
        FunctionTransformer(lambda X: X.astype(np.float32)),
    ],
    ids=["bins", "rounding", "single precision"],
)
@pytest.mark.parametrize("rows", [ROWS, ROWS[:1]], ids=["rows", "one row"])
def test_jumps(step, rows):
    with pytest.raises(RoughStepError):
        derivatives_of(step.fit(X), rows, 1)


FRAME = pd.DataFrame(
    {"size": X[:, 0], "city": np.resize(["Oslo", "Bergen", "Voss"], 40), "age": X[:, 1], "month": np.resize([1, 2], 40)}
)


def test_encoders_have_no_slopes():
    """Levels are compared instead; the others keep their places among the outputs."""
    step = ColumnTransformer(
        [
            ("levels", OneHotEncoder(), ["city", "month"]),
            ("order", OrdinalEncoder(), ["city"]),
            ("numbers", StandardScaler(), make_column_selector("size|age")),
        ]
    ).fit(FRAME)
    Z, inner = through([step], FRAME, 2)
    assert inner.first.shape == (1, Z.shape[1], 4)
    expected = np.zeros((8, 4))
    expected[6, 0], expected[7, 2] = 1.0 / FRAME["size"].std(ddof=0), 1.0 / FRAME["age"].std(ddof=0)
    np.testing.assert_allclose(inner.first[0], expected, rtol=1e-12)
    assert inner.second is None


def test_a_step_that_mixes_labels_and_numbers():
    """A function of the whole data frame: numbers move, labels stay."""
    factor = np.where(FRAME["city"] == "Oslo", 2.0, 1.0)
    step = FunctionTransformer(
        lambda f: np.column_stack([np.where(f["city"] == "Oslo", 2.0, 1.0) * np.sin(f["size"]), f["age"] * f["size"]])
    )
    inner = derivatives_of(step.fit(FRAME), FRAME, 2)
    np.testing.assert_allclose(inner.first[:, 0, 0], factor * np.cos(FRAME["size"]), atol=1e-9)
    np.testing.assert_allclose(inner.second[:, 0, 0, 0], -factor * np.sin(FRAME["size"]), atol=1e-7)
    np.testing.assert_allclose(inner.second[:, 1, 0, 2], 1.0, atol=1e-7)
    assert not inner.first[:, :, 1].any()


def test_numbers_pass_beside_labels():
    """Affine for each row, whatever its labels add."""
    step = ColumnTransformer([("order", OrdinalEncoder(), ["city"])], remainder="passthrough")
    frame = FRAME.assign(open=np.resize([True, False, False], 40))
    inner = derivatives_of(step.fit(frame), frame, 2)
    expected = np.zeros((5, 5))
    expected[[1, 2, 3], [0, 2, 3]] = 1.0
    np.testing.assert_allclose(inner.first[0], expected, atol=1e-12)
    assert inner.second is None
    shifted = FunctionTransformer(lambda f: np.column_stack([f["size"] + 5.0 * (f["city"] == "Oslo"), f["age"]]))
    inner = derivatives_of(shifted.fit(FRAME), FRAME, 2)
    np.testing.assert_allclose(inner.first[0], [[1, 0, 0, 0], [0, 0, 1, 0]], atol=1e-12)
    assert inner.second is None
