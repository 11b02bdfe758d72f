"""Small data, and comparisons that say how far two models are apart."""

import numpy as np

from rsens.adapters import as_model
from rsens.derivatives import iterate, rows_of

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=40)
LABELS = np.where(Y > 0.1, "yes", "no")
THREE = np.where(Y > 0.5, "high", np.where(Y < -0.5, "low", "middle"))
#: Training rows, where distances are 0, and others.
ROWS = np.vstack([X[:12], rng.normal(size=(8, 3))])


def record(model, rows=ROWS, order=2):
    """The derivatives of a model at the rows, in one piece."""
    source = as_model(model).coded(rows)
    table = rows_of(source, rows)
    ((_, found),) = iterate(source, table, order, watch=False)
    return found


def gap(a, b):
    """The largest difference, relative to the largest value."""
    return np.abs(np.asarray(a) - b).max() / np.abs(b).max()


def gaps(model, native, rows=ROWS):
    """How far λ and its first and second derivatives are apart, parameter by parameter."""
    ours, theirs = record(model, rows), record(native, rows)
    assert type(ours.distribution) is type(theirs.distribution)
    found = []
    for m in range(ours.first.shape[1]):
        found += [gap(ours.distribution.parameters[:, m], theirs.distribution.parameters[:, m])]
        found += [gap(ours.first[:, m], theirs.first[:, m]), gap(ours.second[:, m], theirs.second[:, m])]
    return np.array(found)


def by_richardson(fn, X, h=1e-2):
    """First and second derivatives of fn(X) (n, L) by differences over h and h/2, extrapolated: an oracle to 1e-7."""

    def quotients(h):
        E = h * np.eye(X.shape[1])
        first = np.stack([(fn(X + e) - fn(X - e)) / (2 * h) for e in E], axis=-1)
        corner = [[(fn(X + a + b) - fn(X + a - b) - fn(X - a + b) + fn(X - a - b)) / (4 * h * h) for b in E] for a in E]
        return first, np.moveaxis(np.array(corner), (0, 1), (-2, -1))

    coarse, fine = quotients(h), quotients(h / 2)
    return tuple((4 * f - c) / 3 for c, f in zip(coarse, fine, strict=True))
