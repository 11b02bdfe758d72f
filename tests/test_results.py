"""Results are made of parts whose fields are declared once."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass

import numpy as np
import pytest

from rsens import Explanation, InputError, Normal, explain, from_function
from rsens._explain import FORM as EXPLANATION
from rsens._explain import Values
from rsens._files import document
from rsens._results import Form, Part, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Crew(Part):
    names: tuple[str, ...] = stored("Names of the crew.")
    ages: Array = stored("How old they are.", "names")


@dataclass(frozen=True, eq=False, kw_only=True)
class Log(Part):
    days: Array = stored("What each ate each day.", "days", "names")
    course: Array | None = stored("Where the ship went.", "days", 2, default=None)


FORM = Form("a voyage", "Voyage.save", {"crew": Crew, "log": Log})
CREW = Crew(names=("Ada", "Bo"), ages=np.array([30, 41]))
LOG = Log(days=np.array([[0.5, np.nan], [1.0, 2.0], [0.1 + 0.2, 1e-300]]), course=None)


@pytest.fixture
def path(tmp_path):
    FORM.write({"crew": CREW, "log": LOG}, tmp_path / "voyage.json")
    return tmp_path / "voyage.json"


def test_a_file_gives_back_the_parts_to_the_last_digit(path):
    parts = FORM.read(path)
    assert parts["crew"].names == CREW.names
    assert parts["crew"].ages.dtype == np.int64
    np.testing.assert_array_equal(parts["crew"].ages, CREW.ages)
    np.testing.assert_array_equal(parts["log"].days, LOG.days)
    assert parts["log"].course is None


def test_arrays_become_read_only():
    with pytest.raises(ValueError, match="read-only"):
        CREW.ages[0] = 1


def test_any_change_of_the_content_is_damage(path):
    whole = path.read_text()
    start = whole.index('"content"') + 12
    for place in range(start, len(whole) - 2):
        changed = whole[:place] + chr(ord(whole[place]) ^ 1) + whole[place + 1 :]
        if not whole[place].isdigit() or json.loads(changed) != json.loads(whole):  # not the 17th digit of a number
            path.write_text(changed)
            with pytest.raises(InputError, match=r"voyage\.json is damaged.*Voyage\.save"):
                FORM.read(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda parts: parts | {"more": None},
        lambda parts: {"crew": parts["crew"]},
        lambda parts: parts | {"crew": parts["log"]},
        lambda parts: parts | {"crew": 3},
        lambda parts: parts | {"crew": parts["crew"] | {"more": 1}},
        lambda parts: parts | {"crew": {"is": "Crew", "names": []}},
        lambda parts: parts | {"crew": {"is": "Form", "kind": "", "writer": "", "parts": None}},
    ],
)
def test_other_parts_with_the_right_digest_are_refused(path, change):
    content = json.loads(path.read_text())["content"]
    path.write_text(document("a voyage", change(content)))
    with pytest.raises(InputError, match="is damaged"):
        FORM.read(path)


# ---- a further field of an explanation -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class MoreValues(Values):
    energy: Array | None = stored("A toy.", "terms", default=None, column="energy")
    pair_energy: Array | None = stored("A toy of pairs.", "pairs", default=None, column="energy")


def test_a_further_field_is_saved_loaded_and_shown_from_its_own_line(monkeypatch, tmp_path):
    monkeypatch.setitem(EXPLANATION.parts, "values", MoreValues)
    model = from_function(lambda X: Normal(X[:, 0] * X[:, 1] + X[:, 2], 1.0))
    made = explain(model, np.random.default_rng(0).normal(size=(20, 3)), random_state=0)
    fields = {field.name: getattr(made._values, field.name) for field in dataclasses.fields(made._values)}
    made._values = MoreValues(**fields, energy=np.array([1.0, 2.0, 3.0]), pair_energy=np.array([4.0, 5.0, 6.0]))
    made.save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json")
    for explanation in (made, loaded):
        by_term = explanation.to_frame().set_index("term")["energy"]
        assert by_term[["x0", "x1", "x2"]].tolist() == [1.0, 2.0, 3.0]
        assert explanation.to_frame(2).set_index("term")["energy"]["x0:x2"] == 5.0
        assert "energy" in repr(explanation)
    assert ("values", "A toy.") in [(part, field.meaning) for part, field in Explanation.fields()]
