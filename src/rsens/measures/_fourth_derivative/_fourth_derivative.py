"""The full fourth derivative of the Rényi divergence, which the supplement compares R-sens₂ with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import MAX_BYTES, JaxModel, Model
from rsens.distributions import Distribution, Mixture
from rsens.measures._contrasts import check_continuous
from rsens.measures._fourth_derivative._jensen import NATURAL, jensen_divergence
from rsens.measures._fourth_derivative._summed import SUMMED, summed_divergence
from rsens.measures._local import Chunks, check_alpha, finite, gathered

#: Rows at once where memory allows; more would save little time.
_MOST_ROWS = 256


def fourth_derivative(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """∂⁴D_α[p(y | x) ‖ p(y | x')]/∂x'_d²∂x'_e² at x' = x of every row and pair, shape (n, D, D), symmetric, signed.

    Only for functions wrapped by `from_jax`. Where D is quadratic in λ, D = ½ δᵀHδ with H = α I (a Normal whose
    variance does not depend on x), this is

        2 λ_deᵀHλ_de + λ_ddᵀHλ_ee + 2 λ_dᵀHλ_dee + 2 λ_eᵀHλ_dde

    so that sqrt(∂⁴D/2) is R-sens₂ when all but the first term vanish: R-sens₂ is what is left when they are dropped.
    In general the third and fourth derivatives of D in λ come in as well. The value may be negative; as an importance,
    to be compared with R-sens₂, `importance` takes sqrt(|∂⁴D|/2). On the diagonal, d = e, it is ∂⁴D/∂x_d⁴. Derivatives
    are taken under the expectation over y (a Weibull has D = ∞ for α > 1 when x' makes its shape larger).

    Example:
        >>> import rsens
        >>> from rsens.measures import fourth_derivative
        >>> model = rsens.from_jax(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> fourth_derivative(model, [[0.0, 0.0]])[0].round(4).tolist()
        [[0.0, 2.0], [2.0, 0.0]]
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    return gathered(_signed_chunks(source, table, order), len(table.values))


def fourth_chunks(model: Model, table: Table, alpha: float) -> Chunks:
    """sqrt(|∂⁴D|/2), in the units of R-sens₂."""
    return ((rows, np.sqrt(0.5 * np.abs(values))) for rows, values in _signed_chunks(model, table, alpha))


def _signed_chunks(model: Model, table: Table, alpha: float) -> Chunks:
    check_continuous(table, "The fourth derivative")
    if not isinstance(model, JaxModel):
        raise InputError(
            f"fourth_derivative differentiates four times and needs a function written in JAX; got {model.name}. Wrap "
            "one with from_jax."
        )
    return _chunks(model, table, alpha)


def _chunks(model: JaxModel, table: Table, alpha: float) -> Chunks:
    import jax

    n, columns = table.values.shape
    d, e = np.triu_indices(columns)
    directions = np.eye(columns)
    compiled: dict[tuple[int, ...], Any] = {}
    size, start = min(n, _MOST_ROWS), 0
    while start < n:
        x = table.values[np.minimum(np.arange(start, start + size), n - 1)]  # the last chunk repeats its last row
        record = model.derivatives(x, 1)
        p = record.distribution
        _check_known(p)
        nodes, weights = _nodes(p)
        arguments = (x, p.leaves(), nodes, weights, directions[d], directions[e])
        with jax.enable_x64(True):
            if nodes.shape not in compiled:
                compiled[nodes.shape] = jax.jit(_program(model.fn, p, alpha)).lower(*arguments).compile()
            memory = compiled[nodes.shape].memory_analysis()
            if size > 1 and memory is not None and memory.temp_size_in_bytes > MAX_BYTES:
                size = max(1, min(size // 2, int(size * MAX_BYTES / memory.temp_size_in_bytes)))
                continue
            second, fourth = jax.tree.map(np.asarray, compiled[nodes.shape](*arguments))
        _check_second(second.T, alpha * p.fisher_norm(record.first) ** 2, start)
        rows = slice(start, min(n, start + size))
        values = np.empty((rows.stop - start, columns, columns))
        values[:, d, e] = values[:, e, d] = fourth[:, : len(values)].T
        yield rows, finite(values, rows, table.names, 2, "The fourth derivative of the divergence")
        start += size


def _check_known(p: Distribution) -> None:
    """A family of one's own has no formula here that JAX could differentiate, alone or as a component."""
    known = [*NATURAL, *SUMMED]
    for family in (p, *(p.members if isinstance(p, Mixture) else ())):
        if type(family) not in known:
            raise InputError(
                f"fourth_derivative has no divergence for {type(family).__name__}. It works for "
                f"{', '.join(sorted(f.__name__ for f in known))}; rsens and rsens2 work for every family."
            )


def _nodes(p: Distribution) -> tuple[Array, Array]:
    """Nodes and weights for the sum over y, filled up to a power of two with weight 0: few shapes, few compilations."""
    if type(p) not in SUMMED:
        empty = np.zeros((len(p.parameters), 0))
        return empty, empty
    nodes, weights = SUMMED[type(p)][0](p)
    missing = (1 << (nodes.shape[1] - 1).bit_length()) - nodes.shape[1]
    filling = ((0, 0), (0, missing))
    return np.pad(nodes, filling + ((0, 0),) * (nodes.ndim - 2), mode="edge"), np.pad(weights, filling)


def _program(fn: Callable[[Any], Distribution], template: Distribution, alpha: float) -> Callable[..., Any]:
    """The second derivative of D along every column, and the fourth along every pair, of all rows at once."""
    import jax
    import jax.numpy as jnp

    def program(x: Any, leaves: list[Any], nodes: Any, weights: Any, first: Any, then: Any) -> tuple[Any, Any]:
        p = template.rebuilt(iter([jnp.asarray(leaf) for leaf in leaves]))

        def divergence(z: Any) -> Any:
            q = fn(z)
            if type(p) in NATURAL:
                value = jensen_divergence(NATURAL[type(p)](p, q), alpha)
            else:
                value = summed_divergence(SUMMED[type(p)][1](p, q, nodes), weights, alpha)
            return jnp.broadcast_to(value, x.shape[:1])

        def twice(f: Callable[[Any], Any], direction: Any) -> Callable[[Any], Any]:
            """∂²f along a direction. Rows are independent, so one tangent serves them all."""
            tangent = jnp.broadcast_to(direction, x.shape)

            def once(z: Any) -> Any:
                return jax.jvp(f, (z,), (tangent,))[1]

            return lambda z: jax.jvp(once, (z,), (tangent,))[1]

        second = jax.lax.map(lambda d: twice(divergence, d)(x), jnp.eye(x.shape[1]))
        fourth = jax.lax.map(lambda pair: twice(twice(divergence, pair[0]), pair[1])(x), (first, then))
        return second, fourth

    return program


def _check_second(second: Array, expected: Array, start: int) -> None:
    """∂²D/∂x_d² is α R-sens² (paper eqs. 1 and 2); where it is not, ∂⁴D cannot be trusted either."""
    with np.errstate(invalid="ignore"):
        off = np.abs(second - expected) > 1e-6 * expected.max(axis=1, keepdims=True)
    if off.any():
        row, column = (int(i) for i in np.argwhere(off)[0])
        raise InputError(
            f"The divergence at row {start + row} cannot be differentiated accurately: its second derivative comes out "
            f"as {second[row, column]:.8g} instead of {expected[row, column]:.8g}. The parameters there are too "
            "extreme for fourth_derivative; leave such rows out, or use rsens2."
        )
