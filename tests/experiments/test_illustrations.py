"""Figures 1 and 2 and the supplement's figure: lines are the paper's formulas, files are the same every time."""

import numpy as np
import pytest
from scipy.special import ndtr

from experiments.illustrations import COEFFICIENTS, gaussian_process, linear_regression, probit_regression


def test_figure_1_sensitivity_falls_where_uncertainty_grows():
    table, x, _ = gaussian_process(0)
    # R-sens² = (∂E/sd)² + (∂V/V)²/2 for a normal distribution; ∂V by differences of a fine grid.
    V = table["sd"] ** 2
    expected = np.sqrt(table["derivative"] ** 2 / V + 0.5 * (np.gradient(V, table["x"]) / V) ** 2)
    np.testing.assert_allclose(table["rsens"][1:-1], expected[1:-1], rtol=0.01)
    gap = table["x"].between(6.0, 7.0)
    data = table["x"].between(x.min(), 5.0)
    share = table["rsens"] / table["derivative"]
    assert share[gap].mean() < 0.5 * share[data].mean()


def test_figure_2_is_equation_5():
    rng = np.random.default_rng([0, 2])
    X = rng.standard_normal((10, 2))
    y = X @ COEFFICIENTS + 0.5 * rng.standard_normal(10)
    inverse, nu = np.linalg.inv(X.T @ X), 8
    beta = inverse @ X.T @ y
    s2 = np.sum((y - X @ beta) ** 2) / nu
    for d, part in linear_regression(0).groupby("variable"):
        column = int(d[1]) - 1
        rows = np.zeros((len(part), 2))
        rows[:, column] = part["x"]
        var = s2 * (1.0 + np.einsum("id,de,ie->i", rows, inverse, rows))
        V_d = (rows @ inverse)[:, column]
        np.testing.assert_allclose(part["first"] ** 2, (nu + 1) * beta[column] ** 2 / ((nu + 3) * var), rtol=1e-9)
        second = 2 * nu * s2**2 * V_d**2 / var / ((nu + 3) * var)
        np.testing.assert_allclose(part["second"] ** 2, second, rtol=1e-9, atol=1e-20)
        np.testing.assert_allclose(part["rsens"] ** 2, part["first"] ** 2 + part["second"] ** 2, rtol=1e-9)


def test_probit_figure_is_the_formula_of_the_supplement():
    for name, part in probit_regression(0).groupby("variable"):
        information = 1.0 / (part["probability"] * (1.0 - part["probability"]))
        np.testing.assert_allclose(part["rsens"], np.sqrt(information) * part["derivative"], rtol=1e-9)
        middle = part["x"].abs().argmin()
        if name == "x1":  # the true coefficient is 1; its posterior sd with 1000 observations is about 0.06
            np.testing.assert_allclose(part["probability"], ndtr(part["x"]), atol=0.05)
            share = part["rsens"] / part["derivative"]
            assert share.iloc[middle] == pytest.approx(share.min())  # more weight further away
        else:
            assert part["rsens"].max() < 0.15
