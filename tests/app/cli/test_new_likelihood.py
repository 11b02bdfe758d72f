"""A likelihood is one class and one line in a list: the command line learns of it from there."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from rsens import InputError, study
from rsens._app.cli._main import main
from rsens._app.tables import choose_likelihood
from rsens.likelihoods import ALL_LIKELIHOODS, PoissonLikelihood
from tests.app.study.tables import numbers


@dataclass(frozen=True)
class ToyLikelihood(PoissonLikelihood):
    """Poisson counts by another name."""

    name: ClassVar[str] = "toy"
    label: ClassVar[str] = "counts of toys"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = numbers(40).assign(y=lambda f: np.round(np.exp(f["y"] / 2)))
    frame.to_csv("table.csv", index=False)
    ALL_LIKELIHOODS.append(ToyLikelihood)
    yield frame
    ALL_LIKELIHOODS.remove(ToyLikelihood)


def test_the_command_line_knows_it(table, capsys):
    assert main(["explain", "--help"]) == 0
    assert "negative_binomial, toy, classification, or auto" in " ".join(capsys.readouterr().out.split())
    options = ["--target", "y", "--likelihood", "toy", "--cv", "2", "--no-null", "--no-report"]
    assert main(["explain", "table.csv", *options]) == 0
    said = capsys.readouterr()
    assert "Gaussian process with counts of toys" in said.err
    assert "Gaussian process with counts of toys" in said.out
    assert main(["explain", "table.csv", *options, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["likelihood"] == {"kind": "toy", "reason": "as asked for", "classes": None}
    assert answer["variables"][0]["name"] == "a"


def test_its_target_is_known(table):
    with pytest.raises(InputError, match="not a count: 'toy' needs whole numbers"):
        choose_likelihood(np.array([1.0, 2.5]), "toy")
    with pytest.raises(InputError, match="a linear model has no toy likelihood"):
        study(table, "y", likelihood="toy", model="linear")
