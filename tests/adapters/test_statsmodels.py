"""Results of statsmodels, against our own models with the same data, and against differences of what they predict."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import softmax
from statsmodels.genmod.families import links
from statsmodels.othermod.betareg import BetaModel

import rsens
from rsens import BayesianLinearRegression, InputError, from_function, from_statsmodels
from rsens.adapters import as_model
from rsens.distributions import Beta, Categorical, Gamma, NegativeBinomial, Normal, Poisson, StudentT
from rsens.likelihoods import LogitLikelihood, PoissonLikelihood, ProbitLikelihood

# statsmodels warns of links that could leave the domain of the family; these fits do not.
pytestmark = pytest.mark.filterwarnings("ignore:The (Sqrt|InversePower) link function does not respect")

RNG = np.random.default_rng(0)
N = 80
FRAME = pd.DataFrame(RNG.normal(size=(N, 3)), columns=["a", "b", "c"])
X = sm.add_constant(FRAME)
ETA = 0.2 + 0.6 * FRAME.a - 0.4 * FRAME.b
Y = ETA + RNG.normal(size=N)
BINARY = (ETA + RNG.logistic(size=N) > 0.0).astype(float)
COUNTS = RNG.negative_binomial(4, 4 / (4 + np.exp(ETA)), size=N)
POSITIVE = RNG.gamma(3.0, np.exp(ETA) / 3.0)
SHARES = np.clip(RNG.beta(5.0 / (1.0 + np.exp(-ETA)), 5.0 / (1.0 + np.exp(ETA))), 0.01, 0.99)
CLASSES = np.argmax(RNG.gumbel(size=(N, 3)) + np.outer(ETA, [0.0, 1.0, -0.5]), axis=1)
WEIGHTS = RNG.uniform(0.5, 2.0, N)
SUCCESSES = RNG.binomial(6, 0.4, N)
FAMILIES = sm.families


def glm(y, family, **options):
    return sm.GLM(y, X, family=family, **options).fit()


RESULTS = {
    "ols": lambda: sm.OLS(Y, X).fit(),
    "ols, robust": lambda: sm.OLS(Y, X).fit(cov_type="HC1"),
    "binomial, trials": lambda: glm(np.column_stack([SUCCESSES, 6 - SUCCESSES]), FAMILIES.Binomial()),
    "wls": lambda: sm.WLS(Y, X, weights=WEIGHTS).fit(),
    "gls": lambda: sm.GLS(Y, X, sigma=1.0 / WEIGHTS).fit(),
    "gaussian": lambda: glm(Y, FAMILIES.Gaussian()),
    "gaussian, log": lambda: glm(POSITIVE, FAMILIES.Gaussian(links.Log()), offset=None),
    "binomial": lambda: glm(BINARY, FAMILIES.Binomial()),
    "binomial, probit": lambda: glm(BINARY, FAMILIES.Binomial(links.Probit())),
    "binomial, cloglog": lambda: glm(BINARY, FAMILIES.Binomial(links.CLogLog())),
    "poisson": lambda: glm(COUNTS, FAMILIES.Poisson()),
    "poisson, sqrt": lambda: glm(COUNTS, FAMILIES.Poisson(links.Sqrt())),
    "negative binomial": lambda: glm(COUNTS, FAMILIES.NegativeBinomial(alpha=0.3)),
    "gamma": lambda: glm(POSITIVE, FAMILIES.Gamma(links.Log())),
    "gamma, inverse": lambda: sm.GLM(POSITIVE + 3.0, X, family=FAMILIES.Gamma()).fit(),
    "logit": lambda: sm.Logit(BINARY, X).fit(disp=0),
    "probit": lambda: sm.Probit(BINARY, X).fit(disp=0),
    "counts": lambda: sm.Poisson(COUNTS, X).fit(disp=0),
    "nb2": lambda: sm.NegativeBinomial(COUNTS, X).fit(disp=0),
    "nb1": lambda: sm.NegativeBinomial(COUNTS, X, loglike_method="nb1").fit(disp=0),
    "geometric": lambda: sm.NegativeBinomial(COUNTS, X, loglike_method="geometric").fit(disp=0),
    "classes": lambda: sm.MNLogit(CLASSES, X).fit(disp=0),
    "beta": lambda: BetaModel(SHARES, X).fit(disp=0),
    "beta, probit": lambda: BetaModel(SHARES, X, link=links.Probit()).fit(disp=0),
    "beta, cloglog": lambda: BetaModel(SHARES, X, link=links.CLogLog()).fit(disp=0),
}
#: Links for which the mean over uncertain coefficients is not known.
PLUG_IN = {"gaussian, log", "binomial, cloglog", "poisson, sqrt", "gamma, inverse", "beta, cloglog"}


def moments(results):
    """Mean and variance of the linear predictor at the rows, from what statsmodels says."""
    columns = X.shape[1]
    C = np.asarray(results.cov_params())[:columns, :columns]
    design = X.to_numpy()
    return design @ np.asarray(results.params)[:columns], np.einsum("np,pq,nq->n", design, C, design)


# ---- predictions -----------------------------------------------------------------------------------------------------


def test_ols_is_our_linear_regression():
    """The same flat prior, the same data; statsmodels inverts XᵀX by a pseudo-inverse."""
    results, ours = RESULTS["ols"](), BayesianLinearRegression().fit(FRAME, Y)
    here, there = as_model(results).predict_distribution(X), ours.predict_distribution(FRAME)
    assert isinstance(here, StudentT)
    np.testing.assert_allclose(here.parameters, there.parameters, rtol=2e-13, atol=1e-14)
    np.testing.assert_array_equal(here.df, there.df)
    np.testing.assert_allclose(rsens.rsens(results, X)[:, 1:], rsens.rsens(ours, FRAME), rtol=1e-12)
    np.testing.assert_allclose(rsens.rsens2(results, X)[:, 1:, 1:], rsens.rsens2(ours, FRAME), rtol=1e-11)


@pytest.mark.parametrize("name", ["ols", "ols, robust", "wls", "gls"])
def test_linear_models_have_the_spread_of_an_observation(name):
    results = RESULTS[name]()
    here = as_model(results).predict_distribution(X)
    prediction = results.get_prediction(X, weights=np.ones(N))  # an observation of weight 1
    np.testing.assert_allclose(here.location, prediction.predicted_mean, rtol=1e-12)
    np.testing.assert_allclose(here.scale2, prediction.se_obs**2, rtol=1e-12)
    assert (here.df == results.df_resid).all()


def beta(mean, results):
    precision = np.exp(results.params["precision"])
    return Beta(mean * precision, (1.0 - mean) * precision)


def through(likelihood):
    return lambda results, mean: likelihood.predictive(*moments(results))


FAMILIES_OF = {
    **dict.fromkeys(("binomial", "logit"), through(LogitLikelihood())),
    **dict.fromkeys(("binomial, probit", "probit"), through(ProbitLikelihood())),
    **dict.fromkeys(("poisson", "counts"), through(PoissonLikelihood())),
    "gaussian": lambda results, mean: Normal(moments(results)[0], results.scale + moments(results)[1]),
    "beta": lambda results, mean: beta(LogitLikelihood().predictive(*moments(results)).mean, results),
    "negative binomial": lambda results, mean: NegativeBinomial(mean, 1.0 / 0.3),
    "nb2": lambda results, mean: NegativeBinomial(mean, 1.0 / results.params["alpha"]),
    "nb1": lambda results, mean: NegativeBinomial(mean, mean / results.params["alpha"]),
    "geometric": lambda results, mean: NegativeBinomial(mean, np.ones(N)),
    "gamma": lambda results, mean: Gamma(mean, np.full(N, 1.0 / results.scale)),
}


@pytest.mark.parametrize("name", FAMILIES_OF)
def test_parameters_of_the_families(name):
    """The mean is exp(m + v/2), the other parameters are what statsmodels estimated."""
    results = RESULTS[name]()
    m, v = moments(results)
    expected = FAMILIES_OF[name](results, np.exp(m + 0.5 * v)).checked(N)
    found = as_model(results).predict_distribution(X)
    assert type(found) is type(expected)
    np.testing.assert_allclose(found.parameters, expected.parameters, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name in RESULTS if name not in ("ols", "ols, robust", "wls", "gls")])
def test_plug_in_is_what_statsmodels_predicts(name):
    """Mean and variance of `get_distribution`, or of `predict` where there is none."""
    results = RESULTS[name]()
    found = from_statsmodels(results, uncertainty=False).predict_distribution(X)
    predicted = np.asarray(results.predict(X))
    if isinstance(found, Categorical):
        np.testing.assert_allclose(found.parameters, predicted, rtol=1e-12)
        return
    np.testing.assert_allclose(found.mean, predicted, rtol=1e-12)
    if name.startswith(("logit", "probit", "binomial")):
        return  # statsmodels' own distribution of classes is the mean alone
    if name.startswith("beta"):
        variance = results.get_distribution(X, exog_precision=np.ones((N, 1))).var()
    else:
        variance = results.get_distribution(X).var()
    np.testing.assert_allclose(found.variance, variance, rtol=1e-9)


def test_classes_average_over_the_coefficients():
    """Against 200,000 random draws of the coefficients: their mean has a standard error of 2e-4 at most."""
    results = RESULTS["classes"]()
    rows = X.iloc[:5].to_numpy()
    rng = np.random.default_rng(1)
    mean = np.asarray(results.params).T.ravel()  # class by class, as the covariance has it
    draws = rng.multivariate_normal(mean, np.asarray(results.cov_params()), 200_000).reshape(-1, 2, 4)
    eta = np.einsum("np,skp->nsk", rows, draws)
    expected = softmax(np.concatenate([np.zeros_like(eta[..., :1]), eta], axis=2), axis=2).mean(axis=1)
    found = as_model(results).predict_distribution(X.iloc[:5])
    plugged = from_statsmodels(results, uncertainty=False).predict_distribution(X.iloc[:5])
    np.testing.assert_allclose(found.parameters, expected, atol=1e-3)
    assert np.abs(plugged.parameters - expected).max() > 4e-3  # so that the average is seen
    assert list(as_model(results).classes_) == ["0", "1", "2"]


# ---- derivatives -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RESULTS)
def test_derivatives_of_the_prediction(name):
    """Central differences of the prediction: right to 1e-8 (first) and 1e-5 (second) of the largest."""
    rows = X.iloc[:12].to_numpy()
    model = from_statsmodels(RESULTS[name](), uncertainty=name not in ("nb1", "logit"))
    exact = model.derivatives(rows, 2)
    differences = from_function(model.predict_distribution, scale=1.0).derivatives(rows, 2)
    for order, (found, expected) in enumerate(
        [(exact.first, differences.first), (exact.second, differences.second)], start=1
    ):
        size = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=0, atol=(1e-8 if order == 1 else 1e-5) * size)
    np.testing.assert_array_equal(model.derivatives(rows, 1).first, exact.first)


# ---- descriptions, findings and errors -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RESULTS)
def test_every_model_is_described(name):
    model = as_model(RESULTS[name]())
    assert "statsmodels" in model.description.model
    assert model.description.family.startswith(type(model.predict_distribution(X)).__name__)
    assert ("taking coefficients as known" in model.description.noise) == (name in PLUG_IN)
    assert ("one trial" in model.description.family) == (name == "binomial, trials")
    assert ("weight 1" in model.description.noise) == (name in ("wls", "gls"))
    verdicts = {finding.name: finding.verdict for finding in model.checks(X)}
    assert verdicts["coefficients"] == ("warning" if name in PLUG_IN else "ok")
    assert "convergence" not in verdicts


def test_overdispersion_and_failed_fits_are_found():
    scaled = sm.GLM(COUNTS, X, family=FAMILIES.Poisson()).fit(scale="X2")
    assert {f.name: f.verdict for f in as_model(scaled).checks(X)}["dispersion"] == "warning"
    with pytest.warns(Warning, match="converge"):
        stopped = sm.Logit(BINARY, X).fit(maxiter=1, disp=0)
    assert {f.name: f.verdict for f in as_model(stopped).checks(X)}["convergence"] == "wrong"


def test_offsets_must_be_said():
    results = sm.GLM(COUNTS, X, family=FAMILIES.Poisson(), exposure=WEIGHTS).fit()
    with pytest.raises(InputError, match=r"fitted with an exposure.*from_statsmodels\(results, offset=0.0\)"):
        rsens.rsens(results, X)
    with pytest.raises(InputError, match="fitted with an offset"):
        rsens.rsens(sm.Poisson(COUNTS, X, offset=WEIGHTS).fit(disp=0), X)
    model = from_statsmodels(results, uncertainty=False, offset=np.log(3.0))
    found = model.predict_distribution(X)
    assert isinstance(found, Poisson)
    np.testing.assert_allclose(found.mean, results.predict(X, exposure=np.full(N, 3.0)), rtol=1e-12)


def without_data():
    results = RESULTS["ols"]()
    results.remove_data()
    return results


WRONG = {
    "not fitted": (lambda: sm.OLS(Y, X), "got OLS of statsmodels"),
    "another model": (lambda: sm.RLM(Y, X).fit(), "RLM"),
    "without data": (lambda: without_data(), "lost its data"),
    "autocorrelated": (lambda: sm.GLSAR(Y, X, 1).fit(), "GLSAR"),
    "penalised": (lambda: sm.Logit(BINARY, X).fit_regularized(disp=0, alpha=5.0), "no covariance"),
    "another family": (lambda: glm(POSITIVE, FAMILIES.InverseGaussian(links.Log())), "InverseGaussian family"),
    "precision by columns": (
        lambda: BetaModel(SHARES, X, exog_precision=X[["const", "a"]].to_numpy()).fit(disp=0),
        "two sets of columns",
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_read(name):
    make, text = WRONG[name]
    with pytest.raises(InputError, match=text):
        rsens.rsens(make(), X)


def test_columns_of_exog():
    results = RESULTS["ols"]()
    with pytest.raises(InputError, match=r"4 columns of exog; got 3, without 'const'. sm.add_constant"):
        rsens.rsens(results, FRAME)
    with pytest.raises(InputError, match="in their order"):
        rsens.rsens(results, X[["const", "b", "a", "c"]])
    plain = sm.OLS(Y, X.to_numpy()).fit()
    np.testing.assert_allclose(rsens.rsens(plain, X), rsens.rsens(results, X), rtol=1e-12)
    with pytest.raises(InputError, match="from_statsmodels: results must come from fit"):
        from_statsmodels(BayesianLinearRegression())
