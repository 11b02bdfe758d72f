"""What every covariance function can do: values, derivatives in its hyperparameters, derivatives in x."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens.kernels._compose import Product, Sum

#: Standard deviation of the logarithm of a variance under its weak prior; log sd then has deviation 1.
DEVIATION = 2.0


class Kernel(ABC):
    """A covariance function k(x, z) of rows. It is immutable; `+` and `*` make sums and products.

    All hyperparameters are positive. `theta` holds their logarithms, and every hyperparameter derivative is in `theta`.
    Arguments are float64 arrays of rows: X (n, D) and Z (N, D).

    Example:
        >>> import numpy as np
        >>> from rsens.kernels import EQ, Linear
        >>> kernel = EQ(lengthscale=2.0, dims=(0,)) + Linear(dims=(1,))
        >>> kernel(np.array([[0.0, 1.0], [2.0, 3.0]])).round(3).tolist()
        [[2.0, 3.607], [3.607, 10.0]]
        >>> kernel.hyperparameter_names
        ('terms[0].variance', 'terms[0].lengthscale', 'terms[1].variance')
    """

    @property
    @abstractmethod
    def hyperparameter_names(self) -> tuple[str, ...]:
        """The path of each entry of `theta`, such as "variance", "lengthscale[3]" (column 3), "terms[0].variance"."""

    @property
    @abstractmethod
    def theta(self) -> Array:
        """The logarithms of the hyperparameters, (n_theta,)."""

    @abstractmethod
    def with_theta(self, theta: Array) -> Kernel:
        """The same kernel with other hyperparameters."""

    @property
    @abstractmethod
    def n_dims(self) -> int | None:
        """The least number of columns that X must have, or None if any number will do."""

    @abstractmethod
    def arrays_at(self, n_columns: int) -> int:
        """The most float64 arrays of shape (n, N) that the derivatives of `at` need, not counting results."""

    @abstractmethod
    def on(self, X: Array, Z: Array | None = None) -> KernelOn:
        """The matrix k(X, Z), or k(X, X), and the work that it shares with its gradient in `theta`."""

    @abstractmethod
    def at(self, X: Array, Z: Array) -> KernelAt:
        """k(X, Z) with its derivatives in the columns of X."""

    @abstractmethod
    def diag(self, X: Array) -> Array:
        """k(x_i, x_i), (n,)."""

    @abstractmethod
    def hyper_gradient_diag(self, X: Array, w: Array) -> Array:
        """Σ_i w_i ∂k(x_i, x_i)/∂θ, (n_theta,)."""

    @abstractmethod
    def diag_derivatives(self, X: Array, order: int) -> tuple[Array, Array | None]:
        """Total derivatives of x ↦ k(x, x): first (n, D), and second (n, D, D) or None if order is 1."""

    @abstractmethod
    def in_units(self, scale: Array, variance: float) -> Kernel:
        """The kernel of √variance · f, as a function of columns that are `scale` (D,) times as large."""

    def priors(self, input_scale: Array, output_scale: float) -> list[tuple[float, float]]:
        """The mean and deviation of the weak prior of each entry of `theta`: near where the search starts.

        A kernel that knows the size of its hyperparameters says more, given the standard deviations of the columns (D,)
        and of f.
        """
        return [(float(value), DEVIATION) for value in self.theta]

    def rates(self, rows: Array) -> Array:
        """The inverse length-scale of every column (D,), as `rsens.measures` defines it; 0 for columns k ignores."""
        raise InputError(f"ard does not know where {type(self).__name__} keeps its length-scales. Leave ard out.")

    def __call__(self, X: Array, Z: Array | None = None) -> Array:
        """The matrix k(X, Z), (n, N), or k(X, X), exactly symmetric."""
        return self.on(X, Z).value

    def hyper_gradient(self, X: Array, Z: Array | None, M: Array) -> Array:
        """Σ_ij M_ij ∂k(x_i, z_j)/∂θ, (n_theta,). Z = None means Z = X with M symmetric."""
        return self.on(X, Z).hyper_gradient(M)

    def __add__(self, other: Kernel) -> Sum:
        if not isinstance(other, Kernel):
            return NotImplemented
        from rsens.kernels._compose import Sum

        return Sum((self, other))

    def __mul__(self, other: Kernel) -> Product:
        if not isinstance(other, Kernel):
            return NotImplemented
        from rsens.kernels._compose import Product

        return Product((self, other))


class KernelOn(ABC):
    """The matrix k(X, Z) at one `theta`, for a fit: the value and the gradient share their work.

    `value` is (n, N) in Fortran order, as LAPACK wants it. The gradient needs it again: do not overwrite it.
    """

    value: Array

    @abstractmethod
    def hyper_gradient(self, M: Array) -> Array:
        """Σ_ij M_ij ∂k(x_i, z_j)/∂θ, (n_theta,).

        For k(X, X) only the lower triangle of the symmetric M is read, so the result of LAPACK's `dpotri` will do.
        Fortran order is faster.
        """


class KernelAt(ABC):
    """k(x_i, z_j) with derivatives in x. Weights W are (n, N), or (N,) for the same weights at every x_i.

    A kernel gives the derivatives in its own `columns`; the others are 0 and are filled in here.
    """

    value: Array  # (n, N), C order: value.T is ready for LAPACK; derivatives may need it, do not overwrite it
    columns: tuple[int, ...]
    n_columns: int

    @abstractmethod
    def active_first(self) -> Array:
        """∂k/∂x_d for d in `columns`, as a new array (n, columns, N)."""

    @abstractmethod
    def active_weighted_first(self, W: Array) -> Array:
        """Σ_j W_ij ∂k(x_i, z_j)/∂x_d for d in `columns`, (n, columns)."""

    @abstractmethod
    def active_second(self, W: Array) -> Array:
        """Σ_j W_ij ∂²k(x_i, z_j)/∂x_d∂x_e for d, e in `columns`, (n, columns, columns)."""

    @property
    def first(self) -> Array:
        """∂k(x_i, z_j)/∂x_d, (n, N, D).

        Each access makes a new array, a view of one in the order (n, D, N) of `first_by_column`.
        """
        return self.first_by_column().transpose(0, 2, 1)

    def first_by_column(self) -> Array:
        """∂k(x_i, z_j)/∂x_d as (n, D, N) in C order, a new array that the caller may overwrite.

        Without a copy, `.reshape(n * D, N).T` is the right-hand side (N, nD) of a triangular solve, in Fortran order.
        """
        return self._spread(self.active_first(), 1)

    def weighted_first(self, W: Array) -> Array:
        """Σ_j W_ij ∂k(x_i, z_j)/∂x_d, (n, D), without an (n, N, D) array."""
        return self._spread(self.active_weighted_first(W), 1)

    def second(self, W: Array) -> Array:
        """Σ_j W_ij ∂²k(x_i, z_j)/∂x_d∂x_e, (n, D, D), without an (n, N, D, D) array."""
        return self._spread(self._spread(self.active_second(W), 1), 2)

    def _spread(self, values: Array, axis: int) -> Array:
        """`values` with zeros for the columns that k does not depend on."""
        if self.columns == tuple(range(self.n_columns)):
            return values
        shape = list(values.shape)
        shape[axis] = self.n_columns
        full = np.zeros(shape)
        full[(slice(None),) * axis + (list(self.columns),)] = values
        return full


def as_rows(X: Array, n_dims: int | None, what: str = "X") -> Array:
    """X as a float64 matrix with the columns the kernel needs, or an `InputError`."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise InputError(f"{what} must be a matrix (rows, columns); got {X.ndim} dimensions. Reshape it.")
    if not X.shape[0]:
        raise InputError(f"{what} has no rows.")
    if n_dims is not None and X.shape[1] < n_dims:
        raise InputError(
            f"the kernel uses {n_dims} columns; got {what} with {X.shape[1]}. Check ",
            Argument("dims"),
            " and ",
            Argument("lengthscale"),
            ".",
        )
    return X


def as_theta(theta: Array, n_theta: int) -> Array:
    """`theta` as a vector of the right length whose exponentials are finite and positive, or an `InputError`."""
    theta = np.asarray(theta, dtype=np.float64)
    if theta.shape != (n_theta,):
        raise InputError(
            Argument("theta"), f" must have {n_theta} entries, one per hyperparameter; got shape {theta.shape}."
        )
    # exp of anything beyond ±700 is 0 or infinite
    if not (np.abs(theta) <= 700.0).all():
        raise InputError(Argument("theta"), f" holds logarithms, which must lie in ±700; got {theta}.")
    return theta
