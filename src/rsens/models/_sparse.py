"""Sparse GPs: f = Vᵀw at the training rows, with w ~ N(0, I) and V = L⁻¹K_ux for M inducing inputs.

L Lᵀ = K_uu is the covariance at the inducing inputs, so that f has the low-rank covariance Q = VᵀV = K_xu K_uu⁻¹ K_ux.
We sum over rows in these whitened coordinates: K_ux W K_xu would have to be divided by K_uu twice, and would lose its
digits if K_uu is nearly singular; VWVᵀ keeps them.

Gaussian noise has the variational bound of Titsias (2009). Other likelihoods have Laplace's approximation with the
prior N(0, Q), known as DTC: in f it is Laplace's approximation with K replaced by Q, step for step (GPML, section 3.4
and algorithm 5.1), but we look for the mode of M numbers, and each Newton step is one pass over the rows.

Inducing inputs are chosen among the rows of X, so that categorical columns keep their levels. To see whether M are
enough, a ranking is compared with the answer of the first half, with nothing fitted again. They are in the order in
which they were chosen, and L is triangular: so the first h whitened weights, w_h, belong to the GP with the first h
inducing inputs. Given the data, w has precision B = I + S and mean ŵ, where S and Bŵ are sums over rows. Their first h
entries are the sums of the smaller GP, with precision I + S_hh and mean (I + S_hh)⁻¹(Bŵ)_h. For Gaussian noise this is
exactly its posterior; for other likelihoods it is one step of Newton's method from the mode of the larger GP.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack, qr, svd
from sklearn.utils.validation import check_is_fitted

from rsens._errors import Argument, InputError, Sentence
from rsens._table import Table
from rsens._text import percent
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import GaussianLikelihood, Likelihood
from rsens.models._laplace import WarmStart
from rsens.models._mode import IMPOSSIBLE, ROUNDING, TOLERANCE, Point, newton
from rsens.models._rows import SEARCH_ROWS, Data
from rsens.posteriors import DenseRoot, LatentPosterior, even_chunks, jittered_cholesky

#: The size of one array (M, rows of a chunk).
CHUNK_BYTES = 4 * 2**20
#: V is kept between passes over the rows up to this size; a larger V is computed again in each pass.
KEPT_BYTES = 400 * 2**20
#: The jitter on the diagonal of K_uu, relative to its mean: always at least the first, so that the marginal likelihood
#: stays a smooth function of the hyperparameters; the others only if rounding has made K_uu more indefinite than that.
JITTERS = tuple(10.0 ** np.arange(-12, -2))
#: A squared Newton decrement so small that the step squares it below anything that matters (see `_mode.TOLERANCE`).
NEAR = 1e-6
NOT_FINITE = "the posterior covariance is not finite. Check the hyperparameters, the data and the offset."


class VariationalApproximation:
    """w ~ N(ŵ, B⁻¹) given y, with B = I + S = L_B L_Bᵀ, S = VVᵀ/σ² and ŵ = B⁻¹Vy/σ², in one pass over the rows.

    The bound is F = log N(y | 0, Q + σ²I) − tr(K − Q)/(2σ²) ≤ log p(y): the prior variance that Q misses is a penalty.
    It is log p(y) for K = Q, as when all rows are inducing inputs. Here y is without its mean and offset.
    """

    converged = True  # in closed form

    def __init__(self, kernel: Kernel, likelihood: GaussianLikelihood, data: Data, inducing: Array) -> None:
        X, y = data.X, data.residual
        self.prior = prior = LowRankPrior(kernel, X, inducing)
        self.noise_variance, self.y, self.mean = likelihood.noise_variance, y, data.mean
        S, Vy, self.missed = np.zeros((prior.rank, prior.rank), order="F"), np.zeros(prior.rank), 0.0  # tr(K − Q)
        for rows, V in prior.chunks():
            S = add_outer(S, V)
            Vy = Vy + blas.dgemv(1.0, V, y[rows])
            self.missed += float(np.sum(np.maximum(kernel.diag(X[rows]) - np.einsum("ij,ij->j", V, V), 0.0)))
        S /= self.noise_variance
        self.L_B = factored_identity_plus(S)
        self.S = symmetric(S)
        self.w, _ = lapack.dpotrs(self.L_B, Vy / self.noise_variance, lower=1)

    @cached_property
    def _residual(self) -> Array:
        """y − Vᵀŵ = σ²C⁻¹y with C = Q + σ²I."""
        return self.y - self.prior.transposed_times(self.w)

    @cached_property
    def log_marginal_likelihood(self) -> float:
        """F, with |C| = σ²ᴺ|B| and yᵀC⁻¹y = |y − Vᵀŵ|²/σ² + |ŵ|², in which nothing cancels."""
        squares = np.sum(self._residual**2) / self.noise_variance + np.sum(self.w**2)
        half_log_determinant = np.sum(np.log(np.diagonal(self.L_B)))
        constant = len(self.y) * np.log(2.0 * np.pi * self.noise_variance)
        return float(-0.5 * (squares + constant + self.missed / self.noise_variance) - half_log_determinant)

    def gradient(self) -> Array:
        """∂F/∂θ, first the kernel's hyperparameters, then the log noise variance.

        In the kernel F moves by Σ_ij M_ij ∂Q_ij − tr(∂K)/(2σ²) with α = C⁻¹y and M = ½(ααᵀ − C⁻¹ + I/σ²). From
        C⁻¹ = (I − VᵀB⁻¹V/σ²)/σ² follow Vα = ŵ and 2VM = ŵαᵀ + (I − B⁻¹)V/σ².
        """
        noise, N = self.noise_variance, len(self.y)
        alpha = self._residual / noise
        inverse = inverse_from(self.L_B)
        E = -inverse
        E[np.diag_indices_from(E)] += 1.0  # I − B⁻¹ = B⁻¹S
        DVt = blas.dger(1.0, self.w, self.w, a=blas.dsymm(1.0, self.S, E, side=1, lower=1), overwrite_a=1)
        of_kernel = self.prior.kernel_gradient(E, np.full(N, 1.0 / noise), self.w[:, None], alpha[:, None], DVt)
        kernel, X = self.prior.kernel, self.prior.X
        diagonals = [kernel.hyper_gradient_diag(X[rows], np.ones(len(X[rows]))) for rows in self.prior.slices()]
        of_kernel = of_kernel - 0.5 / noise * np.sum(diagonals, axis=0)  # ∂tr(K)/∂θ
        trace = (N - np.trace(E)) / noise  # of C⁻¹
        of_noise = 0.5 * noise * (np.sum(alpha**2) - trace + self.missed / noise**2)
        return np.append(of_kernel, of_noise)

    def posterior(self) -> LatentPosterior:
        """Mean and variance of f anywhere (Titsias 2009, equation 6)."""
        return self.prior.posterior(self.w, self.S, self.mean)


@dataclass(frozen=True, eq=False)
class Pass(Point):
    """Ψ(w) = log p(y | f) − ½|w|² at one w, with VWVᵀ; by row, `predictor` is f + offset."""

    VWVt: Array
    predictor: Array


class SparseLaplaceApproximation:
    """w ~ N(ŵ, B⁻¹) given y, with B = I + VWVᵀ and W the likelihood's `curvature`."""

    def __init__(
        self, kernel: Kernel, likelihood: Likelihood, data: Data, inducing: Array, warm: WarmStart | None = None
    ) -> None:
        self.prior = LowRankPrior(kernel, data.X, inducing)
        self.likelihood, self.y, self.mean = data.density(likelihood), data.y, data.mean
        self.offset = data.mean + data.offset
        warm = warm or WarmStart()
        tolerance = NEAR if warm.near else TOLERANCE
        here, step, decrement = newton(self._start(warm.weights, warm.near), self.at, _step, tolerance=tolerance)
        #: The pass at ŵ, which a start near the mode saves.
        self._there: Pass | None = here
        self.w, self.converged = here.w, abs(decrement) <= ROUNDING
        if warm.near and 0.0 <= decrement <= NEAR:
            self.w, self.converged, self._there = here.w + step, True, None
        warm.weights = self.w

    def _start(self, start: Array | None, near: bool) -> Pass:
        """0 or `start`, whichever is better."""
        if start is not None and len(start) == self.prior.rank:
            warm = self.at(start)
            with np.errstate(over="ignore", invalid="ignore"):  # Ψ(0) takes no pass: f is the offset there
                psi_at_zero = np.sum(self.likelihood.log_density(self.y, self.offset))
            if warm is not None and (near or not psi_at_zero >= warm.psi):
                return warm
        here = self.at(np.zeros(self.prior.rank))
        if here is None:
            raise InputError(IMPOSSIBLE)
        return here

    def at(self, w: Array) -> Pass | None:
        """One pass over the rows, with W = max(−∇∇log p, 0); None if the likelihood underflows as exp overflows."""
        size = 0.5 * float(np.sum(w**2))
        psi = -size
        gradient, VWVt = -w, np.zeros((len(w), len(w)), order="F")
        predictor, W = np.empty((2, len(self.y)))
        for rows, V in self.prior.chunks():
            y, f = self.y[rows], blas.dgemv(1.0, V, w, trans=1) + self.offset[rows]
            with np.errstate(over="ignore", invalid="ignore"):
                terms = self.likelihood.log_density(y, f)
            if not np.isfinite(terms).all():
                return None
            slope, second, _ = self.likelihood.f_derivatives(y, f)
            psi += float(np.sum(terms))
            size += float(np.sum(np.abs(terms)))
            gradient = gradient + blas.dgemv(1.0, V, slope)
            predictor[rows], W[rows] = f, np.maximum(-second, 0.0)
            VWVt = add_outer(VWVt, V * np.sqrt(W[rows]))
        return Pass(w, psi, size, gradient, W, VWVt, predictor)

    @cached_property
    def _at_mode(self) -> tuple[Array, Array]:
        """f̂ + offset at the training rows, and VWVᵀ, in one pass, unless the search for the mode has made it."""
        there = self._there
        if there is not None:
            W, _ = self.likelihood.curvature(self.y, there.predictor)
            if np.array_equal(W, there.W):  # it is not for a Student-t
                return there.predictor, symmetric(there.VWVt)
        predictor = np.empty(len(self.y))
        VWVt = np.zeros((len(self.w), len(self.w)), order="F")
        for rows, V in self.prior.chunks():
            predictor[rows] = blas.dgemv(1.0, V, self.w, trans=1) + self.offset[rows]
            W, _ = self.likelihood.curvature(self.y[rows], predictor[rows])
            VWVt = add_outer(VWVt, V * np.sqrt(W))
        return predictor, symmetric(VWVt)

    @cached_property
    def _L_B(self) -> Array:
        return factored_identity_plus(self._at_mode[1])

    @cached_property
    def log_marginal_likelihood(self) -> float:
        """log q(y) = log p(y | f̂) − ½|ŵ|² − ½ log|B|."""
        log_density = np.sum(self.likelihood.log_density(self.y, self._at_mode[0]))
        return float(log_density - 0.5 * np.sum(self.w**2) - np.sum(np.log(np.diagonal(self._L_B))))

    def posterior(self) -> LatentPosterior:
        """m = φᵀŵ and v = k** − q** + φᵀB⁻¹φ with φ = L⁻¹k."""
        return self.prior.posterior(self.w, self._at_mode[1], self.mean)

    def gradient(self) -> Array:
        """∂ log q(y)/∂θ, first the kernel's hyperparameters, then the likelihood's (algorithm 5.1, K = Q).

        As for the dense prior, the kernel's part is Σ_ij M_ij ∂Q_ij with M = ½[(a + u)(a + u)ᵀ − uuᵀ − R], where
        a = ∇log p(y | f̂), u = (I + WQ)⁻¹s₂ carries the movement of the mode with s₂ = ∂ log q/∂f̂ = −½ Σ_ii ∂W_i/∂f_i,
        and R = (Q + W⁻¹)⁻¹. Here Va = ŵ, Vu = B⁻¹Vs₂ = z, VR = B⁻¹VW; so 2VM = ŵ(a + u)ᵀ + zaᵀ − B⁻¹VW.
        """
        prior, likelihood, y = self.prior, self.likelihood, self.y
        predictor, _ = self._at_mode
        W, dW = likelihood.curvature(y, predictor)
        a, _, _ = likelihood.f_derivatives(y, predictor)
        variance, Vs2 = np.empty(len(y)), np.zeros(len(self.w))
        for rows, V in prior.chunks():
            half = blas.dtrsm(1.0, self._L_B, V, lower=1)
            variance[rows] = np.einsum("ij,ij->j", half, half)  # Σ_ii = v_iᵀB⁻¹v_i
            Vs2 = Vs2 + blas.dgemv(-0.5, V, variance[rows] * dW[rows])
        z, _ = lapack.dpotrs(self._L_B, Vs2, lower=1)
        Qu = prior.transposed_times(z)
        u = -0.5 * variance * dW - W * Qu  # s₂ − WVᵀB⁻¹Vs₂

        inverse = inverse_from(self._L_B)
        P, R = np.column_stack([self.w, z]), np.column_stack([a + u, a])
        # DVᵀ = ŵ(ŵ + z)ᵀ + zŵᵀ − B⁻¹VWVᵀ, and B⁻¹VWVᵀ = I − B⁻¹
        DVt = inverse + np.outer(self.w, self.w + z) + np.outer(z, self.w)
        DVt[np.diag_indices_from(DVt)] -= 1.0
        of_kernel = prior.kernel_gradient(-inverse, W, P, R, DVt)

        of_log_density, of_slope, of_W = likelihood.theta_derivatives(y, predictor)
        # s₂ᵀ∂f̂ = uᵀQ ∂∇log p
        of_likelihood = np.sum(of_log_density - 0.5 * variance * of_W + Qu * of_slope, axis=1)
        return np.concatenate([of_kernel, of_likelihood])


