"""NumPyro with the draws in ArviZ's container, and with a newer JAX than in the other environment."""

import numpy as np
import numpyro
import numpyro.distributions as dist
import xarray as xr

import rsens
from rsens import from_numpyro
from tests.adapters.oracles import rsens_of_normals

rng = np.random.default_rng(5)


def linear(X, y=None):
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0).expand([X.shape[1]]).to_event(1))
    sigma = numpyro.sample("sigma", dist.HalfNormal(1.0))
    with numpyro.plate("rows", X.shape[0]):
        numpyro.sample("y", dist.Normal(X @ slope, sigma), obs=y)


def test_draws_in_a_data_tree(rows):
    slope, sigma = rng.normal(size=(2, 10, 3)), np.exp(rng.normal(size=(2, 10)))
    tree = xr.DataTree.from_dict(
        {"posterior": xr.Dataset({"slope": (["chain", "draw", "d"], slope), "sigma": (["chain", "draw"], sigma)})}
    )
    ours = rsens.rsens(from_numpyro(linear, tree), rows[:5])
    expected = rsens_of_normals(rows[:5], slope.reshape(20, 3), np.zeros(20), sigma.reshape(20))
    np.testing.assert_allclose(ours, expected, rtol=1e-7)  # the integral stops at a change of 1e-6
