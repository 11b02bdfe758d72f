"""The model that suits a likelihood."""

import pytest

from rsens import InputError
from rsens._app.study import Settings
from rsens._app.study._setup import EXACT_ROWS, INDUCING, model_for
from rsens._app.tables import Choice
from tests.app.study.tables import numbers


def settings(model="gp", **options):
    return Settings(data=numbers(5), target="y", model=model, **options)


@pytest.mark.parametrize(
    ("kind", "likelihood", "name"),
    [
        ("gp", "gaussian", "GPRegressor"),
        ("gp", "negative_binomial", "GPRegressor"),
        ("gp", "classification", "GPClassifier"),
        ("linear", "gaussian", "BayesianLinearRegression"),
        ("linear", "poisson", "BayesianPoissonRegression"),
        ("linear", "classification", "BayesianProbitRegression"),
    ],
)
def test_class(kind, likelihood, name):
    model, choice, notes = model_for(settings(kind), Choice(likelihood, "why"), 60)
    assert type(model).__name__ == name
    assert choice.kind == likelihood
    assert not notes


def test_overdispersed_counts_are_poisson_in_a_linear_model_and_a_note_says_so():
    model, choice, notes = model_for(settings("linear"), Choice("negative_binomial", "much spread"), 60)
    assert type(model).__name__ == "BayesianPoissonRegression"
    assert choice.kind == "poisson"
    assert "too narrow" in notes[0].text


@pytest.mark.parametrize("likelihood", ["student_t", "negative_binomial"])
def test_what_a_linear_model_cannot_do_is_an_error_if_asked_for(likelihood):
    with pytest.raises(InputError, match="a linear model has no"):
        model_for(settings("linear"), Choice(likelihood, "as asked for"), 60)


def test_exact_while_that_is_quick():
    """The work of K processes on N/K^⅓ rows is that of one on N."""
    two, three = (Choice("classification", "", tuple(classes)) for classes in ("ab", "abc"))
    for choice, most in (
        (Choice("gaussian", ""), EXACT_ROWS),
        (two, EXACT_ROWS),
        (three, int(EXACT_ROWS / 3 ** (1 / 3))),
    ):
        assert model_for(settings(), choice, most)[0].inducing is None
        assert model_for(settings(), choice, most + 1)[0].inducing == INDUCING
        assert model_for(settings(inducing=50), choice, most)[0].inducing == 50
