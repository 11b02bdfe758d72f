"""Is it the same question? Finished pieces of work and results in a folder are used again only if it is.

Three files say which question was asked: `manifest.json` of finished pieces, `.question.json` of the command line, and
`summary.json` of results. All are read as names and plain values, and compared here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rsens._errors import Argument, Sentence


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The names under which two questions differ, in their order. A name that is missing stands for None."""
    return [name for name in dict.fromkeys((*before, *now)) if before.get(name) != now.get(name)]


def first_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str | None:
    """The first name under which two questions differ; None if they are the same."""
    return next(iter(differences(before, now)), None)


def what_it_was(name: str, value: Any) -> Sentence:
    """What an argument was in the question before, in a few words: "rows was 300"."""
    if name == "fingerprint":
        return Sentence("the rows were different")
    if value is None or value == []:
        return Sentence(Argument(name), " was not given")
    return Sentence(Argument(name), f" was {_listed(value)}")


def _listed(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}={_listed(each)}" for name, each in value.items()]
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@dataclass(frozen=True)
class Question:
    """What results answer: the command, the data, the target, and other arguments that matter, by name.

    `target` is None if only a model file knows it, which has not been read yet.
    """

    command: str
    data: str
    target: str | None
    more: Mapping[str, Any] = field(default_factory=dict)


def difference(summary: Mapping[str, Any], question: Question) -> str | None:
    """How the question that a summary answers differs, in a few words; None if it is the same."""
    settings = _mapping(summary.get("settings"))
    arguments = _mapping(settings.get("arguments"))
    now = {"command": question.command, "data": question.data, "target": question.target, **question.more}
    before = {"command": summary.get("command"), "data": settings.get("data"), "target": settings.get("target")}
    before |= {name: arguments.get(name, settings.get(name)) for name in question.more}
    if question.target is None:
        before["target"] = None
    if "samples" in now and not (isinstance(before["samples"], int) and before["samples"] > now["samples"]):
        before["samples"] = now["samples"]  # more samples go on from fewer
    name = first_difference(before, now)
    return None if name is None else _in_words(name, before[name])


def _in_words(name: str, value: Any) -> str:
    if name == "command":
        return f"rsens {value}"
    if name == "samples":
        return f"{value} samples"
    if name == "model_file":
        return "a model fitted to these rows" if value is None else f"the model in {value}"
    if name == "where":
        return "all rows" if value is None else f"the rows where {_listed(value)}"
    if name == "model_of":
        return f"a model of the data {value!r}"
    return f"{name} {value!r}" if isinstance(value, str) or name in ("data", "target") else f"{name} {value}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
