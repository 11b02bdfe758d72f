"""Pipelines answer in their original columns: against native models that were transformed by hand."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.impute import SimpleImputer
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    QuantileTransformer,
    StandardScaler,
)

import rsens
from rsens import GPClassifier, GPRegressor, LogNormal, RsensWarning, kernels
from rsens._errors import InputError
from rsens.adapters import as_model, read_for
from rsens.derivatives import NoSecondDerivativesError, chain_rule
from tests.adapters.sklearn.cases import LABELS, ROWS, X, Y, gap, gaps, record

FAR = X * [1.0, 5.0, 0.1] + [0.0, 100.0, 3.0]
FAR_ROWS = ROWS * [1.0, 5.0, 0.1] + [0.0, 100.0, 3.0]
SD = FAR.std(axis=0)


def gp(kernel=None, **settings):
    return GaussianProcessRegressor(RBF(1.0) if kernel is None else kernel, alpha=0.05, optimizer=None, **settings)


def native(lengthscale=1.0, rows=FAR, y=Y):
    kernel = kernels.EQ(1.0, tuple(lengthscale * SD))
    return GPRegressor(kernel, noise_variance=0.05, optimize=False, standardize=False).fit(rows, y)


def test_a_scaler():
    """A scaler and one length-scale are a length-scale per column; shifts change nothing."""
    model = make_pipeline(StandardScaler(), gp()).fit(FAR, Y)
    assert gaps(model, native(), FAR_ROWS).max() < 1e-9
    assert as_model(model).training_inputs_ is None  # they are behind the scaler
    assert as_model(model).description.columns == "original columns of the pipeline"


def test_points():
    """A mean alone needs no variance, and is the mean of the distribution."""
    for last in (gp(normalize_y=True), BayesianRidge()):
        model = make_pipeline(StandardScaler(), last).fit(FAR, 5.0 + Y)
        np.testing.assert_allclose(as_model(model).predict_point(FAR_ROWS)[:, 0], model.predict(FAR_ROWS), rtol=1e-10)


@pytest.mark.parametrize("step", [PolynomialFeatures(2, include_bias=False), PCA(2)], ids=["more", "fewer"])
def test_columns_inside(step):
    """With more columns inside ∂k goes to the outer columns before the solves, with fewer after them."""
    pipe = make_pipeline(step.fit(X), gp(RBF(4.0))).fit(X, Y)
    inside = GPRegressor(kernels.EQ(1.0, 4.0), noise_variance=0.05, optimize=False, standardize=False)
    there = record(inside.fit(step.transform(X), Y), step.transform(ROWS))
    if isinstance(step, PCA):
        J, H = np.broadcast_to(step.components_, (len(ROWS), 2, 3)), None
    else:  # z = (x, x_d x_e for d ≤ e)
        J, H = np.zeros((len(ROWS), 9, 3)), np.zeros((len(ROWS), 9, 3, 3))
        J[:, :3] = np.eye(3)
        for l, (d, e) in enumerate([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)], start=3):
            for this, other in ((d, e), (e, d)):
                J[:, l, this] += ROWS[:, other]
                H[:, l, this, other] += 1.0
    first, second = chain_rule(J, np.zeros((len(ROWS), 2, 3, 3)) if H is None else H, there.first, there.second)
    found = record(pipe)
    assert gap(found.first, first) < 1e-10
    assert gap(found.second, second) < 1e-9


def test_classifiers():
    model = make_pipeline(StandardScaler(), GaussianProcessClassifier(RBF(1.0), optimizer=None)).fit(FAR, LABELS)
    kernel = kernels.EQ(1.0, tuple(SD))
    ours = GPClassifier(kernel, link="logit", optimize=False, standardize=False).fit(FAR, LABELS)
    assert gaps(model, ours, FAR_ROWS).max() < 1e-4  # Newton's tolerance
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(FAR, LABELS)
    weights = model[-1].coef_[0] / SD
    variance = as_model(model).predict_distribution(FAR_ROWS).variance
    np.testing.assert_allclose(rsens.rsens(model, FAR_ROWS), np.abs(weights) * np.sqrt(variance)[:, None], rtol=1e-9)
    assert list(as_model(model).classes_) == ["no", "yes"]


def test_our_own_model_at_the_end_of_nested_pipelines():
    inside = GPRegressor(kernels.EQ(1.0, 1.0), noise_variance=0.05, optimize=False, standardize=False)
    inner = Pipeline([("nothing", "passthrough"), ("gp", inside)])
    search = GridSearchCV(make_pipeline(StandardScaler(), inner), {"pipeline__gp__optimize": [False]}, cv=2)
    assert gaps(search.fit(FAR, Y), native(), FAR_ROWS).max() < 1e-9
    with pytest.raises(InputError, match="refit=True"):
        rsens.rsens(clone(search).set_params(refit=False).fit(FAR, Y), X)


class TestTarget:
    """TransformedTargetRegressor."""

    def test_affine(self):
        """A scaler of y is a unit: the noise and the kernel are in it."""
        model = TransformedTargetRegressor(make_pipeline(StandardScaler(), gp()), transformer=StandardScaler())
        model.fit(FAR, 7.0 + 3.0 * Y)
        sd = 3.0 * Y.std()
        kernel = kernels.EQ(sd**2, tuple(SD))
        ours = GPRegressor(kernel, noise_variance=0.05 * sd**2, optimize=False, standardize=False)
        ours.fit(FAR, 3.0 * (Y - Y.mean()))
        assert gaps(model, ours, FAR_ROWS)[1:].max() < 1e-9
        np.testing.assert_allclose(as_model(model).predict_distribution(FAR).mean, model.predict(FAR), rtol=1e-9)

    @pytest.mark.parametrize("factor", [1.0, 2.0])
    def test_log(self, factor):
        model = TransformedTargetRegressor(
            gp(), func=lambda y: factor * np.log(y), inverse_func=lambda t: np.exp(t / factor), check_inverse=False
        ).fit(X, np.exp(Y))
        found, there = record(model), record(gp().fit(X, factor * Y))
        assert isinstance(found.distribution, LogNormal)
        units = np.array([1.0 / factor, 1.0 / factor**2])
        assert gap(found.distribution.parameters, units * there.distribution.parameters) < 1e-12
        assert gap(found.second, units[:, None, None] * there.second) < 1e-12

    def test_other_functions(self):
        model = TransformedTargetRegressor(gp(), func=np.cbrt, inverse_func=lambda t: t**3).fit(X, Y)
        with pytest.raises(InputError, match=r"Explain model\.regressor_ instead"):
            rsens.rsens(model, X)
        assert np.isfinite(rsens.rsens(model.regressor_, X)).all()


class TestRough:
    """Steps without derivatives."""

    def test_bins(self):
        """The whole pipeline by differences over a wide step, and it is said."""
        bins = KBinsDiscretizer(8, encode="ordinal", strategy="uniform")
        model = make_pipeline(bins, StandardScaler(), gp()).fit(X, Y)
        with pytest.warns(RsensWarning, match="piecewise constant"):
            values = rsens.rsens(model, X)
        assert (values.mean(axis=0) > 0.0).all()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RsensWarning)
            assert as_model(model).derivatives(X, 1).first.any()
            with pytest.raises(NoSecondDerivativesError):
                rsens.rsens2(model, X)

    def test_kinks(self):
        model = make_pipeline(QuantileTransformer(n_quantiles=10), gp()).fit(X, Y)
        assert np.isfinite(rsens.rsens(model, X)).all()
        with pytest.warns(RsensWarning, match="no pairs: the step QuantileTransformer"):
            rsens.explain(model, X, null=False, intervals=False)


N = 60
TABLE = pd.DataFrame(
    {
        "temp": np.random.default_rng(1).normal(20.0, 5.0, N),
        "city": np.resize(["Oslo", "Bergen", "Voss"], N),
        "month": np.resize([1, 2, 3, 4], N),
        "rain": np.random.default_rng(2).gamma(2.0, 1.0, N),
    }
)
TARGET = np.sin(TABLE["temp"] / 4) + (TABLE["city"] == "Oslo") + 0.3 * TABLE["rain"] * (TABLE["month"] == 2)


def encoded(*last):
    """One-hot levels and scaled numbers, in an order that is not the table's."""
    numbers = make_pipeline(StandardScaler())
    levels = OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(
        make_column_transformer((levels, ["city", "month"]), (numbers, ["rain", "temp"]), sparse_threshold=0), *last
    )


