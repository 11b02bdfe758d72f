"""A function that returns the wrong thing gets an error that says what, whichever source differentiates it."""

import re
import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
import torch

from rsens._errors import Argument, InputError, MissingExtraError, RsensWarning
from rsens.distributions import (
    Bernoulli,
    Binomial,
    Categorical,
    Histogram,
    Mixture,
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
)
from tests.derivatives.sources import DIFFERENCES, JAX, SOURCES, TORCH, rows

SOURCE = pytest.mark.parametrize("source", SOURCES, ids=[source.name for source in SOURCES])

WRONG = {
    "tuple": (lambda s, X: (X[:, 0], X[:, 1]), "got a tuple of 2"),
    "list": (lambda s, X: [X[:, 0]], "got a list of 1"),
    "nothing": (lambda s, X: None, "got None (is a return missing?)"),
    "class": (lambda s, X: Normal, "got the class Normal without its parameters"),
    "number": (lambda s, X: 1.0, "got float"),
    "other object": (lambda s, X: SimpleNamespace(), "got SimpleNamespace of types"),
    "array": (lambda s, X: X[:, 0], "of shape ("),
    "extra axis": (lambda s, X: Normal(X[:, :1], 1.0), ", 1), variance ()"),
    "too few rows": (lambda s, X: Normal(X[:-1, 0], 1.0), "got Normal(mean ("),
    "rows that do not match": (lambda s, X: Normal(X[:, 0], X[:-1, 0] ** 2 + 1.0), "and no axis too many"),
    "not a matrix": (lambda s, X: MultivariateNormal(X[:, :2], X[:, :2]), "covariance"),
    "components no list": (lambda s, X: Mixture(Normal(X[:, 0], 1.0), [1.0]), "Mixture([Normal(…), Normal(…)]"),
    "negative variance": (lambda s, X: Normal(X[:, 0], X[:, 1]), "variance must be finite and greater than 0"),
    "complex": (lambda s, X: Normal(X[:, 0] * (1.0 + 2.0j), 1.0), "complex"),
    "NaN": (lambda s, X: Normal(X[:, 0] * float("nan"), 1.0), "mean must be finite; got nan"),
    "infinite": (lambda s, X: Poisson(X[:, 0] ** 2 + float("inf")), "greater than 0; got inf"),
    "probabilities above 1": (lambda s, X: Bernoulli(X[:, 0] ** 2 + 1.5), "probability must be between 0 and 1"),
    "probabilities that miss 1": (lambda s, X: Categorical(s.xp.exp(-(X**2)) / 4.0), "must add up to 1"),
    "neither": (lambda s, X: Bernoulli(), "either probability or logit; got neither"),
    "both": (lambda s, X: Bernoulli(X[:, 0], logit=X[:, 0]), "either probability or logit; got both"),
    "df of x": (lambda s, X: StudentT(X[:, 0], 1.0, 3.0 + X[:, 1] ** 2), "df depends on x"),
    "borders of x": (
        lambda s, X: Histogram(X[:, 0].mean() + s.array([0.0, 1.0]), s.array([[1.0]] * len(X))), "borders depends on x"
    ),
    "n of x": (lambda s, X: Binomial(10.0 + X[:, 1] ** 2, logit=X[:, 0]), "Binomial: n must be whole numbers"),
    "weights of x": (
        lambda s, X: Mixture(
            [Normal(X[:, 0], 1.0), Normal(X[:, 1], 1.0)],
            s.xp.stack([1.0 / (1.0 + X[:, 0] ** 2), X[:, 0] ** 2 / (1.0 + X[:, 0] ** 2)], -1),
        ),
        "weights depends on x",
    ),
    "df of x in a component": (
        lambda s, X: Mixture([StudentT(X[:, 0], 1.0, 3.0 + X[:, 1] ** 2), Normal(X[:, 1], 1.0)], s.array([0.5, 0.5])),
        "components[0].df depends on x",
    ),
    "mean over rows": (lambda s, X: Normal(X[:, 0] - X[:, 0].mean(), 1.0), "mixes rows"),
    "running sum": (lambda s, X: Normal(s.xp.cumsum(X[:, 0], 0), 1.0), "mixes rows"),
    "place in the batch": (lambda s, X: Normal(X[:, 0] + s.array(np.arange(len(X))), 1.0), "mixes rows"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
@SOURCE
def test_wrong_results(source, name):
    function, text = WRONG[name]
    with pytest.raises(InputError, match=re.escape(text)):
        source.model(function).derivatives(rows(8), 1)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 17])
@SOURCE
def test_mixing_is_seen_with_any_number_of_rows(source, n):
    for X in (rows(n), np.ones((n, 3))):
        with pytest.raises(InputError, match="mixes rows"):
            source.model(WRONG["mean over rows"][0]).derivatives(X, 1)


@pytest.mark.parametrize("n", [1, 2, 3, 16])
@SOURCE
def test_what_does_not_mix_rows_is_accepted(source, n):
    """A matrix of rows by rows is fine as long as each row uses its own entry."""

    def diagonal(s, X):
        return Normal(X[:, 0], s.xp.diagonal(s.xp.exp(-((X[:, None] - X) ** 2).sum(-1))) + X[:, 1] ** 2)

    record = source.model(diagonal).derivatives(rows(n), 2)
    source.close(record.first[:, 1, 1], 2.0 * rows(n)[:, 1])
    source.close2(record.second[:, 1, 1, 1], np.full(n, 2.0))


