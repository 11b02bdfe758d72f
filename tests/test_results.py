"""Results are made of parts whose fields are declared once."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

from rsens import InputError
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
