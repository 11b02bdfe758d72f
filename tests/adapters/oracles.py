"""Answers that share nothing with the code under test, here and in tests_adapters."""

import numpy as np


def rsens_of_normals(X, slope, intercept, sigma):
    """R-sens of the mixture of Normals that are linear in x: ∫ (∂p)²/p dy on a grid fine enough for 1e-10."""
    values = np.empty(X.shape)
    intercept, sigma = intercept[:, None], sigma[:, None]
    for i, x in enumerate(X):
        mean = (slope @ x)[:, None] + intercept
        y = np.linspace((mean - 12 * sigma).min(), (mean + 12 * sigma).max(), 2_001)
        density = np.exp(-0.5 * ((y - mean) / sigma) ** 2) / sigma / np.sqrt(2 * np.pi) / len(sigma)
        moved = (density * (y - mean) / sigma**2).T @ slope
        values[i] = np.sqrt(np.trapezoid(moved.T**2 / density.sum(axis=0), y, axis=1))
    return values