def _step(here: Pass) -> Array:
    return lapack.dpotrs(factored_identity_plus(here.VWVt), here.gradient, lower=1)[0]


class LowRankPrior:
    """K_uu, factored, and V by chunks, for one kernel."""

    def __init__(self, kernel: Kernel, X: Array, inducing: Array) -> None:
        self.kernel, self.X, self.inducing = kernel, X, inducing
        self.rank = len(inducing)
        self._on = kernel.on(inducing)
        self.L, self.jitter = jittered_cholesky(self._on.value, jitters=JITTERS)
        self._relative_jitter = self.jitter / (float(np.mean(np.diagonal(self._on.value))) or 1.0)
        self._kept: dict[int, Array] = {}
        self._keeps = 8 * len(X) * self.rank <= KEPT_BYTES

    def slices(self) -> Iterator[slice]:
        """The rows of each chunk."""
        return even_chunks(len(self.X), 8 * self.rank, CHUNK_BYTES)

    def chunks(self) -> Iterator[tuple[slice, Array]]:
        """The columns of V for the rows of each chunk, (M, rows) in Fortran order. Do not change them."""
        for rows in self.slices():
            V = self._kept.get(rows.start)
            if V is None:
                V = blas.dtrsm(1.0, self.L, self.kernel(self.inducing, self.X[rows]), lower=1, overwrite_b=1)
            if self._keeps:
                self._kept[rows.start] = V
            yield rows, V

    def transposed_times(self, w: Array) -> Array:
        """Vᵀw, (N,)."""
        return np.concatenate([blas.dgemv(1.0, V, w, trans=1) for _, V in self.chunks()])

    def kernel_gradient(self, E: Array, W: Array, P: Array, R: Array, DVt: Array) -> Array:
        """Σ_ij M_ij ∂Q_ij/∂θ in the kernel's θ, where 2VM = D = E V diag(W) + P Rᵀ; E (M, M), P (M, r), R (N, r).

        With ∂Q = ∂K_xu A⁻¹K_ux + K_xu A⁻¹∂K_ux − K_xu A⁻¹∂A A⁻¹K_ux and A = K_uu = L Lᵀ, the derivative in K_ux is
        L⁻ᵀD, and in K_uu it is −½ L⁻ᵀ(DVᵀ)L⁻¹. `DVt` is DVᵀ (M, M), symmetric.
        """
        left_E, left_P = (blas.dtrsm(1.0, self.L, B, lower=1, trans_a=1) for B in (E, P))
        of_A = blas.dtrsm(-0.5, self.L, DVt, lower=1, trans_a=1)
        of_A = blas.dtrsm(1.0, self.L, of_A, lower=1, side=1, overwrite_b=1)
        # The jitter is a fixed share of the mean of the diagonal, and moves with it.
        of_A[np.diag_indices_from(of_A)] += self._relative_jitter * np.mean(np.diagonal(of_A))
        gradient = self._on.hyper_gradient(of_A)
        for rows, V in self.chunks():
            of_K = blas.dgemm(1.0, left_E, V * W[rows])
            of_K = blas.dgemm(1.0, left_P, R[rows], trans_b=1, beta=1.0, c=of_K, overwrite_c=1)
            gradient = gradient + self.kernel.on(self.inducing, self.X[rows]).hyper_gradient(of_K)
        return gradient

    def posterior(self, w: Array, VWVt: Array, mean: float = 0.0) -> LatentPosterior:
        """The latent posterior for w ~ N(ŵ, (I + VWVᵀ)⁻¹) given y; at a new row the variance includes k** − q**.

        With φ = L⁻¹k(x): m = φᵀŵ, and v = k** − φᵀφ + φᵀ(I + S)⁻¹φ = k** − |diag(√(s/(1 + s))) Uᵀφ|² for
        S = VWVᵀ = U diag(s) Uᵀ. The root is the triangular factor of diag(√(s/(1 + s))) UᵀL⁻¹, as quick as it can be.
        """
        s, U, failed = lapack.dsyevd(VWVt, lower=1)
        if failed:
            raise InputError(NOT_FINITE)
        s = np.maximum(s, 0.0)
        R = blas.dtrsm(1.0, self.L, (U * np.sqrt(s / (1.0 + s))).T, lower=1, side=1)
        a = blas.dtrsv(self.L, w, lower=1, trans=1)
        root = DenseRoot(np.asfortranarray(qr(R, mode="r", overwrite_a=True, check_finite=False)[0]))
        return LatentPosterior(self.kernel, self.inducing, a, root, mean, self.jitter)


