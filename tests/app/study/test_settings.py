"""The settings of `study` and of all commands, and the model for them."""

import numpy as np
import pytest

from rsens import InputError
from rsens._app.study import Settings
from rsens._app.study._setup import EXACT_ROWS, INDUCING, model_for
from rsens._app.tables import Choice
from tests.app.study.tables import numbers


def test_settings_are_checked_once_and_plain():
    settings = Settings(data=numbers(5), target="y", drop=iter(["a"]), rows=np.int64(3), seed=np.random.default_rng(0))
    assert settings.drop == ("a",)
    assert (settings.rows, type(settings.rows)) == (3, int)
    assert isinstance(settings.seed, int)
    assert settings.plain("drop", "columns", "rows") == {"drop": ["a"], "columns": None, "rows": 3}


@pytest.mark.parametrize(
    ("pairs", "columns", "shown", "computed"),
    [("auto", 60, 10, True), ("auto", 61, 10, False), (3, 61, 3, True), (0, 5, 0, False), (3, 1, 3, False)],
)
def test_pairs(pairs, columns, shown, computed):
    settings = Settings(data=numbers(5), target="y", pairs=pairs)
    assert settings.n_pairs == shown
    assert settings.computes_pairs(columns) is computed


@pytest.mark.parametrize(("methods", "names"), [("rsens, ead", ["rsens", "ead"]), ("all", "all"), ("cheap", "cheap")])
def test_methods_are_names_with_commas_between(methods, names):
    assert Settings(data=numbers(5), target="y", methods=methods).method_names == names


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("folder/data.csv", "data"),
        ("data.csv.gz", "data"),
        ("data.PARQUET", "data"),
        ("no ending", "no ending"),
        (".csv", ".csv"),
        ("-", "stdin"),
        (numbers(5), "data"),
    ],
)
def test_name(data, name):
    assert Settings(data=data, target="y").data_name == name
    assert Settings(data=data, target="y", name="diabetes").data_name == "diabetes"


# ---- the model that suits a likelihood -------------------------------------------------------------------------------


def made(kind, choice, rows=60, **options):
    return model_for(Settings(data=numbers(5), target="y", model=kind, **options), choice, rows)


def test_overdispersed_counts_are_poisson_in_a_linear_model_with_a_note():
    model, choice, notes = made("linear", Choice("negative_binomial", "much spread"))
    assert (type(model).__name__, choice.kind) == ("BayesianPoissonRegression", "poisson")
    assert "too narrow" in notes[0].text
    for asked in ("student_t", "negative_binomial"):
        with pytest.raises(InputError, match="a linear model has no"):
            made("linear", Choice(asked, "as asked for"))


def test_exact_while_that_is_quick():
    """The work of K processes on N/K^⅓ rows is that of one on N."""
    two, three = (Choice("classification", "", tuple(classes)) for classes in ("ab", "abc"))
    for choice, most in (
        (Choice("gaussian", ""), EXACT_ROWS),
        (two, EXACT_ROWS),
        (three, int(EXACT_ROWS / 3 ** (1 / 3))),
    ):
        assert made("gp", choice, most)[0].inducing is None
        assert made("gp", choice, most + 1)[0].inducing == INDUCING
        assert made("gp", choice, most, inducing=50)[0].inducing == 50
