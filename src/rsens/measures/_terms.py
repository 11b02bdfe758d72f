"""Terms, which are ranked, and their units. A term is a single column, or a group of columns that move together.

The unit of a column is its standard deviation, 1, or a number that the user gives.
A model may have two optional attributes about its training data, both in the columns of X:

    input_scale_       (D,)    standard deviation of each training input (divisor N)
    training_inputs_   (N, D)  the training inputs themselves, which `Explanation.extrapolation` compares with too

Without them the rows of X that are explained take the place of the training data.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError, warn
from rsens._table import Table, as_pandas, column_deviations, column_positions
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters import as_model
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution

#: Names of a column of ones in statsmodels and formulas, which need no warning.
INTERCEPTS = ("const", "Intercept")
Groups = Mapping[str, Sequence[str | int]]


@dataclass(frozen=True)
class Terms:
    """Names of the terms, and the positions of their columns."""

    names: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, groups: Any, columns: tuple[str, ...]) -> Terms:
        """A term for each group, and for each column outside them."""
        resolved = resolve_groups({} if groups is None else groups, columns)
        return cls(tuple(resolved), tuple(resolved.values()))

    @classmethod
    def single(cls, n_columns: int) -> Terms:
        """A term for each column, named x0, x1, …"""
        return cls(tuple(f"x{d}" for d in range(n_columns)), tuple((d,) for d in range(n_columns)))

    def __len__(self) -> int:
        return len(self.names)

    def extended(self, names: tuple[str, ...], members: tuple[tuple[int, ...], ...]) -> Terms:
        """The same terms followed by more."""
        return Terms(self.names + names, self.members + members)

    @cached_property
    def grouped(self) -> tuple[int, ...]:
        """Positions of the terms of several columns."""
        return tuple(t for t, members in enumerate(self.members) if len(members) > 1)

    @property
    def grouped_columns(self) -> tuple[int, ...]:
        """Positions of the columns that belong to these."""
        return tuple(d for t in self.grouped for d in self.members[t])

    @cached_property
    def _first(self) -> list[int]:
        return [members[0] for members in self.members]

    def of_column(self, column: int) -> int:
        """The term that a column belongs to."""
        return next(t for t, members in enumerate(self.members) if column in members)

    def of_columns(self, values: Array, fill: float) -> Array:
        """Values (…, D) by column as values (…, T) by term; a group gets `fill`."""
        by_term = values[..., self._first]
        by_term[..., list(self.grouped)] = fill
        return by_term

    def along(self, first: Array, family: Distribution) -> Array:
        """∂λ (n, M, T) along each term: its column, or the direction within the group in which λ moves most.

        That direction is the first right singular vector of the columns of W = B ∂λ, Bᵀ B = I(λ), that belong to the
        group; the Fisher norm along it is the group norm, sqrt(λ_max(W_Sᵀ W_S)).
        """
        if not self.grouped:
            return first
        whitened, along = family.whiten(first), first[..., self._first]
        for t in self.grouped:
            columns = list(self.members[t])
            _, _, directions = np.linalg.svd(whitened[..., columns], full_matrices=False)
            along[..., t] = np.einsum("nmd,nd->nm", first[..., columns], directions[:, 0])
        return along

    def lengths(self, values: Array) -> Array:
        """Sizes (…, T) of signed values (…, D): of a group, the length of the vector of its columns' values."""
        by_term = np.abs(values[..., self._first])
        for t in self.grouped:
            by_term[..., t] = np.linalg.norm(values[..., list(self.members[t])], axis=-1)
        return by_term

    def pair_lengths(self, values: Array) -> Array:
        """Sizes (…, T, T) of signed values (…, D, D): with a group in the pair, as `pair_norms` of one function."""
        by_term = np.abs(values[..., self._first, :][..., self._first])
        for s in self.grouped:
            for t in range(len(self)):
                block = values[..., list(self.members[s]), :][..., list(self.members[t])]
                by_term[..., s, t] = by_term[..., t, s] = np.linalg.norm(block, axis=(-2, -1))
        return by_term

    def pair_norms(self, norms: Array, whitened: Array) -> Array:
        """R-sens₂ (n, T, T) of pairs of terms, from the norms (n, D, D) of columns and the whitened ∂²λ (n, R, D, D).

        With a group in the pair it is the largest norm over unit combinations of the second derivatives that link its
        terms: for a column and a group, the largest R-sens₂ of that column with a direction within the group.
        """
        by_term = norms[:, self._first][:, :, self._first]
        d = whitened.shape[-1]
        flat = whitened.reshape(*whitened.shape[:2], d * d)
        for s in self.grouped:
            for t in range(len(self)):
                links = [a * d + b for a in self.members[s] for b in self.members[t]]
                by_term[:, s, t] = by_term[:, t, s] = np.linalg.norm(flat[..., links], ord=2, axis=(1, 2))
        return by_term