def add_outer(S: Array, V: Array) -> Array:
    """S + VVᵀ, written over S, lower triangle only."""
    return blas.dsyrk(1.0, V, beta=1.0, c=S, lower=1, overwrite_c=1)


def symmetric(S: Array) -> Array:
    """The whole of a symmetric matrix whose lower triangle is given."""
    return np.asfortranarray(np.tril(S) + np.tril(S, -1).T)


def factored_identity_plus(S: Array) -> Array:
    """The lower L_B with L_B L_Bᵀ = I + S, which is never singular: S is positive semi-definite."""
    B = np.array(S, order="F")
    B[np.diag_indices_from(B)] += 1.0
    L, failed = lapack.dpotrf(B, lower=1, clean=1, overwrite_a=1)
    if failed:
        raise InputError(NOT_FINITE)
    return L


def inverse_from(L_B: Array) -> Array:
    """(L_B L_Bᵀ)⁻¹, both triangles."""
    return symmetric(lapack.dpotri(L_B, lower=1)[0])


#: When less than this share of the largest prior variance is left, another row adds nothing.
NOTHING = 1e-10
#: Rows whose variances differ by less than this share are equally good, and the first is taken: on a regular grid
#: rounding would decide otherwise, and rounding depends on the order in which a mean was summed.
TIE = 1e-9
#: The most memory of the greedy choice: if X has too many rows for it, we draw as many as fit.
GREEDY_BYTES = 64 * 2**20
#: How far R-sens may move from M/2 to M, relative to the largest: the error that is left at M is smaller than that,
#: since it falls quickly with M.
MOST_CHANGE = 0.25
#: Two variables differ clearly if the larger R-sens exceeds the smaller by this share of the largest.
CLEARLY = 0.05
#: Inducing inputs that leave no more than this share of the prior variance at any row do what all rows would do, and
#: it does not matter that half of them may not.
NOTHING_LEFT = 1e-4
#: How many rows are looked at.
CHECKED_ROWS = 1000


