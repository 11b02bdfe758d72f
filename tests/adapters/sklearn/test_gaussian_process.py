"""Gaussian processes against our own with the same hyperparameters, and scikit-learn's kernels as ours."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    CompoundKernel,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    ExpSineSquared,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)

import rsens
from rsens import GPClassifier, GPRegressor, RsensWarning, kernels
from rsens._errors import InputError
from rsens.adapters import as_model
from rsens.adapters._adapter import NoTranslationError
from rsens.adapters._sklearn._gaussian_process import ExpSineSquared as OurExpSineSquared
from rsens.adapters._sklearn._gaussian_process import translated
from rsens.kernels import EQ, Periodic
from tests.adapters.sklearn.cases import LABELS, ROWS, THREE, X, Y, by_richardson, gap, gaps, record

# ---- regression ------------------------------------------------------------------------------------------------------

NOISE = 0.05
PAIRS = {
    "RBF": (2.0 * RBF([1.0, 2.0, 3.0]), kernels.EQ(2.0, (1.0, 2.0, 3.0))),
    "Matern 5/2": (2.0 * Matern(1.3, nu=2.5), kernels.Matern52(2.0, 1.3)),
    "Matern 3/2": (2.0 * Matern([1.0, 2.0, 3.0], nu=1.5), kernels.Matern32(2.0, (1.0, 2.0, 3.0))),
    "sum": (
        RationalQuadratic(1.3, 0.7) + 0.5 * DotProduct(0.5),
        kernels.RationalQuadratic(1.0, 1.3, 0.7) + kernels.Linear(0.5) + kernels.Constant(0.125),
    ),
    "product": (
        RBF(1.0) * (2.0 * RBF(2.0) + ConstantKernel(3.0)),
        kernels.EQ(1.0, 1.0) * (kernels.EQ(2.0, 2.0) + kernels.Constant(3.0)),
    ),
}


def fitted(kernel, **settings):
    return GaussianProcessRegressor(kernel, optimizer=None, **settings).fit(X, Y)


def native(kernel, noise=NOISE, y=Y):
    return GPRegressor(kernel, noise_variance=noise, optimize=False, standardize=False).fit(X, y)


def test_white_noise():
    """The default alpha of 1e-10 stays in scikit-learn's Cholesky factor: it is all that differs."""
    kernel, ours = PAIRS["RBF"]
    model = fitted(kernel + WhiteKernel(NOISE))
    assert gaps(model, native(ours)).max() < 1e-8
    mean, sd = model.predict(ROWS, return_std=True)
    found = as_model(model).predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.variance, sd**2, rtol=1e-10)
    assert [finding.verdict for finding in as_model(model).checks(ROWS)] == ["ok"]
    np.testing.assert_array_equal(as_model(model).training_inputs_, X)


def test_without_noise():
    """It works, with a warning and a finding."""
    model = fitted(RBF(1.0))
    with pytest.warns(RsensWarning, match="no noise"):
        values = rsens.rsens(model, ROWS[12:])
    assert np.isfinite(values).all()
    assert [finding.verdict for finding in as_model(model).checks(ROWS)] == ["warning"]


@pytest.mark.parametrize("name", PAIRS)
def test_alpha_is_noise(name):
    """Nothing differs any more. The noise is in our variance, and not in scikit-learn's."""
    kernel, ours = PAIRS[name]
    model = fitted(kernel, alpha=NOISE)
    assert gaps(model, native(ours)).max() < 1e-11
    _, sd = model.predict(ROWS, return_std=True)
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).variance, sd**2 + NOISE, rtol=1e-10)
    assert as_model(model).description.noise == "included: 0.05 (alpha)"


def test_length_scales():
    """The baseline that ranks by them reads the translated kernel."""
    model, ours = fitted(PAIRS["RBF"][0] + WhiteKernel(NOISE)), native(PAIRS["RBF"][1])
    values = [rsens.compare(each, X, methods=["ard"], random_state=0)["value"].to_numpy() for each in (model, ours)]
    np.testing.assert_allclose(*values, rtol=1e-12)


