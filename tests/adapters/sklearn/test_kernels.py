"""scikit-learn's kernels as ours: the same values, the same white part, derivatives of what is new."""

import numpy as np
import pytest
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

from rsens._errors import InputError
from rsens.adapters._adapter import NoTranslationError
from rsens.adapters._sklearn._gaussian_process import ExpSineSquared as OurExpSineSquared
from rsens.adapters._sklearn._gaussian_process import translated
from rsens.kernels import EQ, Periodic
from tests.adapters.sklearn.cases import ROWS, X, by_richardson

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


class Renamed(RBF):
    pass


def test_a_kernel_that_somebody_changed_is_theirs():
    assert translated(Renamed(1.5)).smooth == EQ(1.0, 1.5)
    with pytest.raises(NoTranslationError, match="Doubled"):
        translated(Doubled(1.5))


@pytest.mark.parametrize(
    ("kernel", "said"),
    [(Matern(1.0, nu=0.5), "no derivatives"), (CompoundKernel([RBF(1.0), RBF(2.0)]), "classifier")],
)
def test_refused(kernel, said):
    with pytest.raises(InputError, match=said):
        translated(kernel)


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

    def test_hyperparameters(self):
        M = np.outer(np.sin(np.arange(40)), np.cos(np.arange(40)))
        M = M + M.T
        gradient = self.kernel.hyper_gradient(X, None, M)
        for k, step in enumerate(1e-6 * np.eye(3)):
            up, down = (self.kernel.with_theta(self.kernel.theta + sign * step)(X) for sign in (1, -1))
            np.testing.assert_allclose(gradient[k], (M * (up - down)).sum() / 2e-6, rtol=1e-6)