def choose_inducing(
    X: Array, kernel: Kernel, M: int, random_state: int | np.random.Generator | None = None, *, enough: float = NOTHING
) -> tuple[NDArray[np.intp], float]:
    """At most M rows of X, in the order of choice, and the largest share of the prior variance they leave at a row.

    A pivoted Cholesky factorisation of k(X, X), in O(N M²), until that share is `enough`; random only if X has very
    many rows. The first of equally good rows is taken: give X in an order that depends on its values only.
    """
    seen = np.arange(len(X))
    most = max(M, GREEDY_BYTES // (8 * M))
    if len(X) > most:
        seen = np.sort(np.random.default_rng(random_state).choice(len(X), most, replace=False))
    rows, left = _greedy(X[seen], kernel, min(M, len(seen)), enough)
    largest = float(kernel.diag(X[seen]).max())
    chosen = seen[rows or [0]]  # at least one, even if f = 0 everywhere, as under a Linear kernel at the origin
    return chosen, float(left.max()) / largest if largest > 0.0 else 0.0


def inducing_inputs(data: Data, kernel: Kernel, M: int, enough: float, rng: np.random.Generator) -> Array:
    """At most M rows for this kernel, chosen among all, or among as many as fit in the memory of the choice."""
    most = max(M, GREEDY_BYTES // (8 * M))
    if len(data.y) > SEARCH_ROWS and most < len(data.y):
        data = data.drawn(most, rng.spawn(1)[0])
    X = data.ordered.X
    return X[choose_inducing(X, kernel, M, rng, enough=enough)[0]]


def _greedy(X: Array, kernel: Kernel, M: int, enough: float) -> tuple[list[int], Array]:
    """The pivots, and k(x, x) − q(x, x) at every row; C is the Cholesky factor."""
    left = kernel.diag(X)
    nothing = enough * left.max()
    C = np.empty((len(X), M), order="F")
    rows: list[int] = []
    while (j := len(rows)) < M and left.max() > nothing:
        pivot = int(np.argmax(left >= (1.0 - TIE) * left.max()))
        column = kernel(X, X[pivot : pivot + 1])[:, 0]
        if j:
            column = column - blas.dgemv(1.0, C[:, :j], C[pivot, :j])
        C[:, j] = column / np.sqrt(left[pivot])
        left = np.maximum(left - C[:, j] ** 2, 0.0)
        rows.append(pivot)
        left[rows] = 0.0
    return rows, left


@dataclass(frozen=True, eq=False)
class InducingCheck:
    """R-sens of every variable, per standard deviation, from all M inducing inputs and from the first half of them."""

    names: tuple[str, ...]
    n_inducing: int
    values: Array
    values_of_half: Array
    #: The largest prior variance of f that the inducing inputs leave at a row, relative to the largest prior variance.
    left: float

    @property
    def largest_change(self) -> float:
        """The largest difference between the two, relative to the largest R-sens."""
        largest = float(self.values.max())
        return float(np.abs(self.values_of_half - self.values).max()) / largest if largest > 0.0 else 0.0

    @property
    def changed_order(self) -> list[tuple[str, str]]:
        """Pairs of variables, the more important first, that differ clearly and trade places with half of M."""
        larger = self.values[:, None] - self.values
        trade = (larger > CLEARLY * self.values.max()) & (self.values_of_half[:, None] < self.values_of_half)
        return [(self.names[i], self.names[j]) for i, j in np.argwhere(trade)]

    @property
    def passed(self) -> bool:
        """Whether M is enough: half of it gives similar numbers in the same order, or M leaves nothing."""
        return self.left <= NOTHING_LEFT or (self.largest_change <= MOST_CHANGE and not self.changed_order)

    @property
    def advice(self) -> Sentence:
        """The finding, and a way to improve the model."""
        return Sentence(
            f"The ranking depends on the number of inducing inputs: {self} Raise ",
            Argument("inducing"),
            f", for example to {2 * self.n_inducing}, until this no longer is so.",
        )

    def __str__(self) -> str:
        if self.left <= NOTHING_LEFT:
            return f"{self.n_inducing} inducing inputs leave {self.left:.1g} of the prior variance: it is as if exact."
        trading = [f"{' and '.join(pair)} trade places" for pair in self.changed_order[:1]]
        return (
            f"with {self.n_inducing // 2} instead of {self.n_inducing} inducing inputs, R-sens changes by up to "
            f"{percent(self.largest_change)} of the largest, and "
            f"{(trading or ['clearly different variables keep their order'])[0]}."
        )

    __repr__ = __str__


def checked_inducing(model: Any, X: Any = None) -> InducingCheck | None:
    """See `GPRegressor.inducing_check`."""
    check_is_fitted(model)
    rows = model.training_inputs_ if X is None else model._rows(X)
    if any(gp.inducing is None or len(gp.inducing) < 2 for gp in model._gps):
        return None
    smaller = copy(model)
    smaller._gps = tuple(replace(gp, posterior=half_posterior(gp.posterior)) for gp in model._gps)
    some = rows[np.unique(np.linspace(0, len(rows) - 1, CHECKED_ROWS).astype(np.intp))]
    table = Table(tuple(model._column_names), some, None, model.coding_)
    records = [each.derivatives(table, 1) for each in (model, smaller)]
    values, of_half = (np.mean(record.distribution.fisher_norm(record.first), axis=0) for record in records)
    left = max(_left(gp.posterior, model._units.inputs(some)) for gp in model._gps)
    scale = model.input_scale_
    return InducingCheck(table.names, model.n_inducing, scale * values, scale * of_half, left)


def _left(posterior: LatentPosterior, inputs: Array) -> float:
    """The largest of k** − q** at the inputs, relative to the largest k**."""
    prior, missed = posterior.kernel.diag(inputs), []
    for rows, V in LowRankPrior(posterior.kernel, inputs, posterior.inputs).chunks():
        missed.append(prior[rows] - np.einsum("ij,ij->j", V, V))
    return float(np.concatenate(missed).max() / prior.max()) if prior.any() else 0.0


def half_posterior(posterior: LatentPosterior) -> LatentPosterior:
    """The posterior with the first half of the inducing inputs, from the posterior with all of them."""
    assert isinstance(posterior.root, DenseRoot)
    inputs, half = posterior.inputs, len(posterior.inputs) // 2
    L = LowRankPrior(posterior.kernel, inputs[:0], inputs).L
    # RL is diag(√(s/(1 + s)))Uᵀ up to a rotation from the left, with S = U diag(s) Uᵀ
    _, g, Ut = svd(blas.dtrmm(1.0, L, posterior.root.R, side=1, lower=1), full_matrices=False)
    left = np.maximum(1.0 - g**2, np.finfo(np.float64).eps)  # 1/(1 + s)
    scaled = np.asfortranarray(Ut * (g / np.sqrt(left))[:, None])  # diag(√s)Uᵀ
    w = blas.dtrmv(L, posterior.weights, lower=1, trans=1)
    Bw = w + blas.dgemv(1.0, scaled, blas.dgemv(1.0, scaled, w), trans=1)
    S_hh = blas.dgemm(1.0, scaled[:, :half], scaled[:, :half], trans_a=1)
    w_h, _ = lapack.dpotrs(factored_identity_plus(S_hh), Bw[:half], lower=1)
    return LowRankPrior(posterior.kernel, inputs[:0], inputs[:half]).posterior(w_h, S_hh, posterior.mean)
