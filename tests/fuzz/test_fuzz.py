"""A minute's worth of `make fuzz`: some of its cases, spread over all of them, and that a defect would be seen."""

import json
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import rsens
from fuzz import SEED
from fuzz._files import run_file
from fuzz._judge import Outcome, Wrong, finite, judged, not_negative, symmetric
from fuzz._library import run_case

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "fuzz.json"
#: Cases in groups, so that a failure is near its number.
CASES, FILES = range(0, 10_000, 40), range(0, 500, 25)


@pytest.fixture(autouse=True)
def _as_the_command_does():
    """Not every warning is an error: their number is judged."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        yield


@pytest.mark.parametrize(
    "start",
    [pytest.param(start, marks=pytest.mark.slow if start in (4_000, 6_000, 8_000) else ()) for start in CASES[::50]],
)
def test_cases_end_in_results_or_in_our_errors(start):
    cases = [run_case(number) for number in CASES if start <= number < start + 50 * CASES.step]
    assert len(cases) == 50
    assert not [case for case in cases if case.outcome.defect]
    assert {case.outcome.kind for case in cases} >= {"answered", "refused"}


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_files_end_in_results_or_in_our_errors(every):
    files = [run_file(number) for number in FILES[::every]]
    assert not [case for case in files if case.outcome.defect]
    assert {case.outcome.kind for case in files} == {"answered", "refused"}


def warns(*texts):
    def run():
        for text in texts:
            warnings.warn(text, UserWarning, stacklevel=1)

    return run


def endless():
    while True:
        time.time()


DEFECTS = {
    "foreign error": (lambda: {}["x"], "KeyError"),
    "wrong": (lambda: not_negative("x", [-1.0]), "below 0"),
    "nan": (lambda: finite("x", [1.0, np.nan]), "1 of 2 values are nan"),
    "asymmetric": (lambda: symmetric("x", np.arange(4.0).reshape(1, 2, 2)), "not symmetric"),
    "same warning": (warns("again", "again"), "the same warning 2 times"),
    "storm": (warns(*(f"text {k}" for k in range(9))), "9 warnings"),
    "steering": (warns("\x1b[31m"), "steers the terminal"),
    "long": (warns("x" * 9_999), "9999 characters"),
    "endless": (endless, "took more than"),
    "NumPy": (lambda: np.seterr(all="ignore"), "how Python or NumPy warn"),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_defects_are_seen(name, monkeypatch):
    monkeypatch.setattr("fuzz._judge.MOST_SECONDS", 0.5)
    run, text = DEFECTS[name]
    before = np.geterr()
    assert text in judged(run).defect
    np.seterr(**before)


def raises(error):
    raise error


def test_our_errors_are_none():
    assert judged(lambda: raises(rsens.InputError("no"))) == Outcome("refused", "no")
    assert judged(lambda: None) == Outcome("answered")
    assert judged(lambda: raises(Wrong("x"))).defect


def test_the_results_are_of_this_seed_and_without_defects():
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert found["seed"] == SEED
    for part, counted, cases in (("library", "calls", 10_000), ("files", "kinds", 500)):
        assert found[part]["defects"] == []
        assert found[part]["cases"] == sum(sum(kinds.values()) for kinds in found[part][counted].values()) == cases
