"""`from_function`: any function of rows as a model, differentiated by central differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from rsens._coding import Coding
from rsens._table import positive_per_column
from rsens._typing import Array
from rsens.derivatives import _output as output
from rsens.derivatives._derivatives import Derivatives
from rsens.derivatives._difference_checks import check_first, check_half_step, check_second
from rsens.derivatives._differences import ROWS_PER_CALL, Differences, Steps
from rsens.derivatives._model import Counter, Function, Model, rows_for, rows_of
from rsens.distributions import Distribution


def from_function(
    fn: Callable[[Array], Any],
    step: ArrayLike | None = None,
    *,
    scale: ArrayLike | None = None,
    categorical: Any = None,
) -> Model:
    """A model from any function of rows, differentiated by central differences.

    The function takes rows X, a float64 array of shape (n, D), and returns a family computed in float64, or a
    distribution that `as_family` knows (SciPy's, for example), each row of it from the same row of X only. It is called
    with many moved copies of the rows at once: 2D per row for first derivatives, 2D² + 2D for second ones. Derivatives
    at 8 rows and the 8 largest second differences of each batch are also taken over half the step. A warning names the
    columns where that changes them by more than 1 %; second differences that come from jumps, rounding or kinks are an
    error. A random function (a simulation) must use the same random numbers in every call.

    Args:
        fn: The function.
        step: How far to move each column, in units of its scale: one number, or one per column. The default, about 6e-6
            for first and 1.2e-4 for second derivatives, suits functions that are smooth on the scale of a column:
            first derivatives are right to about 1e-10 of the values, second ones to 1e-7; both errors grow with the
            square of how much faster the function changes. Predictions of trees and other piecewise-constant models
            change in jumps: take a step over several jumps, 0.1 to 0.5, and read the result as an average slope.
        scale: The unit of each column: one number, or one per column. The default is its standard deviation over all
            explained rows. If that is more than twice the estimate from the middle half of the distinct values,
            range/1.349, a few values far out dominate it, and the estimate is used instead. Rows more than 10 units
            from the median have a tenth of that distance as their unit. If all values are equal, the unit is their
            magnitude, at least 1: a guess, which the check above looks at.
        categorical: Columns that are categorical, by name or position, in addition to a data frame's columns of type
            category, text or bool: R-sens compares their levels instead of differentiating. The function gets numbers
            there as they are, and otherwise level codes 0, 1, … in the order of pandas' categories or sorted. Codes
            come from the explained rows, so name all levels if some may be missing: {"city": ["Bergen", "Oslo"]}.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Give a Bernoulli or Binomial by its logit if you can: the differences are then differences of the logit, which keep
    their digits even if the probability is close to 0 or 1.

    Example:
        >>> import numpy as np
        >>> from rsens import Normal, from_function, rsens
        >>> model = from_function(lambda X: Normal(mean=np.sin(X[:, 0]), variance=np.exp(X[:, 1])))
        >>> rsens(model, [[0.0, 0.0]]).round(6).tolist()
        [[1.0, 0.707107]]
    """
    output.check_function(fn, "from_function")
    return DifferenceModel(
        fn,
        None if step is None else positive_per_column(step, None, "step"),
        None if scale is None else positive_per_column(scale, None, "scale"),
        categorical,
    )


@dataclass(frozen=True, eq=False)
class DifferenceModel(Function):
    """The model that `from_function` makes."""

    fn: Callable[[Array], Distribution]
    step: Array | None
    scale: Array | None
    categorical: Any = None
    coding: Coding | None = None
    #: M, which decides how many rows fit in memory; set by `prepared`.
    parameters: int = 4
    #: The steps for all explained rows; set by `prepared`.
    steps: Steps | None = None

    by_differences: ClassVar[bool] = True
    made: ClassVar[str] = "by differences"

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        if self.steps is None:
            return self.prepared(X)._derivatives(X, order)
        table = rows_of(self, X)
        X = self.numbers(table)
        here, levels = output.evaluate(self.fn, X), output.categorical_values(self.coding, X)
        λ = here.distribution.parameters
        output.check_rows_independent(lambda Z: output.parameters_at(self.fn, Z), X, λ, self.coding)
        at = Differences.of(self.fn, X, here, self.continuous(X.shape[1]), self.steps)
        h = at.widths(1)
        changes = at.changes(h)
        first, second = at.first(h, changes), None
        flat = check_first(at, changes, order, table.names, levels)
        if order == 2:
            second = at.second(at.widths(2))
            check_second(at, first, second, table.names)
        if self.steps.step is None and not flat:
            check_half_step(at, table.names)
        first, second = (output.spread_out(each, self.coding, axes) for axes, each in ((1, first), (2, second)))
        return Derivatives(here.distribution, *here.chain(first, second))

    def predict_distribution(self, X: Any) -> Distribution:
        return output.evaluate(self.fn, self.coded(X).numbers(X)).distribution

    def counted(self, counter: Counter) -> DifferenceModel:
        """Moved copies of a row count as well: the function is asked about each."""
        return replace(self, fn=counter.calls(self.fn))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        points = 2 * n_columns + (2 * n_columns**2 if order == 2 else 0)
        return min(ROWS_PER_CALL, rows_for(8 * self.parameters * 3 * points))

    def prepared(self, X: Any) -> DifferenceModel:
        model = self.coded(X)
        table = rows_of(model, X)
        numbers = model.numbers(table)
        parameters = output.parameters_at(self.fn, numbers[:1]).shape[-1]
        return replace(model, steps=Steps.of(numbers, self.step, self.scale), parameters=parameters)
