"""`evaluations` is what it says: the rows that the model was really asked about, by every method there is."""

import numpy as np
import pandas as pd
import pytest

from rsens._compare import compare, known
from rsens.derivatives import from_function
from rsens.distributions import Normal

rng = np.random.default_rng(0)
X = pd.DataFrame({"a": rng.normal(size=20), "b": rng.normal(size=20), "flag": np.arange(20) % 2})
MIXED = X.assign(site=np.where(np.arange(20) % 3 == 0, "north", "south"))
Y = rng.normal(size=20)
#: Every method that works for any model, by order. The others never ask (ard), or need a function in JAX.
METHODS = [(name, order) for order in (1, 2) for name in known(order) if name != "ard"]


class Asked:
    """How many rows a function was asked about."""

    def __init__(self):
        self.rows = 0

    def __call__(self, X):
        self.rows += len(X)
        return Normal(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 0], 1.0 + X[:, 1] ** 2)


@pytest.mark.parametrize(("name", "order"), METHODS)
def test_differences_count_every_copy_of_a_row(name, order):
    asked = Asked()
    table = compare(from_function(asked), MIXED, Y, methods=name, order=order, budget="paper", random_state=0)
    assert (table["status"] == "ok").all()
    assert table["evaluations"].iloc[0] == asked.rows > 0


def test_a_function_in_jax_counts_rows():
    import jax.numpy as jnp

    from rsens.derivatives import from_jax

    model = from_jax(lambda rows: Normal(rows[:, 0] * jnp.sin(rows[:, 1]), 1.0))
    numbers = X[["a", "b"]].to_numpy()
    for name, order in (("rsens", 1), ("rsens2", 2)):
        assert compare(model, numbers, methods=name, order=order)["evaluations"].iloc[0] == len(X)
