"""Random forests for regression: the mean over trees, and the spread of the training targets that they found at x.

A tree drawn at random, and then a training row drawn from the leaf of x, give a target whose mean is the prediction of
the forest. Its variance is (law of total variance)

    Var_t[mean of the leaf of tree t] + E_t[variance of the targets in that leaf],

the second term being the `impurity` of the leaf under squared error. Fully grown trees have one target per leaf, and
then the spread between trees is all of it; with large leaves the second term takes over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters._sklearn._understood import Understood, check_fitted
from rsens.derivatives import Finding
from rsens.distributions import Normal

#: Criteria whose impurity is a variance.
VARIANCE = ("squared_error", "friedman_mse")
#: Where all trees agree on one target, the standard deviation is still this share of the target's own.
LEAST = 0.01
#: Leaves that hold less than this share of the variance of the targets count as leaves of one target.
PURE = 0.01


def read_forest(forest: Any) -> Understood:
    """Normal(mean over trees, variance between and within leaves)."""
    check_fitted(forest)
    name = type(forest).__name__
    if forest.n_outputs_ != 1:
        raise InputError(f"{name} predicts several targets at once; rsens explains one. Fit one per target.")
    if forest.criterion not in VARIANCE:
        raise InputError(
            f"{name} was fitted with criterion={forest.criterion!r}, whose leaves do not say how far their targets are "
            "spread. Fit with criterion='squared_error', or say it yourself: from_function(lambda X: "
            "Normal(forest.predict(X), variance), step=0.3)."
        )
    trees = [tree.tree_ for tree in forest.estimators_]
    if len(trees) < 2:
        raise InputError(f"{name} has one tree, and so no spread between trees. Fit more: n_estimators=100.")
    means = [tree.value[:, 0, 0] for tree in trees]
    variances = [tree.impurity for tree in trees]
    pure = _is_pure(trees)
    if pure and not forest.bootstrap:
        raise InputError(
            f"{name} has leaves of one target and no bootstrap: at the rows it was fitted to, all trees find the same "
            "target, and nothing is left of the spread. Fit with min_samples_leaf=5, or with bootstrap=True."
        )
    least = LEAST**2 * float(np.mean([impurity[0] for impurity in variances]))

    def predict(X: Any) -> Normal:
        leaves = forest.apply(X).T  # (trees, n)
        mean = _by_tree(means, leaves)
        within = _by_tree(variances, leaves).mean(axis=0)
        return Normal(mean.mean(axis=0), np.maximum(mean.var(axis=0) + within, least))

    text = f"the variance is that of training targets in the leaves of a row, between and within {len(trees)} trees"
    alone = "; leaves hold one target, so at the rows it was fitted to it is too narrow. Fit with min_samples_leaf=5"
    finding = Finding("spread", "warning" if pure else "ok", f"{text}{alone if pure else ''}.")
    return Understood(predict, "Normal", "included: targets between and within the trees' leaves", findings=(finding,))


def _is_pure(trees: list[Any]) -> bool:
    """Whether leaves hold hardly any variance: the trees were grown until each target stood alone."""
    inside, all_in = 0.0, 0.0
    for tree in trees:
        leaf = tree.children_left < 0
        inside += float(tree.impurity[leaf] @ tree.weighted_n_node_samples[leaf])
        all_in += float(tree.impurity[0] * tree.weighted_n_node_samples[0])
    return inside < PURE * all_in


def _by_tree(values: list[Array], leaves: Any) -> Array:
    """A value of each tree at the leaf of every row, (trees, n)."""
    return np.stack([own[leaf] for own, leaf in zip(values, leaves, strict=True)])