class TestDataFrames:
    """Text and numbers, encoded: contrasts in the columns that people know."""

    def test_levels_are_compared(self):
        """Months are numbers, but the pipeline takes them for levels."""
        model = encoded(gp()).fit(TABLE, TARGET)
        source, _ = read_for(model, TABLE)
        assert [column.name for column in source.coding.columns] == ["city", "month"]
        assert source.coding[2].labels == (1, 2, 3, 4)
        found = record(model, TABLE)
        assert not found.first[:, :, [1, 2]].any()
        np.testing.assert_allclose(found.distribution.mean, model.predict(TABLE), rtol=1e-9)
        switched = TABLE.assign(city="Voss")
        levels = list(source.coding[1].labels)
        contrast = found.contrasts[0].levels[levels.index("Voss")]
        np.testing.assert_allclose(contrast.mean, model.predict(switched), rtol=1e-9)

    @pytest.mark.parametrize(
        ("last", "call", "wrong", "text"),
        [
            (BayesianRidge(), rsens.rsens, TABLE.drop(columns="rain"), "4 columns .* got 3, without 'rain'"),
            (RandomForestClassifier(5), rsens.explain, TABLE.assign(wind=1.0), "got 5, with 'wind'"),
            (BayesianRidge(), rsens.check, TABLE.rename(columns={"temp": "heat"}), "got 'heat', 'city'"),
            (RandomForestClassifier(5), rsens.rsens, TABLE[["temp", "rain"]].to_numpy(), "4 columns .* got 2"),
            (BayesianRidge(), rsens.rsens, TABLE.assign(temp="warm"), "does not take these rows"),
        ],
    )
    def test_other_rows(self, last, call, wrong, text):
        """Errors speak of columns of X, and not of the encoded ones, which nobody has named."""
        with pytest.raises(InputError, match=text):
            call(encoded(last).fit(TABLE, TARGET > 1.0), wrong)

    @pytest.mark.parametrize("kind", ["array", "pandas"])
    def test_the_same_in_other_containers(self, kind):
        """Columns by position in an array of objects; pandas between the steps."""
        if kind == "array":
            head = make_column_transformer((OneHotEncoder(), [1, 2]), (StandardScaler(), [0, 3]), sparse_threshold=0)
            model, rows = make_pipeline(head, gp()), TABLE.to_numpy()
        else:
            model, rows = encoded(FunctionTransformer(), gp()), TABLE
            model[0].transformers[0][1].set_params(sparse_output=False)
            for step in (model, model[0], model[1]):
                step.set_output(transform="pandas")
        named = encoded(gp()).fit(TABLE, TARGET)
        np.testing.assert_allclose(rsens.rsens(model.fit(rows, TARGET), rows), rsens.rsens(named, TABLE), rtol=1e-6)

    def test_sparse_outputs(self):
        """LogisticRegression takes them unchanged; so do we."""
        head = make_column_transformer((OneHotEncoder(), ["city", "month"]), (StandardScaler(), ["rain", "temp"]))
        model = make_pipeline(head.set_params(sparse_threshold=1.0), LogisticRegression()).fit(TABLE, TARGET > 1.0)
        found = record(model, TABLE)
        weight = model[-1].coef_[0][-1] / TABLE["temp"].std(ddof=0)
        np.testing.assert_allclose(found.first[:, 0, 0], weight * found.distribution.variance, rtol=1e-9)


IMPUTED = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(sparse_output=False))
ORDINAL = make_pipeline(OrdinalEncoder(), BayesianRidge())


@pytest.mark.parametrize(
    ("model", "encoded"),
    [
        (ORDINAL, [0, 1]),
        (make_pipeline(IMPUTED, BayesianRidge()), [0, 1]),
        (make_pipeline(make_pipeline(make_column_transformer((OneHotEncoder(), [1]))), BayesianRidge()), [1]),
        (make_pipeline(StandardScaler(), BayesianRidge()), []),
        (GridSearchCV(ORDINAL, {}, cv=2), [0, 1]),
        (TransformedTargetRegressor(ORDINAL), [0, 1]),
    ],
    ids=["encoder", "imputer and encoder", "nested", "scaler", "search", "target"],
)
def test_numbers_that_are_levels(model, encoded):
    """Whole numbers that go into an encoder are levels, wherever it stands first."""
    rows = np.random.default_rng(0).integers(0, 3, size=(40, 2))
    model.fit(rows, Y)
    source, _ = read_for(model, rows)
    assert ([] if source.coding is None else list(source.coding.categorical)) == encoded
