"""The calls that are recorded with libraries of a separate environment."""

import numpy as np

import rsens
from tests.golden import data
from tests.golden.flatten import Numbers, both, explained, flat


def from_pymc() -> Numbers:
    import pymc as pm

    X, y = data.array(30)
    with pm.Model() as program:
        rows = pm.Data("X", X)
        slope = pm.Normal("slope", 0.0, 1.0, shape=3)
        between = pm.Normal("both")
        sigma = pm.HalfNormal("sigma")
        pm.Normal("y", rows @ slope + between * rows[:, 0] * rows[:, 1], sigma, observed=y)
    model = rsens.from_pymc(program, data.draws())
    explanation = rsens.explain(model, X, random_state=0)
    return both(model, X[:15]) | explained(explanation)


def from_bambi() -> Numbers:
    import bambi
    import xarray as xr

    X, y = data.mixed(40)
    rng = np.random.default_rng(0)
    made = {"Intercept": (), "a": (), "b": (), "a:b": (), "sigma": ()}
    arrays = {}
    for name in made:
        values = rng.normal(0.5, 0.1, size=(2, 6))
        arrays[name] = xr.DataArray(values, {"chain": np.arange(2), "draw": np.arange(6)}, ["chain", "draw"])
    program = bambi.Model("y ~ a * b", X.assign(y=y))
    program.build()
    model = rsens.from_bambi(program, xr.DataTree.from_dict({"posterior": xr.Dataset(arrays)}))
    return both(model, X[["a", "b"]][:10])


def skpro_regressor() -> Numbers:
    from skpro.regression.linear import ARDRegression

    X, y = data.numeric(60)
    model = ARDRegression().fit(X, y.to_frame())
    return flat(rsens=rsens.rsens(model, X[:15]))


#: The calls by name, and the library that each needs.
CALLS = {"from_pymc": from_pymc, "from_bambi": from_bambi, "skpro_regressor": skpro_regressor}
NEEDS = {"from_pymc": "pymc", "from_bambi": "bambi", "skpro_regressor": "skpro"}
DIFFERENCES = {"from_bambi", "skpro_regressor"}