def test_normalised_targets():
    """The kernel, the white noise and alpha are in units of the targets' standard deviation.

    Equal alphas of all rows are one; a column of targets is one target.
    """
    alpha = np.full(40, 0.2)
    model = GaussianProcessRegressor(RBF(1.0) + WhiteKernel(0.1), alpha=alpha, normalize_y=True, optimizer=None)
    model.fit(X, (7.0 + 3.0 * Y)[:, None])
    sd = np.std(3.0 * Y)
    ours = native(kernels.EQ(sd**2, 1.0), 0.3 * sd**2, 3.0 * (Y - Y.mean()))
    record = gaps(model, ours)
    assert record[1:].max() < 1e-10  # the first is the mean, which has another level
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).mean, model.predict(ROWS).ravel(), rtol=1e-10)
    assert as_model(model).description.noise == f"included: {0.3 * sd**2:.3g} (WhiteKernel + alpha)"


@pytest.mark.parametrize("alpha", [1e-10, 0.02])
def test_a_kernel_that_is_not_ours(alpha):
    """By differences of predict: PairwiseKernel("rbf") is an EQ kernel that we do not recognise. 1e-6 is what
    differences give; `alpha` counts where it is more than jitter."""
    model = fitted(PairwiseKernel(gamma=0.3, metric="rbf") + WhiteKernel(NOISE), alpha=alpha)
    noise = NOISE + (alpha if alpha > 1e-8 else 0.0)
    ours = native(kernels.EQ(1.0, (2 * 0.3) ** -0.5), noise)
    assert as_model(model).by_differences
    assert gap(rsens.rsens(model, ROWS), rsens.rsens(ours, ROWS)) < 1e-6


def classifier(y=LABELS, kernel=None, **settings):
    kernel = 2.0 * RBF([1.0, 2.0, 3.0]) if kernel is None else kernel
    return GaussianProcessClassifier(kernel, optimizer=None, max_iter_predict=200, **settings).fit(X, y)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (GaussianProcessClassifier(), "not fitted"),
        (classifier(THREE, multi_class="one_vs_one"), "one_vs_rest"),
        (classifier(kernel=Matern(1.0, nu=0.5)), "no derivatives"),
        (GaussianProcessRegressor(), "not fitted"),
        (fitted(Matern(1.0, nu=0.5)), "nu=1.5"),
        (GaussianProcessRegressor(optimizer=None).fit(X, np.c_[Y, Y]), "2 targets"),
        (fitted(RBF(1.0), alpha=np.linspace(0.1, 0.2, 40)), "alpha"),
    ],
)
def test_refused(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)


# ---- classification --------------------------------------------------------------------------------------------------

KERNEL = kernels.EQ(2.0, (1.0, 2.0, 3.0))


def our_classifier(y=LABELS, kernel=KERNEL):
    return GPClassifier(kernel, link="logit", optimize=False, standardize=False).fit(X, y)


@pytest.mark.parametrize("y", [LABELS, THREE], ids=["two classes", "three classes"])
def test_same_as_our_classifier(y):
    """scikit-learn's Newton search stops when log Z gains less than 1e-10, so the mode is right to about 1e-5."""
    assert gaps(classifier(y), our_classifier(y)).max() < 1e-4
    assert list(as_model(classifier(y)).classes_) == sorted(set(y))


def test_latent_noise():
    """A WhiteKernel adds to the variance of the latent f, as in scikit-learn (GPML, algorithm 3.2)."""
    model = classifier(kernel=2.0 * RBF(1.0) + WhiteKernel(0.5))
    binary = model.base_estimator_
    k = binary.kernel_(X, ROWS)
    mean = k.T @ (binary.y_train_ - binary.pi_)
    variance = binary.kernel_.diag(ROWS) - (np.linalg.solve(binary.L_, binary.W_sr_[:, None] * k) ** 2).sum(0)
    f = np.linspace(-12, 12, 4001)[:, None]
    weights = np.exp(-0.5 * f**2)
    p = (weights / (1 + np.exp(-(mean + np.sqrt(variance) * f)))).sum(0) / weights.sum()
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).mean, p, rtol=1e-8)


def test_a_classifier_with_another_kernel():
    """By differences of predict_proba, which is 1e-4 off by itself."""
    model = classifier(kernel=PairwiseKernel(gamma=0.5, metric="rbf"))
    assert as_model(model).by_differences
    assert gap(record(model, order=1).first, record(our_classifier(kernel=kernels.EQ(1.0, 1.0)), order=1).first) < 1e-2


# ---- kernels ---------------------------------------------------------------------------------------------------------

