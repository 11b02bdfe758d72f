"""Derivatives of a function written in JAX: forward mode, along every column of all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from rsens._coding import Coding
from rsens._errors import InputError, MissingExtraError
from rsens._typing import Array
from rsens.derivatives._model import CACHE_BYTES, FEW_ROWS, MAX_BYTES, DifferentiatedFunction, Model, rows_of
from rsens.derivatives._output import check_function, family_from, first_rows, parameters_of
from rsens.distributions import Distribution


def from_jax(fn: Callable[[Any], Any], *, categorical: Any = None) -> Model:
    """A model from a function written in JAX.

    The function takes rows X, shape (n, D), and returns a family built from JAX arrays, or a distribution that
    `as_family` knows (NumPyro's, for example), each row of it from the same row of X only. It runs in float64
    under any setting of JAX, and is compiled once for each number of rows (rounded up to a power of two): after
    changing anything it closes over, call `from_jax` again. If an index is too large, JAX takes the last column instead
    of raising an error.

    Args:
        fn: The function.
        categorical: Columns that are categorical, as in `from_function`.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> import jax.numpy as jnp
        >>> from rsens import Normal, from_jax, rsens
        >>> model = from_jax(lambda X: Normal(mean=jnp.sin(X[:, 0]), variance=jnp.exp(X[:, 1])))
        >>> rsens(model, [[0.0, 0.0]]).round(6).tolist()
        [[1.0, 0.707107]]
    """
    check_function(fn, "from_jax")
    try:
        import jax  # noqa: F401
    except ImportError:
        raise MissingExtraError("jax", "jax") from None
    return JaxModel(fn, categorical=categorical)


@dataclass(frozen=True)
class _Program:
    """A compiled function of X for one shape, and the family that the user's function returned while it was traced."""

    run: Callable[[Any], Any]
    family: Distribution
    single: list[bool]
    bytes: int


@dataclass(frozen=True, eq=False)
class JaxModel(DifferentiatedFunction):
    """The model that `from_jax` makes."""

    fn: Callable[[Any], Distribution]
    #: How many rows are explained; set by `prepared`.
    n_rows: int = 2**16
    programs: dict[tuple[int, ...], _Program] = field(default_factory=dict, repr=False)
    categorical: Any = None
    coding: Coding | None = None

    made: ClassVar[str] = "automatic (JAX)"

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        # The compiler reports how much memory it needs. That grows with the rows, and faster than they do where the
        # function makes an array of rows by rows: so the guess is checked.
        order = order if self.continuous(n_columns) else 0
        most = _power_of_two_from(self.n_rows)
        few = min(FEW_ROWS, most)
        used = self._program(order, few, n_columns, self.n_rows).bytes
        rows = min(most, max(few, 1 << max(0, int(few * CACHE_BYTES / used).bit_length() - 1)))
        while rows > 1 and self._program(order, rows, n_columns, self.n_rows).bytes > MAX_BYTES:
            rows //= 2
        return rows

    def prepared(self, X: Any) -> JaxModel:
        model = self.coded(X)
        return replace(model, n_rows=len(rows_of(model, X)))

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: without the compiled programs, which are compiled again when needed."""
        return {**self.__dict__, "programs": {}}

    def _results(self, X: Array, order: int) -> tuple[Distribution, Array, list[bool], Any, Any, Any]:
        import jax

        # The next power of two, or twice that if only this is compiled already: the last chunk may be smaller.
        n, columns = X.shape
        rows = _power_of_two_from(n)
        compiled = [self._key(order, size, columns) in self.programs for size in (rows, 2 * rows)]
        if compiled == [False, True]:
            rows *= 2
        program = self._program(order, rows, columns, n)
        padded = np.concatenate([X, np.broadcast_to(X[-1], (rows - n, columns))])
        with jax.enable_x64(True):
            (λ, leaves), moved, first, second = jax.tree.map(np.asarray, program.run(padded))
        family = first_rows(program.family.rebuilt(iter(leaves)), n)
        first, second = (None if part is None else part[:n] for part in (first, second))
        return family, λ[:n], program.single, moved, first, second

    def _program(self, order: int, rows: int, columns: int, given: int) -> _Program:
        """The program for this number of rows, of which at most `given` are the user's own."""
        key = self._key(order, rows, columns)
        if key not in self.programs:
            continuous = self.continuous(columns)
            self.programs[key] = _compile(self.fn, order, rows, columns, continuous, min(given, rows))
        return self.programs[key]

    def _key(self, order: int, rows: int, columns: int) -> tuple[int, ...]:
        return order, rows, columns, *(() if self.coding is None else self.coding.categorical)


def _compile(
    fn: Callable[[Any], Distribution], order: int, rows: int, columns: int, continuous: list[int], given: int
) -> _Program:
    import jax
    import jax.numpy as jnp

    traced: list[Distribution] = []
    single: list[bool] = []

    def values(X: Any) -> tuple[Any, list[Any]]:
        """λ, shape (n, M), and the leaves that the family is rebuilt from."""
        n = X.shape[0]
        family = family_from(fn, X)
        try:
            leaves = [jnp.asarray(leaf) for leaf in family.leaves()]
            if any(jnp.iscomplexobj(leaf) for leaf in leaves):
                raise TypeError("an argument is complex; it must be real.")
        except (TypeError, ValueError) as error:
            raise InputError(f"{type(family).__name__} is not built from JAX arrays: {error}") from None
        single[:] = [leaf.dtype in (jnp.float32, jnp.float16, jnp.bfloat16) for leaf in leaves]
        leaves = [leaf.astype(jnp.float64) for leaf in leaves]
        traced[:] = [family.rebuilt(iter([np.broadcast_to(0.0, leaf.shape) for leaf in leaves]))]
        λ = parameters_of(family.rebuilt(iter(leaves)), n)
        return jnp.broadcast_to(λ, (n, λ.shape[-1])), leaves

    def along_columns(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """∂f/∂x_d for every continuous d, on a new last axis; one tangent, e_d on every row, serves all rows."""

        def derivative(X: Any) -> Any:
            def along(e: Any) -> Any:
                return jax.jvp(f, (X,), (jnp.broadcast_to(e, X.shape),))[1]

            return jax.vmap(along, out_axes=-1)(jnp.eye(columns)[np.array(continuous)])

        return derivative

    def results(X: Any) -> Any:
        if order == 0:
            return values(X), None, None, None
        first, leaves = along_columns(values)(X)
        moved = jnp.array([jnp.any(leaf != 0.0) for leaf in leaves])
        second = along_columns(along_columns(lambda Z: values(Z)[0]))(X) if order == 2 else None
        return values(X), moved, first, second

    with jax.enable_x64(True):
        try:
            compiled = jax.jit(results).lower(jax.ShapeDtypeStruct((rows, columns), jnp.float64)).compile()
        except InputError:
            # Again without the rows that pad to a power of two, so that the message counts the user's own.
            jax.eval_shape(values, jax.ShapeDtypeStruct((given, columns), jnp.float64))
            raise
        except (jax.errors.JAXTypeError, jax.errors.JAXIndexError) as error:
            raise InputError(
                "the function cannot be traced by JAX: it turns X into a NumPy array or branches on its values "
                f"({str(error).splitlines()[0]}). Use jax.numpy and jnp.where, or from_function for plain NumPy."
            ) from error
        memory = compiled.memory_analysis()
    used = memory.temp_size_in_bytes + memory.output_size_in_bytes if memory is not None else 0
    return _Program(compiled, traced[0], list(single), max(1, used))


def _power_of_two_from(n: int) -> int:
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length()
