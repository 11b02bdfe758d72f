"""Central differences, extrapolated, for tests of derivatives."""

import numpy as np


def gradient(function, theta, h=2e-3):
    """The gradient of a function of a vector; extrapolated twice, so that the error is O(h⁶), and 1e-15·|value|/h."""

    def central(step):
        return np.array([(function(theta + e) - function(theta - e)) / (2.0 * step) for e in step * np.eye(len(theta))])

    coarse, middle, fine = (central(h / 2.0**k) for k in range(3))
    return (64.0 * fine - 20.0 * middle + coarse) / 45.0


def of_rows(function, X, h):
    """First (n, …, D) and second (n, …, D, D) derivatives of a function of rows; h for all columns or per column."""
    h = np.broadcast_to(h, X.shape[1])

    def first(share):
        columns = zip(share * h, np.eye(len(h)), strict=True)
        return np.stack([(function(X + s * e) - function(X - s * e)) / (2.0 * s) for s, e in columns], -1)

    def mixed(a, b):
        corners = function(X + a + b) - function(X + a - b) - function(X - a + b) + function(X - a - b)
        return corners / (4.0 * a.max() * b.max())

    def second(share):
        steps = np.diag(share * h)
        return np.stack([np.stack([mixed(a, b) for b in steps], -1) for a in steps], -1)

    return (4.0 * first(0.5) - first(1.0)) / 3.0, (4.0 * second(0.5) - second(1.0)) / 3.0