SMOOTH = [
    RBF(1.3),
    RBF([0.5, 1.0, 2.0]),
    RBF([1.3]),
    Matern(1.3, nu=1.5),
    Matern([0.5, 1.0, 2.0], nu=2.5),
    Matern(1.3, nu=np.inf),
    RationalQuadratic(1.3, 0.7),
    ExpSineSquared(1.3, 2.1),
    DotProduct(0.5),
    DotProduct(0.0),
    ConstantKernel(0.7),
    2.0 * RBF(1.3) + 0.5 * Matern(2.0, nu=2.5) * DotProduct(1.0),
    (RBF(1.0) + ConstantKernel(0.2)) ** 2,
    3.0 * (RBF(1.0) * RationalQuadratic(1.0, 1.0)),
]
WHITE = [
    WhiteKernel(0.2) + RBF(1.0),
    2.0 * WhiteKernel(0.2) + RBF(1.0),
    (RBF(1.0) + WhiteKernel(0.1)) * (2.0 * RBF(2.0) + ConstantKernel(3.0) + WhiteKernel(0.2)),
    (RBF(1.0) + WhiteKernel(0.1)) ** 3,
    RBF(1.0) * WhiteKernel(0.3) + RBF(2.0),
]


@pytest.mark.parametrize("kernel", [*SMOOTH, *WHITE], ids=str)
def test_same_values(kernel):
    """Between two sets of rows there is no white part; in k(X, X) it is on the diagonal."""
    ours = translated(kernel)
    np.testing.assert_allclose(ours.smooth(ROWS, X), kernel(ROWS, X), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.smooth(X) + ours.white * np.eye(len(X)), kernel(X), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(ours.smooth.diag(ROWS) + ours.white, kernel.diag(ROWS), rtol=1e-12)


def test_a_constant_becomes_part_of_the_variance():
    assert translated(ConstantKernel(2.0) * RBF(1.5)).smooth == EQ(2.0, 1.5)


@pytest.mark.parametrize(
    "kernel",
    [
        PairwiseKernel(metric="laplacian"),
        RBF(1.0) + PairwiseKernel(metric="laplacian"),
        Matern(1.0, nu=0.8),
        Exponentiation(RBF(1.0), 0.5),
        WhiteKernel(1.0) * DotProduct(1.0) + RBF(1.0),
        ConstantKernel(0.0) + RBF(1.0),
    ],
    ids=str,
)
def test_not_ours(kernel):
    with pytest.raises(NoTranslationError):
        translated(kernel)


class Doubled(RBF):
    def __call__(self, X, Y=None, eval_gradient=False):
        return 2.0 * super().__call__(X, Y)


def test_a_kernel_that_somebody_changed_is_theirs():
    assert translated(type("Renamed", (RBF,), {})(1.5)).smooth == EQ(1.0, 1.5)
    with pytest.raises(NoTranslationError, match="Doubled"):
        translated(Doubled(1.5))


def test_one_kernel_per_class_is_refused():
    with pytest.raises(InputError, match="Classifier"):
        translated(CompoundKernel([RBF(1.0), RBF(2.0)]))


class TestExpSineSquared:
    kernel = OurExpSineSquared(1.5, 2.1, 1.3)

    def test_is_periodic_in_one_column(self):
        """scikit-learn's length-scale is our width; Periodic has no use for the distance in several columns."""
        same = Periodic(1.5, 1.3, 2.1)
        np.testing.assert_allclose(self.kernel(ROWS[:, :1], X[:, :1]), same(ROWS[:, :1], X[:, :1]), rtol=1e-12)

    def test_derivatives_in_x(self):
        """At training rows too: the oracle only evaluates the kernel. It is right to 1e-6 at the step of 1e-2."""
        at = self.kernel.at(ROWS, X)
        w = np.cos(np.arange(len(X)))
        first, second = by_richardson(lambda R: (self.kernel(R, X) @ w)[:, None], ROWS)
        np.testing.assert_allclose(at.weighted_first(w), first[:, 0], atol=1e-6 * np.abs(first).max())
        np.testing.assert_allclose(at.second(w), second[:, 0], atol=1e-5 * np.abs(second).max())

    def test_curvature_near_zero(self):
        """The series and the quotient meet where one takes over from the other."""
        s = (np.array([0.0, 0.5e-2, 0.999e-2, 1.001e-2, 2e-2]) / (2 * np.pi)) ** 2
        h = 1e-9
        slopes = [self.kernel.profile(s + step)[1] for step in (h, 0.0)]
        np.testing.assert_allclose(self.kernel.curvature(s), (slopes[0] - slopes[1]) / h, rtol=1e-5)
