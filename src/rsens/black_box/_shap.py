"""SHAP: the share of each variable in a prediction, as a game shares its gain among players.

Štrumbelj and Kononenko (2014), "Explaining prediction models and individual predictions with feature contributions";
Lundberg and Lee (2017), "A unified approach to interpreting model predictions". With a random order of the variables, S
those before x_d, and a random background row z,

    φ_d(x) = E[f(x_S, x_d, z elsewhere) − f(x_S, z elsewhere)],   value = 1/n Σ_i |φ_d(x_i)|.

The package shap computes the values: exact where 2^D coalitions cost no more than `budget.permutations` orders,
else from these orders (`PermutationExplainer`), with `budget.background` rows z. Budget "paper": one S and one z for
every row and variable, and the mean of the absolute differences. Each difference has the expectation φ_d(x), but its
absolute value does not have the expectation |φ_d(x)|: this is larger, the more f varies with the other variables.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from rsens._errors import MissingExtraError
from rsens._typing import Array, Flags
from rsens.black_box._budget import Budget
from rsens.black_box._predictor import MOST_ROWS, Predictor, over_pairs, sample_rows


def shap(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The mean absolute Shapley value of every column (D,), summed over outputs."""
    predictor.check_rows("shap")
    if budget.paper:
        return np.abs(contributions(predictor, rng)).sum(axis=2).mean(axis=1)
    return np.abs(shapley_values(predictor, budget, rng)).sum(axis=2).mean(axis=0)


def contributions(predictor: Predictor, rng: np.random.Generator) -> Array:
    """The change of f when x_d joins one random coalition, for every column and row, (D, n, P)."""
    x = predictor.values
    n, D = x.shape
    changes = []
    for d in range(D):
        place = rng.random((n, D))  # sorted by it, the columns are in random order
        z = x[rng.integers(n, size=n)]
        without = np.where(place < place[:, [d]], x, z)
        joined = without.copy()
        joined[:, d] = x[:, d]
        f_with, f_without = predictor.predict(np.stack([joined, without]))
        changes.append(f_with - f_without)
    return np.stack(changes)