@SOURCE
def test_rows_are_checked(source):
    model = source.model(lambda s, X: Normal(X[:, 0], 1.0))
    for call in (lambda X: model.derivatives(X, 1), model.predict_distribution, model.prepared):
        with pytest.raises(InputError, match="no rows"):
            call(np.zeros((0, 2)))
        with pytest.raises(InputError, match="'x0' has 1 missing"):
            call([[np.nan]])


@SOURCE
def test_arguments_are_checked(source):
    for order in (0, 3, "1", None):
        with pytest.raises(InputError) as error:
            source.model(lambda s, X: Normal(X[:, 0], 1.0)).derivatives(rows(), order)
        assert error.value.argument == "order"
    with pytest.raises(InputError, match="got int") as error:
        source.wrap(3)
    assert error.value.argument == "fn"


@SOURCE
def test_arguments_in_single_precision(source):
    """Constants are fine: they are exact numbers. A derivative that was cut off is reported."""
    half = {"jax": jnp.float32(0.5), "torch": torch.tensor(0.5), "differences": np.float32(0.5)}[source.name]
    record = source.model(lambda s, X: Normal(X[:, 0], half)).derivatives(rows(), 1)
    source.close(record.first[:, 0, 0], np.ones(7))
    cut = {"jax": jax.lax.stop_gradient, "torch": torch.Tensor.detach}.get(source.name)
    if cut is None:  # see test_differences.py
        return
    single = {"jax": lambda x: x.astype(jnp.float32), "torch": torch.Tensor.float}[source.name]
    with pytest.raises(InputError, match="mean was computed in single precision"):
        source.model(lambda s, X: Normal(single(X[:, 0]), 1.0)).derivatives(rows(), 1)
    with pytest.warns(RsensWarning, match="'mean' differs between rows, but its derivative is zero"):
        source.model(lambda s, X: Normal(cut(X[:, 0]), s.xp.exp(X[:, 1]))).derivatives(rows(), 1)


@pytest.mark.parametrize("source", [JAX, TORCH], ids=["jax", "torch"])
def test_without_the_library(source, monkeypatch):
    monkeypatch.setitem(sys.modules, source.name, None)
    with pytest.raises(MissingExtraError, match=rf"rsens\[{source.name}\]"):
        source.wrap(lambda X: Normal(X[:, 0], 1.0))


@pytest.mark.parametrize("source", [JAX, TORCH], ids=["jax", "torch"])
def test_a_derivative_that_does_not_exist(source):
    with pytest.raises(InputError, match=r"first derivative of 'mean' in column 0 .* is nan at row 1"):
        source.model(lambda s, X: Normal(s.xp.sqrt(X[:, 0] ** 2), 1.0)).derivatives([[1.0], [0.0], [2.0]], 1)


def test_a_boundary_within_a_step():
    model = DIFFERENCES.model(lambda s, X: Normal(X[:, 0], 1.0 - X[:, 1]))
    with pytest.raises(InputError, match=r"at rows moved by a step: Normal: variance .* smaller step") as error:
        model.derivatives([[0.0, 1.0 - 1e-9], [1.0, 0.0]], 1)
    assert [part.name for part in error.value.sentence.parts if isinstance(part, Argument)] == ["variance", "step"]


def test_a_family_that_changes():
    model = DIFFERENCES.model(lambda s, X: Normal(X[:, 0], 1.0) if len(X) < 20 else Poisson(np.exp(X[:, 0])))
    with pytest.raises(InputError, match=re.escape("got Normal(mean (), variance ()) and then Poisson(rate ())")):
        model.derivatives(rows(10), 1)


@pytest.mark.parametrize("source", [TORCH, DIFFERENCES], ids=["torch", "differences"])
def test_a_random_function(source):
    """JAX draws NumPy's random numbers once, while it traces, and its own depend on the place in the batch (above)."""
    rng = np.random.default_rng(0)
    for sd in (1e-4, 1.0):
        model = source.model(lambda s, X, sd=sd: Normal(X[:, 0] + s.array(sd * rng.normal(size=len(X))), 1.0))
        with pytest.raises(InputError, match="the function is random"):
            model.derivatives(rows(), 1)


@SOURCE
def test_errors_of_the_function_itself_come_through(source):
    with pytest.raises(ZeroDivisionError):
        source.model(lambda s, X: Normal(X[:, 0], 1 / 0)).derivatives(rows(), 1)


def test_a_list_of_tensors_keeps_its_derivative():
    record = TORCH.wrap(lambda X: Normal([2.0 * X[i, 0] for i in range(len(X))], 1.0)).derivatives(rows(), 1)
    np.testing.assert_allclose(record.first[:, 0], np.tile([2.0, 0.0, 0.0], (7, 1)), rtol=1e-12)


def test_steps_by_name_are_refused_not_misread():
    with pytest.raises(InputError, match="in the order of the columns"):
        DIFFERENCES.wrap(lambda X: Normal(X[:, 0], 1.0), step=pd.Series({"b": 1e-3, "a": 0.5}))
