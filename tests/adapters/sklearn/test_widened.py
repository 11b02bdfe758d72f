"""Refits with further columns: pipelines that name their columns, kernels that count them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, PolynomialFeatures, StandardScaler

from rsens._errors import InputError
from rsens.adapters import widened
from tests.adapters.sklearn.cases import X, Y
from tests.few_probes import explain_with_probes

rng = np.random.default_rng(3)
TABLE = pd.DataFrame(
    {"city": np.resize(["Oslo", "Bergen"], 60), "temp": rng.normal(size=60), "rain": rng.normal(size=60)}
)
TARGET = (TABLE["city"] == "Oslo") + np.sin(2.0 * TABLE["temp"]) + 0.2 * rng.normal(size=60)
#: One column more of each kind, made like the city, the rain and the temperature.
WIDE = TABLE.assign(p0=TABLE["city"][::-1].to_numpy(), p1=TABLE["rain"] + 1.0, p2=TABLE["temp"] + 1.0)
ORIGIN = [0, 1, 2, 0, 2, 1]


def head(city=("city",), numbers=("rain", "temp"), encoder=None):
    encoder = OneHotEncoder(sparse_output=False) if encoder is None else encoder
    return make_column_transformer((encoder, list(city)), (StandardScaler(), list(numbers)))


def taken(model):
    """The columns that the parts of a ColumnTransformer take."""
    return [columns for _, _, columns in model.transformers]


@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a search"])
def test_columns_go_where_the_ones_they_are_made_like_go(inside):
    """Categories that were given are given for each column."""
    model = make_pipeline(head(encoder=OrdinalEncoder(categories=[["Bergen", "Oslo"]])), BayesianRidge())
    wrapped = GridSearchCV(TransformedTargetRegressor(model, transformer=StandardScaler()), {}) if inside else model
    wide = widened(wrapped, WIDE, TARGET, ORIGIN)
    pipeline = wide.estimator.regressor if inside else wide
    assert taken(pipeline[0]) == [["city", "p0"], ["rain", "temp", "p1", "p2"]]
    assert pipeline[0].transformers[0][1].categories == [["Bergen", "Oslo"]] * 2
    assert taken(model[0]) == [["city"], ["rain", "temp"]]  # the user's own stays as it is
    assert inside or wide.fit(WIDE, TARGET)[-1].n_features_in_ == 6


def test_by_position():
    model = make_pipeline(
        make_column_transformer((StandardScaler(), slice(0, 1)), ("passthrough", [1])), BayesianRidge()
    )
    wide = widened(model, np.c_[X, X], Y, [0, 1, 2, 1, 0, 2])
    assert taken(wide[0]) == [[0, 4], [1, 3]]  # column 2 is dropped, and so is what is made like it


def gp(scales, **settings):
    return GaussianProcessRegressor(2.0 * RBF(scales) + WhiteKernel(0.1), **settings)


class TestLengthScales:
    def test_of_the_columns_themselves(self):
        wide = widened(gp([1.0, 2.0, 3.0], optimizer=None), np.c_[X, X[:, :2]], Y, [0, 1, 2, 2, 0])
        np.testing.assert_array_equal(wide.kernel.get_params()["k1__k2__length_scale"], [1, 2, 3, 3, 1])
        wide = widened(make_pipeline(StandardScaler(), gp([1.0, 2.0, 3.0])), np.c_[X, X[:, :2]], Y, [0, 1, 2, 2, 0])
        np.testing.assert_array_equal(wide[-1].kernel.get_params()["k1__k2__length_scale"], [1, 2, 3, 3, 1])

    def test_behind_a_pipeline(self):
        """As many as the steps make of the further columns."""
        model = make_pipeline(head(), gp([1.5] * 4, optimizer=None))
        wide = widened(model, WIDE, TARGET, ORIGIN)
        np.testing.assert_allclose(wide[-1].kernel.get_params()["k1__k2__length_scale"], [1.5] * 8)
        model = make_pipeline(PolynomialFeatures(2), gp([1.5] * 10, optimizer=None))
        wide = widened(model, np.c_[X, X[:, 0]], Y, [0, 1, 2, 0])
        assert wide.fit(np.c_[X, X[:, 0]], Y)[-1].n_features_in_ == 15

    def test_fixed_ones_cannot_be_guessed(self):
        model = make_pipeline(head(), gp([1.0, 2.0, 3.0, 4.0], optimizer=None))
        with pytest.raises(InputError, match="no fixed length-scales"):
            widened(model, WIDE, TARGET, ORIGIN)


def test_others_stay_as_they_are():
    for model in (LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression()), object()):
        assert widened(model, np.c_[X, X], Y, [0, 1, 2, 0, 1, 2]) is model


def test_the_null_level_of_a_pipeline():
    """Probes of the city go through the encoder, and probes of numbers through the scaler: every term has a level.

    A ColumnTransformer drops columns that it does not name. Their R-sens is 0, and everything would be above it.
    """
    model = make_pipeline(head(), gp([2.0] * 4, optimizer=None)).fit(TABLE, TARGET)
    found = explain_with_probes(model, TABLE, TARGET, random_state=0, n_probes=20, pairs=False)
    assert (found.null > 0.05 * found.main.max()).all()
    assert found.main["rain"] < found.null["rain"]
    assert found.main["city"] > found.null["city"]
    assert found.main["temp"] > found.null["temp"]
