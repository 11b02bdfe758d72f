"""What is stored with a model so that new rows can be read as its own data were."""

from __future__ import annotations

import os
from typing import Any

from rsens._app.tables import Choice
from rsens._errors import InputError
from rsens._files import MissingPathError
from rsens.models import read_metadata


def to_metadata(recipe: dict[str, Any], likelihood: Choice, data: str) -> dict[str, Any]:
    """Plain values, ready for `save_model`."""
    classes = None if likelihood.classes is None else [str(label) for label in likelihood.classes]
    said = {"kind": likelihood.kind, "reason": likelihood.reason, "classes": classes}
    return {"recipe": recipe, "likelihood": said, "data": data}


def from_metadata(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Choice, str]:
    """How columns are read, the likelihood, and the name of the data, from the file of a model."""
    try:
        stored = read_metadata(path)
    except MissingPathError:
        raise
    except InputError as error:
        raise InputError(error.sentence, " Give a model.rsens that `rsens explain` wrote.") from None
    try:
        said = stored["likelihood"]
        classes = None if said["classes"] is None else tuple(str(label) for label in said["classes"])
        return dict(stored["recipe"]), Choice(str(said["kind"]), str(said["reason"]), classes), str(stored["data"])
    except (KeyError, TypeError, ValueError):
        raise InputError(
            f"{path} does not say how its columns were read. Give a model.rsens that `rsens explain` wrote; other "
            "models are explained in Python, with rsens.load_model and rsens.explain."
        ) from None
