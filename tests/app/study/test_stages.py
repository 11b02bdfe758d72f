"""What is there first: the ranking, then the quality, then the rest; and what is there when it is stopped."""

import json
from contextlib import nullcontext

import pandas as pd
import pytest

import rsens
from rsens._app.study import Listener, Settings, Unfinished, analyse, explain_task
from rsens._app.study._pipeline import INTERVALS, LEVEL, PROBES, QUALITY, TESTS, generator
from rsens._files import Checkpoint
from tests.app.study.tables import classes, numbers, with_text


class Ear(Listener):
    """Remembers what it hears; stops the work like Ctrl-C after so many things."""

    def __init__(self, stop=None):
        super().__init__(progress=False)
        self.heard, self._stop = [], stop

    def hear(self, what):
        self.heard.append(what)
        if what == self._stop:
            raise KeyboardInterrupt

    def step(self, what):
        super().step(what)
        self.hear(what)

    def read(self, analysis):
        self.hear((len(analysis.X), type(analysis.model).__name__, analysis.likelihood.kind))

    def show(self, words, share):
        super().show(words, share)
        self.hear(words.partition(",")[0])

    def ranked(self, found):
        self.first = found
        self.hear("ranked")

    def checked(self, assessment):
        self.assessment = assessment
        self.hear("checked")


def run(ear, data, **options):
    settings = Settings(data=data, target="y", **options)
    return analyse(settings, explain_task(settings), listener=ear)


def test_the_ranking_comes_before_the_refits_and_the_quality_after_the_first_round():
    ear = Ear()
    study = run(ear, numbers(40))
    steps = ["reading", (40, "GPRegressor", "gaussian"), "fitting", "explaining", "ranked", "checking the model"]
    assert [what for what in ear.heard if what in steps] == steps
    at = ear.heard.index("checked")
    assert ear.heard[at - 1 : at + 2] == ["refit 6 of 30", "checked", "refit 7 of 30"]
    assert ear.heard.index("refit 11 of 30") < ear.heard.index("null level") < ear.heard.index("refit 12 of 30")
    assert "testing pairs" in ear.heard[ear.heard.index("refit 30 of 30") :]
    assert ear.first.null is None
    assert ear.first.main.equals(study.explanation.main)
    assert ear.assessment is study.assessment


@pytest.mark.filterwarnings("ignore:The model adds up")
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (numbers(40), {}),
        (with_text(30), {"model": "linear", "cluster": "code"}),
        (classes(2, 30), {"pairs": 0}),
        (numbers(40), {"groups": {"both": ["a", "d"]}, "cv": 3, "model": "linear"}),
        (numbers(40), {"null": False}),
        (numbers(40), {"cv": 0}),
    ],
    ids=["numbers", "linear", "classes", "groups", "no null", "no check"],
)
def test_a_study_finds_what_explain_finds(data, options):
    """All but the intervals, which come from the refits of the check."""
    study = rsens.study(data, "y", **options)
    found = rsens.explain(
        study.model, study.X, study.y, pairs=study.explanation.order == 2, groups=study.groups, clusters=study.clusters,
        null="auto" if options.get("null", True) else False, intervals="rows",
        random_state=generator(0, PROBES),
    )  # fmt: skip
    for order in range(1, found.order + 1):
        one, other = (
            e.to_frame(order).drop(columns=["lower", "upper", "interval_kind"]) for e in (study.explanation, found)
        )
        pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize(
    ("stop", "quality", "missing"),
    [
        ("ranked", False, (QUALITY, LEVEL, TESTS, INTERVALS)),
        ("refit 4 of 30", False, (QUALITY, LEVEL, TESTS, INTERVALS)),
        ("refit 8 of 30", True, (LEVEL, TESTS, INTERVALS)),
        ("refit 20 of 30", True, (LEVEL, TESTS)),
        ("testing pairs", True, (LEVEL, TESTS)),
    ],
)
def test_what_is_there_when_it_is_stopped(stop, quality, missing):
    with pytest.raises(KeyboardInterrupt) as stopped:
        run(Ear(stop), numbers(40))
    assert isinstance(stopped.value, Unfinished)
    study = stopped.value.analysis
    assert study.missing == missing
    assert (study.assessment is not None) is quality
    assert study.explanation.null is None
    kind = "rows" if INTERVALS in missing else "refits"
    assert study.explanation.interval_kind == kind
    assert "no stars" in study.text()


def test_nothing_is_there_yet():
    with pytest.raises(KeyboardInterrupt) as stopped:
        run(Ear("explaining"), numbers(40))
    assert not isinstance(stopped.value, Unfinished)


def test_what_each_refit_records_can_be_kept(tmp_path):
    """All of it, for numbers and for categories: a record that cannot be kept would be fitted again."""
    for number, data in enumerate((with_text(30), classes(3, 30)[["a", "b", "y"]])):
        folder = tmp_path / str(number)
        settings = Settings(data=data, target="y")
        task, keep = explain_task(settings), lambda _, folder=folder: nullcontext(Checkpoint.open(folder, {}, 0))
        whole = analyse(settings, task, keep=keep)
        probes = len(list(folder.glob("refit-probes-*.json")))
        refits = whole.explanation.inference.interval_refits + probes
        assert len(list(folder.glob("refit-*.json"))) == refits > probes > 0
        ear = Ear()
        again = analyse(settings, task, listener=ear, keep=keep)
        assert f"refit 1 of {refits}" not in ear.heard  # none was done again
        assert json.dumps(again.to_dict()) == json.dumps(whole.to_dict())
