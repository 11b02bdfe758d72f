"""Budgets: the number of predictions that a black-box method may ask for.

"paper" is the cheapest estimator of each method, as the paper used it: about 2 to 9 predictions per row and column
(its supplement, "Computational cost details"). It is made for rankings over many repetitions, and is noisy in one.
"standard" and "full" estimate the same quantities as their authors define them, with less noise and more predictions.
"""

from __future__ import annotations

from dataclasses import dataclass

from rsens._arguments import whole_number
from rsens._errors import Argument, InputError


@dataclass(frozen=True)
class Budget:
    """The sizes of samples and grids.

    Args:
        name: The name in results.
        paper: Use the cheap estimators of the paper. The sizes below are then the paper's, but `nodes` can be changed.
        rows: The most rows used where all pairs or many coalitions are asked about (apc, shap, h); None for all. If X
            has more, a random sample of them is used.
        average: The most rows that an average is taken over at every grid point or node (pd, var); None for all.
        background: Rows that replace a variable that is left out (shap).
        permutations: Orders in which variables are added, forwards and backwards, for every row (shap).
        coalitions: The fewest sets of variables to ask about for every row (shap of pairs); all, if there are fewer.
        repeats: Permutations of every column (pfi).
        grid: Grid points of a variable (pd).
        pair_grid: Grid points of each variable of a pair (pd of pairs).
        nodes: Quadrature nodes (var).

    Example:
        >>> import rsens
        >>> from rsens.black_box import Budget
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0], 1.0))
        >>> budget = Budget("few points", grid=5)
        >>> X = [[0.0], [1.0], [2.0], [4.0]]
        >>> rsens.compare(model, X, methods=["pd"], budget=budget, random_state=0)["evaluations"].item()
        18
    """

    name: str
    paper: bool = False
    rows: int | None = None
    average: int | None = None
    background: int = 100
    permutations: int = 10
    coalitions: int = 1024
    repeats: int = 20
    grid: int = 50
    pair_grid: int = 20
    nodes: int = 41

    def __post_init__(self) -> None:
        for name in ("background", "permutations", "coalitions", "repeats"):
            whole_number(getattr(self, name), name, 1)
        for name in ("grid", "pair_grid", "nodes"):  # a spread takes two points
            whole_number(getattr(self, name), name, 2)
        for name in ("rows", "average"):
            if getattr(self, name) is not None:
                whole_number(getattr(self, name), name, 2)


BUDGETS: dict[str, Budget] = {
    budget.name: budget
    for budget in (
        Budget("paper", True, background=1, permutations=1, coalitions=1, repeats=1, grid=9, pair_grid=3, nodes=9),
        Budget("standard", False, 100, 1000, 50, 3, coalitions=256, repeats=5, grid=20, pair_grid=8, nodes=21),
        Budget("full", False, 400, 20000, 100, 10, coalitions=1024, repeats=20, grid=50, pair_grid=20, nodes=41),
    )
}


def budget_of(budget: str | Budget) -> Budget:
    """The budget of this name; a `Budget` is returned unchanged."""
    if isinstance(budget, Budget):
        return budget
    if not isinstance(budget, str) or budget not in BUDGETS:
        raise InputError(Argument("budget"), f" must be {', '.join(map(repr, BUDGETS))} or a Budget; got {budget!r}.")
    return BUDGETS[budget]
