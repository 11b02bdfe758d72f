"""What NGBoost predicts: its own classes, and the ones that a fitted model returns."""

import numpy as np
import pytest

import rsens
from rsens import InputError, as_family
from tests.conversions import values as v
from tests.conversions.values import Given, check

pytest.importorskip("ngboost")
from ngboost import NGBClassifier, NGBRegressor, NGBSurvival, distns
from ngboost.distns import k_categorical

LOG_SD, LOG_SHAPE, LOG_POSITIVE = np.log(v.SD), np.log(v.SHAPE), np.log(v.POSITIVE)


def given(obj, family, y):
    return Given(type(obj).__name__, obj, family, obj.logpmf if hasattr(obj.dist.dist, "pmf") else obj.logpdf, y)


GIVEN = [
    given(distns.Normal(np.stack([v.MEAN, LOG_SD])), v.NORMAL, v.REAL),
    given(distns.NormalFixedVar(v.MEAN[None]), rsens.Normal(v.MEAN, 1.0), v.REAL),
    given(distns.NormalFixedMean(LOG_SD[None]), rsens.Normal(0.0, v.SD**2), v.REAL),
    given(distns.LogNormal(np.stack([v.MEAN, LOG_SD])), v.LOGNORMAL, v.ABOVE),
    given(distns.Exponential(LOG_POSITIVE[None]), v.EXPONENTIAL, v.ABOVE),
    given(distns.Gamma(np.stack([LOG_SHAPE, LOG_SHAPE - LOG_POSITIVE])), v.GAMMA, v.ABOVE),
    given(distns.Weibull(np.stack([LOG_SHAPE, LOG_POSITIVE])), v.WEIBULL, v.ABOVE),
    given(distns.Beta(np.stack([LOG_POSITIVE, LOG_SHAPE])), v.BETA, v.INSIDE),
    given(distns.Poisson(LOG_POSITIVE[None]), v.POISSON, v.COUNTS),
    given(distns.TFixedDf(np.stack([v.MEAN, LOG_SD])), rsens.StudentT(v.MEAN, v.SD**2, 3.0), v.REAL),
    given(distns.TFixedDfFixedVar(v.MEAN[None]), rsens.StudentT(v.MEAN, 1.0, 3.0), v.REAL),
    given(distns.Cauchy(np.stack([v.MEAN, LOG_SD])), v.CAUCHY, v.REAL),
]


@pytest.mark.parametrize("given", GIVEN, ids=lambda each: each.name)
def test_family_and_density(given):
    check(given)


def test_classes():
    np.testing.assert_array_equal(as_family(distns.Bernoulli(v.LOGIT[None])).logit, v.LOGIT)
    logits = np.log(v.CLASSES[:, 1:] / v.CLASSES[:, :1]).T
    np.testing.assert_allclose(as_family(k_categorical(3)(logits)).probabilities, v.CLASSES, rtol=1e-14)


def test_vectors():
    precision = np.linalg.cholesky(np.linalg.inv(v.COVARIANCE))
    tril = [np.log(precision[:, 0, 0]), precision[:, 1, 0], np.log(precision[:, 1, 1])]
    obj = distns.MultivariateNormal(2)(np.concatenate([v.VECTOR.T, tril]))
    family = as_family(obj)
    # NGBoost adds 1e-6 to the diagonal of its factor.
    np.testing.assert_allclose(family.parameters, v.MULTIVARIATE.parameters, rtol=1e-5, atol=1e-15)
    y = np.repeat(v.PLANE[:1], 3, axis=0)
    np.testing.assert_allclose(family.log_prob(y), obj.logpdf(y), rtol=1e-12)


def test_others():
    with pytest.raises(InputError, match=r"T of ngboost has degrees of freedom that depend on x.*TFixedDf"):
        as_family(distns.T(np.stack([v.MEAN, LOG_SD, LOG_SHAPE])))
    for kind in (distns.Laplace, distns.LogitNormal):
        with pytest.raises(InputError, match=f"{kind.__name__} of ngboost does not correspond"):
            as_family(kind(np.stack([v.MEAN, LOG_SD])))


RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.exp(0.5 * X[:, 0] + 0.1 * RNG.normal(size=40))
SMALL = {"n_estimators": 3, "verbose": False, "random_state": 0}


def test_predictions_of_fitted_models():
    for fitted in (NGBRegressor(Dist=distns.LogNormal, **SMALL).fit(X, Y), NGBSurvival(**SMALL).fit(X, Y, np.ones(40))):
        predicted = fitted.pred_dist(X)
        np.testing.assert_allclose(as_family(predicted).log_prob(Y), predicted.dist.logpdf(Y), rtol=1e-12)
    for classes in (2, 3):
        model = NGBClassifier(Dist=k_categorical(classes), **SMALL).fit(X, np.arange(40) % classes)
        family, want = as_family(model.pred_dist(X)), model.predict_proba(X)
        np.testing.assert_allclose(family.parameters, want[:, 1:] if classes == 2 else want, rtol=1e-12)