def shapley_values(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """Shapley values of at most `budget.rows` rows, (n, D, P), by the package shap."""
    package = _package()
    explained = sample_rows(predictor.values, budget.rows, rng)
    used = np.concatenate([explained, sample_rows(predictor.values, budget.background, rng)])
    varying = np.flatnonzero(np.ptp(used, axis=0) > 0.0)
    if not len(varying):
        return np.zeros((*explained.shape, 1))
    # shap treats close values as equal, in any unit of a column (np.isclose). So each value is replaced by
    # its number among the values of its column.
    distinct, numbered = zip(*(np.unique(used[:, d], return_inverse=True) for d in varying), strict=True)
    rows, background = np.split(np.stack(numbered, axis=1).astype(np.float64), [len(explained)])

    def predict(numbers: Array) -> Array:
        blocks = np.repeat(used[:1], len(numbers), axis=0)
        for k, d in enumerate(varying):
            blocks[:, d] = distinct[k][numbers[:, k].astype(np.intp)]
        return predictor.predict(blocks)

    # A row that is like the whole background has no share in anything; shap would read outside an empty array.
    differs = (rows[:, None] != background).any(axis=(1, 2))
    masker = package.maskers.Independent(background, max_samples=len(background))
    orders = budget.permutations * (2 * len(varying) + 1)
    with _own_random_state():
        if 2 ** len(varying) <= orders:
            explain = partial(package.ExactExplainer(predict, masker), silent=True)
        else:
            seed = int(rng.integers(2**31))
            explain = partial(package.PermutationExplainer(predict, masker, seed=seed), max_evals=orders, silent=True)
        # One row in a call: from the second on, shap 0.51 would compute main effects that nobody asked for.
        found = np.stack([explain(row[None]).values[0] for row in rows[differs]])
    found = found.reshape(len(found), len(varying), -1)  # shap has no axis for a single output
    values = np.zeros((*explained.shape, found.shape[2]))
    values[np.ix_(differs, varying)] = found
    return values


def _package() -> Any:
    """The package shap, without the warnings that its import raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import shap
        except ImportError:
            raise MissingExtraError("shap", "compare") from None
    return shap


@contextmanager
def _own_random_state() -> Iterator[None]:
    """shap seeds NumPy's global random numbers; this puts the caller's state back."""
    state = np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


# Pairwise Shapley interactions (Grabisch and Roubens, 1999): the mean size of the joint effect of two columns.
# With v(S) the prediction where the columns S come from a row x and the others from background rows,
#
#     φ_de(x) = Σ_S w_S [v(S ∪ {d, e}) − v(S ∪ {d}) − v(S ∪ {e}) + v(S)],   S without d and e,
#
# where w_S weighs all sizes of S equally, and all S of one size equally. The value of a pair is the mean of |φ_de| over
# rows. It is the whole interaction: f = x_d·x_e with independent columns of mean 0 gives the mean of |x_d·x_e|. (The
# interaction matrices of the package shap hold one half at (d, e) and the other at (e, d).)


def shap_pairs(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The mean of |φ_de| over rows, summed over the outputs of the model.

    Budget "paper": one random S and one random background row for every row and pair. Such a contribution is right on
    average, but its absolute value is too large: for f = x_d·x_e with normal columns, twice as large.
    """
    predictor.check_rows("shap")
    if predictor.values.shape[1] < 2:
        return np.zeros((1, 1))
    return _one_coalition(predictor, rng) if budget.paper else _by_shapiq(predictor, budget, rng)


def _one_coalition(predictor: Predictor, rng: np.random.Generator) -> Array:
    n, D = predictor.values.shape

    def value(d: int, e: int) -> float:
        # A column is in S with a probability that is itself uniform: all sizes of S are then equally likely.
        S = rng.random((n, D)) < rng.random((n, 1))
        background = predictor.values[rng.integers(n, size=n)]
        coalitions = np.repeat(S[None], 4, axis=0)
        coalitions[:, :, d] = np.array([True, True, False, False])[:, None]
        coalitions[:, :, e] = np.array([True, False, True, False])[:, None]
        both, only_d, only_e, neither = predictor.predict(np.where(coalitions, predictor.values, background))
        return float(np.abs(both - only_d - only_e + neither).sum(axis=1).mean())

    return over_pairs(D, value)


def _by_shapiq(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """KernelSHAP-IQ (Fumagalli et al., 2024): φ as the solution of weighted least squares on sampled coalitions.

    With as many coalitions as there are, 2^D, it is exact, but for the rounding of its large weights (1e-7 or so).
    """
    try:
        from shapiq import KernelSHAPIQ
    except ImportError:
        raise MissingExtraError("shapiq", "compare") from None
    D = predictor.values.shape[1]
    rows = sample_rows(predictor.values, budget.rows, rng)
    background = sample_rows(predictor.values, budget.background, rng)
    # Least squares with 1 + D + D(D − 1)/2 unknowns: about two coalitions for each, at least.
    n_coalitions = min(max(budget.coalitions, D * (D + 1) + 2), 2**D)
    n_outputs = predictor.predict(rows[:1]).shape[-1]
    total = np.zeros((D, D))
    for row in rows:
        game, seed = _game(predictor, row, background), int(rng.integers(2**31))
        for output in range(n_outputs):  # one seed: the coalitions are the same for all outputs
            solver = KernelSHAPIQ(D, max_order=2, index="SII", pairing_trick=True, random_state=seed)
            found = solver.approximate(n_coalitions, partial(game, output))
            total += np.abs(found.get_n_order_values(2))
    return total / len(rows)


def _game(predictor: Predictor, row: Array, background: Array) -> Callable[[int, Flags], Array]:
    """v(S) for one row: the mean over the background rows. Later calls reuse the coalitions of the first."""
    most, values = max(1, MOST_ROWS // len(background)), list[Array]()  # one (coalitions, outputs)

    def game(output: int, coalitions: Flags) -> Array:
        if not values:
            parts = (coalitions[k : k + most, None] for k in range(0, len(coalitions), most))
            means = [predictor.predict(np.where(part, row, background)).mean(axis=1) for part in parts]
            values.append(np.concatenate(means))
        return values[0][:, output]

    return game
