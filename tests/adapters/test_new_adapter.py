"""A foreign model becomes known by an `Adapter` and one line in `ADAPTERS`: every call then takes it as it is."""

from __future__ import annotations

import numpy as np
import pytest

import rsens
from rsens import InputError, Normal, from_function
from rsens.adapters import ADAPTERS, Adapter

X = np.random.default_rng(0).normal(size=(30, 3))
SETTINGS = {"null": False, "intervals": False, "random_state": 0}


class Foreign:
    """As another library might have it: a mean and a standard deviation for rows."""

    def mu_and_sd(self, rows):
        return np.sin(rows[:, 0]) * rows[:, 1], np.exp(0.3 * rows[:, 2])


def predictive(model):
    def normal(rows):
        mean, deviation = model.mu_and_sd(rows)
        return Normal(mean, deviation**2)

    return normal


FOREIGN = Adapter(
    "objects with mu_and_sd(rows)", lambda obj: hasattr(obj, "mu_and_sd"), lambda obj: from_function(predictive(obj))
)
CALLS = {
    "rsens": lambda model: rsens.rsens(model, X),
    "rsens2": lambda model: rsens.rsens2(model, X),
    "explain": lambda model: rsens.explain(model, X, **SETTINGS).main.to_numpy(),
    "compare": lambda model: rsens.compare(model, X, methods=["rsens", "ead"], random_state=0)["value"].to_numpy(),
}


@pytest.fixture
def adapted():
    ADAPTERS.append(FOREIGN)
    yield
    ADAPTERS.remove(FOREIGN)


@pytest.mark.parametrize("name", CALLS)
def test_every_call_takes_it_as_it_is(adapted, name):
    np.testing.assert_array_equal(CALLS[name](Foreign()), CALLS[name](from_function(predictive(Foreign()))))


@pytest.mark.parametrize("name", CALLS)
def test_without_the_line_the_error_says_what_was_got_and_what_to_write(name):
    with pytest.raises(InputError, match=r"expected a model; got Foreign\. .*from_function\(fn\)"):
        CALLS[name](Foreign())


@pytest.mark.parametrize("name", CALLS)
def test_a_class_is_no_instance(adapted, name):
    with pytest.raises(InputError, match=r"got the class Foreign\. Make one: Foreign\(…\)"):
        CALLS[name](Foreign)


def test_the_first_adapter_that_accepts_an_object_adapts_it(adapted):
    class Both(Foreign):
        def derivatives(self, X, order):
            raise InputError("its own derivatives come first")

    with pytest.raises(InputError, match="its own derivatives come first"):
        rsens.rsens(Both(), X)
