"""The supplement's comparison of R-sens₂ with the full fourth derivative; test_make.py runs the script."""

import numpy as np

from experiments._interacting import PAIRS, TRUE, fit_process, simulate
from experiments.fourth_derivative import NULL_RATIO, TRUE_RATIO, claims, in_jax
from rsens.measures import importance


def test_the_function_in_jax_is_the_fitted_process():
    X, y = simulate(40, np.random.default_rng(0))
    gp = fit_process(X, y)
    # The same numbers by automatic differentiation: only rounding, which the inverse of a covariance magnifies.
    np.testing.assert_allclose(importance("rsens2", in_jax(gp, y), X), importance("rsens2", gp, X), rtol=1e-8)


def test_statements_are_judged_by_ratios():
    true = np.isin(range(len(PAIRS)), [PAIRS.index(pair) for pair in TRUE])

    def result(of_true, of_null):
        return {"rsens2": np.where(true, 1.0, 0.1), "fourth_derivative": np.where(true, of_true, of_null)}

    alike = claims({(k,): result(0.95 + 0.01 * k, 0.8) for k in range(3)}).set_index("claim")
    assert alike["holds"].to_list() == ["yes", "yes", "yes", "", "", "", ""]
    assert alike.loc[TRUE_RATIO, "ours"] == 0.96
    apart = claims({(k,): result(0.8, 0.1) for k in range(3)}).set_index("claim")["holds"]
    assert apart[TRUE_RATIO] == apart[NULL_RATIO] == "no"
