"""GPRegressor and GPClassifier: against scikit-learn, differences and each other; hard data; the estimator's duties."""

import math
import warnings
from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process import kernels as sk

import rsens
from rsens._errors import InputError, RsensWarning
from rsens.distributions import Normal
from rsens.kernels import EQ, Constant, Linear, Matern52, Periodic, RationalQuadratic, additive
from rsens.kernels import Categorical as CategoricalKernel
from rsens.likelihoods import PoissonLikelihood, ProbitLikelihood, StudentTLikelihood
from rsens.models import _gp, _inference
from rsens.models._gp import GPClassifier, GPRegressor
from tests.differences import of_rows

#: Columns with different units, none of them centred.
SCALES, CENTRES = np.array([2.0, 30.0, 0.1]), np.array([5.0, -40.0, 3.0])
LIKELIHOODS = ("gaussian", "student_t", "poisson", "negative_binomial")


def inputs(n=40, seed=0):
    return CENTRES + SCALES * np.random.default_rng(seed).normal(size=(n, 3))


def signal(X):
    U = (X - CENTRES) / SCALES
    return np.sin(U[:, 0]) + 0.5 * U[:, 1] + 0.4 * U[:, 0] * U[:, 2]


def targets(likelihood, X, seed=1):
    rng, f = np.random.default_rng(seed), signal(X)
    if likelihood == "poisson":
        return rng.poisson(np.exp(1.0 + f)).astype(float)
    if likelihood == "negative_binomial":
        return rng.negative_binomial(5.0, 5.0 / (5.0 + np.exp(1.0 + f))).astype(float)
    return 100.0 + 20.0 * (f + 0.3 * rng.normal(size=len(X)))


def labels(X, classes, seed=1):
    noisy = signal(X) + 0.3 * np.random.default_rng(seed).normal(size=len(X))
    return np.array(["a", "b", "c"])[np.digitize(noisy, [0.0] if classes == 2 else [-0.5, 0.5])]


ONE = {"n_restarts": 0, "random_state": 0}


def fitted(likelihood, **settings):
    X = inputs()
    return GPRegressor(likelihood=likelihood, **ONE, **settings).fit(X, targets(likelihood, X))


