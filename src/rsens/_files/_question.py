"""What results in a folder answer, to tell whether new ones may take their place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Question:
    """The command, the data, the target, and what else makes it another question, by the names of arguments.

    `target` is None where it is that of a model file that has not been read yet.
    """

    command: str
    data: str
    target: str | None
    more: Mapping[str, Any] = field(default_factory=dict)


def difference(summary: Mapping[str, Any], question: Question) -> str | None:
    """What the summary of results answers that is not the question, in a few words; None if it is the same."""
    settings = _mapping(summary.get("settings"))
    arguments = _mapping(settings.get("arguments"))
    if summary.get("command") != question.command:
        return f"rsens {summary.get('command')}"
    if settings.get("data") != question.data:
        return f"data {settings.get('data')!r}"
    if question.target is not None and settings.get("target") != question.target:
        return f"target {settings.get('target')!r}"
    for name, asked in question.more.items():
        there = arguments.get(name, settings.get(name))
        if name == "samples":
            if isinstance(there, int) and there > asked:  # more samples go on from fewer
                return f"{there} samples"
        elif there != asked:
            return _said(name, there)
    return None


def _said(name: str, value: Any) -> str:
    if name == "model_file":
        return "a model fitted to these rows" if value is None else f"the model in {value}"
    if name == "model_of":
        return f"a model of the data {value!r}"
    return f"{name} {value!r}" if isinstance(value, str) else f"{name} {value}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