def units_and_terms(derivatives: Derivatives, units: Array | None, terms: Terms | None) -> tuple[Array, Terms]:
    """Units and terms as given; None means the units of the columns, and single columns."""
    n_columns = derivatives.first.shape[-1]
    return np.ones(n_columns) if units is None else units, terms or Terms.single(n_columns)


def check_groups(terms: Terms, table: Table) -> None:
    """An error that names the categorical columns of a group, which cannot be moved along a direction."""
    check_group_columns(terms, table.names, () if table.coding is None else table.coding.categorical)


def check_group_columns(terms: Terms, names: Sequence[str], categorical: Collection[int]) -> None:
    """The same for columns by name, with the positions of the categorical ones."""
    for t in terms.grouped:
        wrong = [repr(names[d]) for d in terms.members[t] if d in categorical]
        if wrong:
            raise InputError(
                Argument("groups"),
                f": {terms.names[t]!r} has the categorical column {', '.join(wrong)}, and a group is moved along a "
                "direction, which levels do not have. Leave categorical columns out of groups.",
            )


def resolve_groups(groups: Groups, names: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Positions of the columns of every term, groups and single columns, in the order of their first column."""
    if not isinstance(groups, Mapping):
        raise InputError(
            Argument("groups"), f" must be a dict from a name to its columns; got {type(groups).__name__}."
        )
    owner: dict[int, str] = {}
    for name, members in groups.items():
        positions = column_positions(members, names, "groups")
        if not positions:
            raise InputError(Argument("groups"), f": {name!r} needs a list of at least one column; got {members!r}.")
        twice = [names[d] for d in positions if d in owner]
        if twice:
            raise InputError(
                Argument("groups"), f": column {twice[0]!r} is in two groups. Let every column belong to one at most."
            )
        owner |= dict.fromkeys(positions, str(name))
    terms: dict[str, tuple[int, ...]] = {}
    for d, column in enumerate(names):
        if d not in owner and column in owner.values():
            raise InputError(
                Argument("groups"),
                f": the name {column!r} belongs to a column outside the group too. Rename the group.",
            )
        term = owner.get(d, column)
        terms[term] = (*terms.get(term, ()), d)
    return terms


def column_units(scale: Any, deviations: Array, names: tuple[str, ...]) -> Array:
    """The step of each column, shape (D,): `scale` is "sd", "raw", or one number per column."""
    scale = read_scale(scale, names)
    if not isinstance(scale, str):
        return scale
    if scale == "raw":
        return np.ones(len(names))
    constant = [name for name, deviation in zip(names, deviations, strict=True) if deviation == 0.0]
    if len(constant) == len(names):
        raise InputError(
            Argument("scale", "sd"),
            " measures in standard deviations, and no column of X varies. Explain more rows, or use scale='raw' or one "
            "number per column.",
        )
    constant = [name for name in constant if name not in INTERCEPTS]
    if constant:
        warn(
            f"Constant columns have no standard deviation and get the sensitivity 0: {quoted(constant)}. Leave them "
            "out, or use scale='raw' or one number per column."
        )
    return deviations


def read_scale(scale: Any, names: tuple[str, ...]) -> str | Array:
    """The argument `scale`, checked: "sd", "raw", or one number per column in their order."""
    if scale is None or (isinstance(scale, str) and scale not in ("sd", "raw")):
        raise InputError(Argument("scale"), f" must be 'sd', 'raw' or one number per column; got {scale!r}.")
    return scale if isinstance(scale, str) else check_scale(scale, names)


def deviations_of(model: Any, table: Table, training: Array | None, weights: Array) -> Array:
    """The standard deviation of each column (D,), or `level_deviations` in columns of levels.

    From the model where it knows them, else from its training inputs, else from the table under the weights.
    """
    values = table.values if table.coding is None else table.coding.numbers(table.values)
    deviations = _attribute(model, "input_scale_", values.shape[1], 1)
    if deviations is None:
        deviations = column_deviations(values, weights) if training is None else column_deviations(training)
    return deviations if table.coding is None else level_deviations(deviations, table.coding)


def level_deviations(deviations: Array, coding: Coding) -> Array:
    """Standard deviations with √(P(two rows differ)/2) in columns of levels: √((1 − Σ_l f_l²)/2), f the frequencies.

    For a number sd² = ½ E[(x − x′)²], with x and x′ from two random rows. Levels are only equal or different, so that
    E[(x − x′)²] becomes P(x ≠ x′). Two levels have √(f(1 − f)), the standard deviation of a 0/1 column; one level
    has 0. The unit of a numeric column of two values is its deviation over their gap.
    """
    units = deviations.copy()
    for column in coding.columns:
        d, f = column.position, column.frequencies
        if column.numeric and len(column) == 2:
            units[d] = deviations[d] / np.ptp(column.numbers)
        else:
            units[d] = np.sqrt(0.5 * (1.0 - float(f @ f))) if np.count_nonzero(f) > 1 else 0.0
    return units


def training_inputs(model: Any, n_columns: int) -> Array | None:
    """The inputs (N, D) that the model was trained on, or None if it does not have them."""
    return _attribute(model, "training_inputs_", n_columns, 2)


def _attribute(model: Any, name: str, n_columns: int, axes: int) -> Array | None:
    """A model's `input_scale_` (D,) or `training_inputs_` (N, D), checked; None if it has none."""
    given = getattr(as_model(model), name)
    if given is None:
        return None
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    fits = values.ndim == axes and values.size > 0 and values.shape[-1] == n_columns and np.isfinite(values).all()
    if not fits or (axes == 1 and (values < 0.0).any()):
        raise InputError(
            f"{name} of {type(model).__name__} must hold finite numbers for each of the {n_columns} columns of X; got "
            f"{f'shape {values.shape}' if values.ndim else repr(given)}. Give X the columns the model was fitted on."
        )
    return values


def check_weights(weights: Any, n: int) -> Array:
    """One weight per row, adding up to 1; None gives equal weights."""
    if weights is None:
        return np.full(n, 1.0 / n)
    values = _numbers(weights, "weights")
    if values.shape != (n,):
        raise InputError(
            Argument("weights"), f": expected one number for each of the {n} rows; got shape {values.shape}."
        )
    if not (np.isfinite(values) & (values >= 0.0)).all() or not values.any():
        raise InputError(
            Argument("weights"), " must be finite, at least 0, and not all 0. Leave out rows that should not count."
        )
    values = values / values.max()  # the sum of large weights need not fit in float64
    return values / values.sum()


def check_scale(scale: Any, names: tuple[str, ...]) -> Array:
    """One factor per column: a Series or dict by name, or numbers in the order of the columns; None gives ones."""
    if scale is None:
        return np.ones(len(names))
    if hasattr(scale, "keys"):
        given = {str(key): scale[key] for key in scale.keys()}  # noqa: SIM118  (a Series iterates over its values)
        missing = [name for name in names if name not in given]
        if missing:
            raise InputError(Argument("scale"), f" has no entry for {quoted(missing)}. Give one number per column.")
        scale = [given[name] for name in names]
    values = _numbers(scale, "scale")
    if values.shape != (len(names),):
        raise InputError(
            Argument("scale"), f": expected one number for each of the {len(names)} columns; got shape {values.shape}."
        )
    bad = ~(np.isfinite(values) & (values >= 0.0))
    if bad.any():
        raise InputError(
            Argument("scale"), f" must be finite and at least 0; got {values[bad][0]:g} for {names[bad.argmax()]!r}."
        )
    return values


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.asarray(as_pandas(values, what), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument(what), f" must be numbers; got {type(values).__name__}.") from None
