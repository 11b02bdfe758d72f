"""Reduced models: what a warm start takes over, and that it loses nothing."""

import numpy as np
import pytest

from rsens._select_interactions._reduced_models import (
    KernelTerms,
    ReducedModels,
    _log_posterior,
    _with_shared_terms,
    fit_kernel,
)
from rsens.kernels import EQ
from rsens.models import GPClassifier, GPRegressor
from tests.select_interactions.simulated import classes, counts, no_interactions, two_interactions, with_levels

TWO = [frozenset(), frozenset([(1, 2)]), frozenset([(1, 2), (0, 3)])]
ONE = [frozenset(), frozenset([(0, 1)])]
CASES = {
    "gaussian": (GPRegressor(), two_interactions(40), KernelTerms(4), TWO),
    "student_t": (GPRegressor(likelihood="student_t"), no_interactions(30), KernelTerms(3), ONE),
    "poisson": (GPRegressor(likelihood="poisson"), counts(40), KernelTerms(3), ONE),
    "probit": (GPClassifier(), classes(40), KernelTerms(3), ONE),
    "categorical": (GPRegressor(), with_levels(40), KernelTerms(3, (1, 2)), ONE),
}


@pytest.mark.parametrize("name", CASES)
def test_a_warm_start_loses_nothing(name):
    """Two starts, the usual one and the smaller model's, find at least what the usual one finds with two restarts."""
    estimator, (X, y), terms, sets = CASES[name]
    estimator.set_params(random_state=0, n_restarts=2)
    fits = ReducedModels(estimator, terms, X, y)
    warm = [_log_posterior(fits.model(s, b)) for s, b in zip(sets, [None, *sets], strict=False)]
    assert fits.model(sets[1], sets[0]) is fits.model(sets[1], sets[0])  # each set is fitted once
    assert len(fits.models) == len(sets)
    usual = [_log_posterior(fit_kernel(estimator, terms.kernel(s), X, y)) for s in sets]
    # 1e-3: what L-BFGS-B leaves undone in log posterior, far below anything that shows in predictions
    assert (np.array(warm) > np.array(usual) - 1e-3).all()


def test_what_a_warm_start_takes_over():
    X, y = two_interactions(40)
    terms = KernelTerms(4)
    smaller = fit_kernel(GPRegressor(n_restarts=0), terms.kernel(TWO[1]), X, y)
    start = _with_shared_terms(terms.kernel(TWO[2]), terms, TWO[2], smaller, TWO[1])
    learned = smaller._gps[0].kernel.terms
    assert start.terms[:4] == learned[:4]
    assert start.terms[4] == EQ(1.0, (1.0, 1.0), dims=(0, 3))  # new
    assert start.terms[5] == learned[4]
    # Three classes are three GPs: the mean of the logarithms of their hyperparameters.
    X, y = classes(45)
    terms = KernelTerms(3)
    y = np.where(X[:, 2] > 1.0, "other", y)
    smaller = fit_kernel(GPClassifier(n_restarts=0), terms.kernel(ONE[0]), X, y)
    start = _with_shared_terms(terms.kernel(ONE[1]), terms, ONE[1], smaller, ONE[0])
    thetas = [gp.kernel.theta for gp in smaller._gps]
    assert len(thetas) == 3
    np.testing.assert_allclose(start.theta[:6], np.mean(thetas, axis=0), rtol=1e-12)
