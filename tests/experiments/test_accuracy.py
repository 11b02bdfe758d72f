"""The accuracy in docs/results/accuracy.json is the accuracy of the present code."""

import json
import math
from functools import cache
from typing import Any

import pytest

from experiments import accuracy
from experiments._accuracy import families, likelihoods
from experiments._accuracy.questions import Question, density_error, each
from rsens.distributions import ALL_FAMILIES
from rsens.likelihoods import ALL_LIKELIHOODS
from tests.distributions.precision import PROMISED, mp

#: An error of a few units in the last place may differ by as much on another machine; a loss of digits does not.
ROUNDING = 1e-13


def same(one: Any, other: Any) -> bool:
    """Whether two points are equal up to the last digits, which differ between processors where y is a quantile."""
    if isinstance(one, dict):
        return isinstance(other, dict) and list(one) == list(other) and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=4e-16)
    return bool(one == other)


@cache
def written() -> dict[str, Any]:
    return json.loads((accuracy.RESULTS / accuracy.FILE).read_text(encoding="utf-8"))


def test_every_family_and_likelihood_is_in_the_file() -> None:
    assert list(written()["families"]) == [family.__name__ for family in ALL_FAMILIES]
    assert list(written()["likelihoods"]) == [each.name for each in ALL_LIKELIHOODS]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("families", family.__name__) for family in ALL_FAMILIES] + [("likelihoods", k.name) for k in ALL_LIKELIHOODS],
)
def test_the_worst_error_is_that_of_today(kind: str, name: str) -> None:
    """At the point where it was the largest, over a grid of the same size."""
    asked = list((families if kind == "families" else likelihoods).questions_of(name))
    entries = written()[kind][name]
    assert list(entries) == [question.quantity for question in asked]
    for question in asked:
        entry = entries[question.quantity]
        assert entry["points"] == len(question.points)
        assert any(same(entry["at"], point) for point in json.loads(json.dumps(question.points)))
        (now,) = question.errors([entry["at"]])
        assert now <= max(3.0 * entry["worst"], ROUNDING), f"{question.quantity} at {entry['at']} was better"
        if entry["worst"] > max(3.0 * now, ROUNDING):  # processors round differently: then another point is the worst
            now = question.worst()["worst"]
        assert entry["worst"] <= max(3.0 * now, ROUNDING), f"{question.quantity} is better by now: make accuracy"


def test_a_missed_promise_has_a_reason() -> None:
    for group in (written()["families"], written()["likelihoods"]):
        for name, entries in group.items():
            for quantity, entry in entries.items():
                assert (entry["worst"] > PROMISED) == ("limit" in entry), f"{name}: {quantity}"


def test_a_wrong_formula_is_found() -> None:
    points = [{"x": x} for x in (1.0, 2.0, 3.0)]
    right = Question("Square", "value", points, each(lambda at: at["x"] ** 2), lambda at: mp.mpf(at["x"]) ** 2)
    assert right.worst()["worst"] == 0.0
    wrong = Question("Square", "value", points, each(lambda at: at["x"] ** 2 + (at["x"] == 2.0)), right.want)
    assert wrong.worst() == {"points": 3, "worst": 0.25, "at": {"x": 2.0}}


def test_errors_of_densities() -> None:
    assert density_error(-1000.0, mp.mpf(-1001)) == pytest.approx(1 / 1001)
    assert density_error(0.25, mp.mpf(0)) == 0.25
    assert density_error(float("-inf"), -mp.inf) == 0.0
    assert density_error(-5.0, -mp.inf) == density_error(float("nan"), mp.one) == float("inf")