def test_the_fit_is_no_worse_than_that_of_scikit_learn():
    X = inputs()
    y = targets("gaussian", X)
    model = GPRegressor(priors=None, random_state=0).fit(X, y)
    U, z = (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()
    kernel = sk.ConstantKernel(1.0, (1e-7, 1e7)) * sk.RBF(np.ones(3), (1e-6, 1e6)) + sk.WhiteKernel(0.1, (1e-8, 1e3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an irrelevant length-scale at its limit
        theirs = GaussianProcessRegressor(kernel, alpha=0.0, n_restarts_optimizer=2, random_state=0).fit(U, z)
    expected = theirs.log_marginal_likelihood_value_ - len(y) * np.log(y.std())
    assert model.log_marginal_likelihood_ >= expected - 1e-6 * abs(expected)


GIVEN = [
    *((name, {}) for name in LIKELIHOODS),
    *((name, {"inducing": 12}) for name in ("gaussian", "poisson")),
    *(({"link": link, "classes": classes}, {}) for link, classes in (("probit", 2), ("logit", 3))),
]


@pytest.mark.parametrize(("likelihood", "settings"), GIVEN, ids=str)
def test_derivatives_are_those_of_differences(likelihood, settings):
    if isinstance(likelihood, str):
        model = fitted(likelihood, **settings)
        nearest = model.inducing_inputs_ if settings else inputs()
    else:
        nearest = inputs()
        model = GPClassifier(link=likelihood["link"], **ONE).fit(nearest, labels(nearest, likelihood["classes"]))
    X, unit = np.vstack([nearest[:3], inputs(4, seed=5)]), model.input_scale_
    record = model.derivatives(X, 2)
    first, second = of_rows(lambda X: model.predict_distribution(X).parameters, X, 0.01 * unit)
    for m in range(first.shape[1]):
        slope, bend = first[:, m] * unit, second[:, m] * np.outer(unit, unit)
        np.testing.assert_allclose(record.first[:, m] * unit, slope, atol=1e-5 * np.abs(slope).max(), rtol=0)
        bound = 1e-5 * np.abs(bend).max()
        np.testing.assert_allclose(record.second[:, m] * np.outer(unit, unit), bend, atol=bound, rtol=0)
    np.testing.assert_allclose(record.distribution.parameters, model.predict_distribution(X).parameters, rtol=1e-10)
    np.testing.assert_allclose(model.derivatives(X, 1).first, record.first, rtol=1e-9, atol=1e-12)


def test_sensitivities_are_those_of_automatic_differentiation():
    """R-sens and R-sens₂ of the whole model, written a second time in JAX, at training rows and elsewhere."""
    import jax.numpy as jnp

    X = inputs()
    y = targets("gaussian", X)
    model = GPRegressor(EQ(0.9, (1.2, 2.0, 1.5)), noise_variance=0.05, optimize=False).fit(X, y)
    lengthscale, variance, noise = np.array(model.kernel_.lengthscale), model.kernel_.variance, model.noise_variance_

    def k(A, B):
        return variance * jnp.exp(-0.5 * jnp.sum(((A[:, None] - B[None]) / lengthscale) ** 2, -1))

    def predictive(x):
        inverse = jnp.linalg.inv(k(X, X) + noise * jnp.eye(len(X)))
        kx = k(x, X)
        mean = y.mean() + kx @ inverse @ (y - y.mean())
        return Normal(mean, variance + noise - jnp.einsum("ij,jk,ik->i", kx, inverse, kx))

    automatic = rsens.from_jax(predictive)
    rows = np.vstack([X[:4], inputs(6, seed=5)])
    for measure in (rsens.rsens, rsens.rsens2):
        np.testing.assert_allclose(measure(model, rows), measure(automatic, rows), rtol=1e-8)


@pytest.mark.parametrize(
    "kernel",
    [
        EQ(1.2, 0.9),
        Matern52(0.8, (0.9, 1.3, 2.0)),
        Linear(0.7) + Constant(0.4),
        Periodic(0.9, (1.1, 1.2), 3.0, dims=(0, 1)) * RationalQuadratic(1.2, 1.4, 0.8)
        + Linear((0.3, 0.2), dims=(2, 0)),
        additive(3, [(0, 2)]),
        EQ(1.0, 1.2, dims=(0, 1)) * CategoricalKernel(0.9, 0.8, dims=(2,)),
    ],
    ids=["eq", "matern", "linear", "periodic", "additive", "categorical"],
)
def test_reported_hyperparameters_make_the_same_model_in_the_units_of_the_data(kernel):
    X = inputs()
    X[:, 2] = np.round(X[:, 2], 1)  # levels
    y = targets("gaussian", X)
    inside = GPRegressor(kernel, noise_variance=0.2, optimize=False).fit(X, y)
    outside = GPRegressor(inside.kernel_, noise_variance=inside.noise_variance_, optimize=False, standardize=False).fit(
        X - inside.input_mean_, y - y.mean()
    )
    new = np.vstack([X[:4], X[:4] + np.array([1.0, 5.0, 0.1])])
    first, second = inside.predict_distribution(new), outside.predict_distribution(new - inside.input_mean_)
    np.testing.assert_allclose(first.mean, second.mean + y.mean(), rtol=1e-9)
    np.testing.assert_allclose(first.variance, second.variance, rtol=1e-9)
    assert inside.log_marginal_likelihood_ == pytest.approx(outside.log_marginal_likelihood_, rel=1e-9)
    assert inside.noise_variance_ == pytest.approx(0.2 * y.var())


@pytest.mark.parametrize("scale", [1e-6, 1e9])
def test_units_of_y_and_x_do_not_matter(scale):
    X = inputs()
    y = targets("gaussian", X)
    model = GPRegressor(n_restarts=0).fit(X, y)
    rescaled = GPRegressor(n_restarts=0).fit(X * scale, y * scale)
    new = inputs(5, seed=5)
    np.testing.assert_allclose(rescaled.predict(new * scale), model.predict(new) * scale, rtol=1e-5)
    assert rescaled.noise_variance_ == pytest.approx(model.noise_variance_ * scale**2, rel=1e-4)
    np.testing.assert_allclose(rsens.rsens(rescaled, new * scale) * scale, rsens.rsens(model, new), rtol=1e-3)


def test_the_mean_far_from_the_data():
    X = inputs()
    model = GPRegressor(EQ(1.0, 1.0), standardize=False, optimize=False).fit(X, targets("gaussian", X))
    np.testing.assert_allclose(model.predict(X + 1e4), 0.0, atol=1e-12)
    counts = GPRegressor(EQ(0.5, 1.0), "poisson", standardize=False, optimize=False).fit(X, targets("poisson", X))
    np.testing.assert_allclose(counts.predict(X + 1e4), np.exp(0.25), rtol=1e-12)
    np.testing.assert_array_equal(model.input_mean_, 0.0)
    for likelihood in ("poisson", "negative_binomial"):  # standardised, it means the log of the mean count
        y = targets(likelihood, X)
        model = GPRegressor(EQ(0.5, 1.0), likelihood, optimize=False).fit(X, y)
        np.testing.assert_allclose(model.predict(X + 1e5), y.mean() * np.exp(0.25), rtol=1e-10)


def test_an_offset_is_the_log_of_the_exposure():
    X, rng = inputs(60), np.random.default_rng(0)
    exposure = rng.uniform(0.5, 20.0, 60)
    y = rng.poisson(exposure * np.exp(signal(X)))
    model = GPRegressor(likelihood="poisson", random_state=0).fit(X, y, offset=np.log(exposure))
    np.testing.assert_allclose(np.log(model.predict(X)), signal(X), atol=0.9)
    assert np.corrcoef(np.log(model.predict(X)), signal(X))[0, 1] > 0.97
    np.testing.assert_allclose(model.predict(X, offset=np.log(2.0)), 2.0 * model.predict(X), rtol=1e-12)
    per_row = model.derivatives(X[:3], 1, offset=np.log([1.0, 2.0, 3.0])).first
    np.testing.assert_allclose(per_row[:, 0], model.derivatives(X[:3], 1).first[:, 0] * [[1.0], [2.0], [3.0]])
    # The same exposure for all is only another unit of the rate.
    one, ten = (
        GPRegressor(likelihood="poisson", n_restarts=0).fit(X, y, offset=np.full(60, np.log(c))) for c in (1.0, 10.0)
    )
    np.testing.assert_allclose(10.0 * ten.predict(X), one.predict(X), rtol=1e-4)


def test_an_offset_of_real_targets_is_subtracted():
    X = inputs()
    y = targets("gaussian", X)
    offset = np.linspace(-50.0, 50.0, len(y))
    for settings in (ONE, {"kernel": EQ(100.0, 3.0), "standardize": False, "optimize": False}):
        model, plain = GPRegressor(**settings).fit(X, y, offset=offset), GPRegressor(**settings).fit(X, y - offset)
        np.testing.assert_allclose(model.predict(X), plain.predict(X), rtol=1e-9)
        np.testing.assert_allclose(model.predict(X, offset=offset), plain.predict(X) + offset, rtol=1e-9)


def test_without_restarts_the_search_starts_from_the_kernel():
    """A start far away stays there: random starts would leave it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 1))
    y = np.sin(3.0 * X[:, 0]) + 0.1 * rng.normal(size=30)
    stuck = GPRegressor(EQ(1.0, 1e6), priors=None, n_restarts=0, random_state=0).fit(X, y)
    free = GPRegressor(EQ(1.0, 1e6), priors=None, n_restarts=3, random_state=0).fit(X, y)
    assert free.log_marginal_likelihood_ > stuck.log_marginal_likelihood_ + 10.0


def test_weak_priors_keep_the_noise_from_collapsing():
    """The paper's second simulation: twelve columns, three interactions, 50 rows, noise variance 0.25."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 12))
    x = X.T
    main = x[0] + 0.8 * x[1] + x[2] + 0.8 * np.tanh(2 * x[3]) + 0.6 * (x[4] ** 2 - 1) + 0.6 * np.sin(1.5 * x[5])
    main += 0.5 * x[6] + 0.8 * np.exp(-(x[7] ** 2) / 2)
    y = main + x[0] * x[1] + x[2] * x[8] + x[10] * x[11] + 0.5 * rng.normal(size=50)
    noise = {priors: GPRegressor(priors=priors, random_state=0).fit(X, y).noise_variance_ for priors in ("weak", None)}
    assert noise[None] < 1e-6
    assert 0.03 < noise["weak"] < 0.5


def test_a_start_on_some_of_the_rows_ends_where_all_rows_lead(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3))
    y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.2 * rng.normal(size=700)
    settings = {"n_restarts": 0, "random_state": 0}
    warm = GPRegressor(**settings).fit(X, y)
    monkeypatch.setattr(_inference, "MANY_ROWS", 1000)
    direct = GPRegressor(**settings).fit(X, y)
    np.testing.assert_allclose(warm.kernel_.theta, direct.kernel_.theta, atol=2e-3)
    assert warm.log_marginal_likelihood_ == pytest.approx(direct.log_marginal_likelihood_, abs=1e-2)
    assert warm.n_iter_ != direct.n_iter_


def test_many_rows_choose_inducing_inputs(monkeypatch):
    X = inputs(60)
    y = targets("gaussian", X)
    monkeypatch.setattr(_gp, "MOST_EXACT_ROWS", 50)
    monkeypatch.setattr(_gp, "INDUCING", 20)
    assert len(GPRegressor(optimize=False).fit(X, y).inducing_inputs_) == 20
    assert GPRegressor(optimize=False, inducing=math.inf).fit(X, y).inducing_inputs_ is None
    assert GPRegressor(optimize=False, inducing=60).fit(X, y).inducing_inputs_ is None
    classifier = GPClassifier(optimize=False).fit(X, labels(X, 3))
    assert [len(Z) for Z in classifier.inducing_inputs_] == [20, 20, 20]


RNG = np.random.default_rng(0)
A = RNG.normal(size=(30, 3))
B = A[:, 0] + 0.1 * RNG.normal(size=30)
HARD = {
    "duplicated rows": (np.repeat(A[:10], 3, axis=0), B),
    "duplicated rows and targets": (np.repeat(A[:10], 3, axis=0), np.repeat(B[:10], 3)),
    "collinear columns": (np.column_stack([A, A @ [1.0, 2.0, 3.0], A[:, 0]]), B),
    "constant column": (np.column_stack([A, np.full(30, 0.1)]), B),
    "all columns constant": (np.full((30, 2), 0.1), B),
    "five rows": (A[:5], B[:5]),
    "one row": (A[:1], B[:1]),
    "fifty columns": (RNG.normal(size=(30, 50)), B),
    "constant target": (A, np.full(30, 7.0)),
    "noise-free": (A, A[:, 0] ** 2),
    "large offset": (A + 1e8, B + 1e8),
    "outlier": (np.vstack([A[1:], [[1e6, 0.0, 0.0]]]), B),
}
WELL_FITTED = ("collinear columns", "constant column", "duplicated rows and targets", "noise-free", "large offset")


@pytest.mark.parametrize("priors", ["weak", None])
@pytest.mark.parametrize("name", HARD)
def test_hard_data_works(name, priors):
    X, y = HARD[name]
    copies = name == "duplicated rows and targets"
    with pytest.warns(RsensWarning, match="exact copies") if copies else nullcontext():
        model = GPRegressor(priors=priors, **ONE).fit(X, y)
    record = model.derivatives(X, 2)  # checks that all values are finite
    assert (record.distribution.variance > 0.0).all()
    assert name not in WELL_FITTED or model.score(X, y) > 0.95
    if name == "constant target":
        np.testing.assert_allclose(model.predict(X), 7.0, rtol=1e-6)


WRONG = [
    ("kernel", "rbf"),
    *(("likelihood", wrong) for wrong in ("normal", ProbitLikelihood())),
    *(("n_restarts", wrong) for wrong in (-1, 1.5)),
    *(("inducing", wrong) for wrong in (0, 2.5, "all")),
    ("noise_variance", -1.0),
    ("priors", "strong"),
    ("link", "cloglog"),
    ("tolerance", 0.0),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=repr)
def test_wrong_settings_are_named(name, wrong):
    X = inputs(10)
    kind, y = (GPClassifier, labels(X, 2)) if name == "link" else (GPRegressor, targets("gaussian", X))
    with pytest.raises(InputError) as raised:
        kind(**{name: wrong}).fit(X, y)
    assert raised.value.argument == name


def test_a_likelihood_can_be_given():
    model = fitted(StudentTLikelihood(0.3, df=7.0))
    assert model.likelihood_.df == 7.0
    assert model.noise_variance_ == model.likelihood_.scale2
    assert fitted("poisson").likelihood_ == PoissonLikelihood()
    assert fitted("poisson").noise_variance_ is None
    with pytest.raises(InputError, match="negative"):
        GPRegressor(likelihood="poisson").fit(inputs(10), -np.ones(10))
