"""The pipeline that `study` and all commands run, its settings, and who hears of it."""

import numpy as np
import pytest

from rsens import InputError, Study
from rsens._app.study import Analysis, Listener, Settings, Task, analyse, explain_task
from tests.app.study.tables import numbers

ASKED = {"target": "y", "cv": 0, "null": False}


class Ear(Listener):
    """Remembers what it hears."""

    def __init__(self):
        super().__init__(progress=False)
        self.heard = []

    def step(self, what):
        self.heard.append(super().step(what))
        return self.heard[-1]

    def read(self, setup):
        self.heard.append((len(setup.table.X), type(setup.model).__name__, setup.likelihood.kind))


def test_a_listener_hears_every_step_in_order():
    ear = Ear()
    settings = Settings(data=numbers(30), **ASKED)
    result = analyse(settings, explain_task(settings), listener=ear)
    assert isinstance(result, Study)
    assert ear.heard == [
        "step 1 of 5: reading",
        (30, "GPRegressor", "gaussian"),
        "step 2 of 5: fitting",
        "step 3 of 5: explaining",
        "step 4 of 5: checking the model",
        "step 5 of 5: intervals",
    ]


def test_a_task_that_needs_no_fit_gets_a_model_that_is_not_fitted():
    def work(setup):
        assert not hasattr(setup.model, "kernel_")
        return len(setup.table.X)

    ear = Ear()
    task = Task("counting", work, Analysis, {"why": "so"}, fit=False)
    result = analyse(Settings(data=numbers(30), **ASKED), task, listener=ear)
    assert [step for step in ear.heard if isinstance(step, str)] == [
        "step 1 of 3: reading",
        "step 2 of 3: checking the model",
        "step 3 of 3: counting",
    ]
    assert result.found == 30
    assert result.settings["arguments"] == {"why": "so"}
    assert [note.kind for note in result.notes] == ["skipped"]


def test_a_model_file_is_another_beginning_of_the_same(tmp_path):
    settings = Settings(data=numbers(30), **ASKED)
    analyse(settings, explain_task(settings)).write(tmp_path, report=False)
    again, ear = Settings(data=numbers(30), model_file=tmp_path / "model.rsens"), Ear()
    result = analyse(again, explain_task(again), listener=ear)
    assert [step for step in ear.heard if isinstance(step, str)] == ["step 1 of 2: reading", "step 2 of 2: explaining"]
    assert result.assessment is None
    assert result.settings["arguments"]["model_file"] == "model.rsens"


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


def test_methods_are_names_with_commas_between():
    assert Settings(data=numbers(5), target="y", methods="rsens, ead").method_names == ["rsens", "ead"]
    assert Settings(data=numbers(5), target="y", methods="all").method_names == "all"
    assert Settings(data=numbers(5), target="y", methods="cheap").method_names == "cheap"
    with pytest.raises(InputError, match="Unknown method 'sharp'"):
        Settings(data=numbers(5), target="y", methods="rsens,sharp")
