"""How unsure a fit is of combinations of its predictions."""

import numpy as np
import pytest

import rsens

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(60)
ROWS, WEIGHTS = RNG.standard_normal((20, 3)), RNG.standard_normal((4, 20))
FIXED = {"optimize": False}


def test_an_exact_gp_has_the_covariance_of_the_textbook():
    """k** − kᵀ(K + σ²I)⁻¹k (GPML, equation 2.24), written out with the kernel in the units of the data."""
    model = rsens.GPRegressor(**FIXED).fit(X, Y)
    Z, N = ROWS - model.input_mean_, X - model.input_mean_
    k = model.kernel_(N, Z)
    covariance = model.kernel_(Z) - k.T @ np.linalg.solve(model.kernel_(N) + model.noise_variance_ * np.eye(60), k)
    expected = np.diag(WEIGHTS @ covariance @ WEIGHTS.T)
    np.testing.assert_allclose(model.prediction_variances(ROWS, WEIGHTS)[:, 0], expected, rtol=1e-8)


@pytest.mark.parametrize("inducing", [None, 15])
def test_of_single_predictions_it_is_their_variance_without_noise(inducing):
    model = rsens.GPRegressor(inducing=inducing, **FIXED).fit(X, Y)
    expected = model.predict_distribution(ROWS).variance - model.noise_variance_
    np.testing.assert_allclose(model.prediction_variances(ROWS, np.eye(20))[:, 0], expected, rtol=1e-8)


def test_a_linear_model_has_the_covariance_of_its_coefficients():
    model = rsens.BayesianLinearRegression().fit(X, Y)
    A, Z = (np.column_stack([np.ones(len(rows)), rows]) for rows in (X, ROWS))
    unit = model.noise_variance_ * model.degrees_of_freedom_ / (model.degrees_of_freedom_ - 2.0)
    combined = WEIGHTS @ Z
    expected = unit * np.sum((combined @ np.linalg.inv(A.T @ A)) * combined, axis=1)
    np.testing.assert_allclose(model.prediction_variances(ROWS, WEIGHTS)[:, 0], expected, rtol=1e-9)


def test_of_counts_it_follows_the_slope_of_the_rate():
    """exp(m + v/2) has the slope of the rate itself in m: the variance of log rates times the rates squared."""
    counts = np.round(np.exp(Y))
    model = rsens.BayesianPoissonRegression().fit(X, counts)
    rate = model.predict_distribution(ROWS).mean
    scaled = WEIGHTS * rate
    design = np.column_stack([ROWS, np.ones(20)])
    spread = np.zeros((4, 4))
    spread[:3, :3] = model.coef_covariance_
    differences = scaled - scaled.mean(axis=1, keepdims=True)  # add up to 0: the intercept does not count
    expected = np.sum((differences @ design @ spread) * (differences @ design), axis=1)
    np.testing.assert_allclose(model.prediction_variances(ROWS, differences / rate)[:, 0], expected, rtol=1e-8)


@pytest.mark.parametrize(
    "model", [rsens.GPClassifier(**FIXED), rsens.BayesianLogisticRegression()], ids=lambda m: type(m).__name__
)
def test_probabilities_of_all_classes_are_known_together(model):
    """They add up to 1, so with three classes no two of them can be unsure of the third alone."""
    classes = np.digitize(Y, [-0.5, 0.5])
    two = model.fit(X, (Y > 0.0).astype(int)).prediction_variances(ROWS, WEIGHTS)
    three = model.fit(X, classes).prediction_variances(ROWS, WEIGHTS)
    assert (two.shape, three.shape) == ((4, 1), (4, 3))
    roots = np.sqrt(three)
    assert (roots > 0.0).all()
    assert (roots.max(axis=1) <= roots.sum(axis=1) - roots.max(axis=1) + 1e-12).all()
