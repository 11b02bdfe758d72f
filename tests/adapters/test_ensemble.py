"""Ensembles: several models as one, whose predictive is the mixture of theirs."""

import numpy as np
import pandas as pd
import pytest

from rsens import GPRegressor, assess, explain, from_draws, from_ensemble, from_function, rsens, rsens2
from rsens._errors import InputError
from rsens.distributions import Bernoulli, Mixture, Normal, Poisson, StudentT

rng = np.random.default_rng(0)
X = rng.normal(size=(8, 3))
B = rng.normal(size=(4, 3)) * 0.4 + 1.0

FAMILIES = {
    "Normal": lambda p, X: Normal(np.sin(X @ p["b"]), np.exp(0.3 * X[:, 1])),
    "Bernoulli": lambda p, X: Bernoulli(logit=X @ p["b"]),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_members_are_draws(name):
    """The same functions as draws and as members: R-sens to rounding, R-sens₂ to that of second differences."""
    fn = FAMILIES[name]
    members = from_ensemble([from_function(lambda X, b=b: fn({"b": b}, X)) for b in B], weights=[1, 2, 1, 1])
    draws = from_draws(fn, {"b": B}, weights=[1, 2, 1, 1])
    np.testing.assert_allclose(rsens(members, X), rsens(draws, X), rtol=1e-9)
    np.testing.assert_allclose(rsens2(members, X), rsens2(draws, X), atol=1e-6)


def test_fitted_models_with_levels_and_flags():
    n = 40
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "flag": np.arange(n) % 2 * 1.0,
            "city": pd.Categorical(np.array(["u", "v", "w"])[np.arange(n) % 3]),
        }
    )
    y = frame["a"] * (1 + frame["flag"]) + (frame["city"] == "u") + 0.3 * rng.normal(size=n)
    halves = [np.arange(n) % 3 != k for k in range(3)]
    fits = [GPRegressor(random_state=0).fit(frame[rows], y[rows]) for rows in halves]
    e = explain(from_ensemble(fits), frame, scale="raw")
    assert set(e.categorical) == {"flag", "city"}
    np.testing.assert_allclose(e.parts.sum(axis=1), e.main, rtol=1e-10)


def test_families_of_one_kind_of_y_may_differ():
    models = [from_function(lambda X: Normal(X[:, 0], 1.0)), from_function(lambda X: StudentT(X[:, 1], 2.0, 5.0))]
    model = from_ensemble(models)
    p = model.predict_distribution(X)
    t = np.arange(-20.0, 20.0, 0.005)
    y = np.sinh(t)[:, None] + 0.0 * X[:, 0]
    density, step = np.exp(p.log_prob(y)), 0.005 * np.cosh(t)[:, None]
    h = np.eye(3)[0] * 1e-5
    up, down = (np.exp(model.predict_distribution(X + s * h).log_prob(y)) for s in (1.0, -1.0))
    want = np.sqrt((step * ((up - down) / 2e-5) ** 2 / density).sum(axis=0))
    np.testing.assert_allclose(rsens(model, X)[:, 0], want, rtol=1e-6)
    assert np.isfinite(rsens2(model, X)).all()


def test_the_mixture_is_assessed():
    rows, y = rng.normal(size=(40, 2)), rng.normal(size=40)

    def refit(X, y):
        return from_ensemble([GPRegressor(random_state=k, n_restarts=0).fit(X[k::2], y[k::2]) for k in range(2)])

    assert np.isfinite(assess(refit(rows, y), rows, y, refit=refit).score)


def test_what_is_no_ensemble_is_refused():
    model = from_function(lambda X: Normal(X[:, 0], 1.0))
    for wrong, options, argument in (
        ([], {}, "models"),
        (model, {}, "models"),
        ([model] * 2, {"weights": [1]}, "weights"),
    ):
        with pytest.raises(InputError) as error:
            from_ensemble(wrong, **options)
        assert error.value.argument == argument
    with pytest.raises(InputError, match="predicts a mixture"):
        rsens(from_ensemble([from_ensemble([model, model]), model]), X)
    with pytest.raises(InputError, match="same kind of y"):
        rsens(from_ensemble([model, from_function(lambda X: Poisson(X[:, 0] ** 2 + 1.0))]), X)
    assert isinstance(from_ensemble([model, model]).predict_distribution(X), Mixture)
