"""What to ask next, in the language that the reader asked in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rsens.models import GPClassifier, GPRegressor

if TYPE_CHECKING:
    from rsens._app.study._result import Study


@dataclass(frozen=True)
class Hints:
    """The calls that say how many interactions are needed, and whether the ranking holds; empty where there is none."""

    select: str
    stability: str


def in_python(study: Study) -> Hints:
    """As calls of the library."""
    if study.y is None:
        return Hints("", "")
    # Interactions are selected for Gaussian processes: a study of another model takes a new one.
    process = GPClassifier if study.likelihood.kind == "classification" else GPRegressor
    model = "study.model" if isinstance(study.model, GPClassifier | GPRegressor) else f"rsens.{process.__name__}()"
    asked = study.settings["arguments"]
    rows = ["study.X", "study.y"]
    rows += [] if study.clusters is None else ["clusters=study.clusters"]
    rows += [f"numeric={asked['numeric']!r}"] if asked.get("numeric") else []
    rows += [f"random_state={asked['seed']}"] if asked.get("seed") else []
    grouped = ["groups=study.groups"] if study.groups else []
    return Hints(
        f"rsens.select_interactions({', '.join([model, *rows])})",
        f"rsens.stability({', '.join(['study.model', *rows, *grouped])})",
    )
