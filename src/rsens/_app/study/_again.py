"""A saved model explains new rows: no fit, no target, no cross-validation, no null level."""

from __future__ import annotations

import os
from typing import Any

from rsens._app.study._gather import gather_again
from rsens._app.study._metadata import from_metadata
from rsens._app.study._pairs import Pairs
from rsens._app.study._phases import Phases, collected
from rsens._app.study._result import Study
from rsens._app.study._settings import settings_of
from rsens._app.tables import Note
from rsens._errors import InputError
from rsens._explain import explain
from rsens.models import load_model

#: The most rows that are explained unless the user says so: an exact Gaussian process looks back at all its own rows.
ROWS = 5_000
#: What is settled in the file.
SETTLED: dict[str, Any] = {
    "likelihood": "auto",
    "model": "gp",
    "drop": [],
    "columns": None,
    "categorical": [],
    "inducing": None,
}
#: Folds that nobody has asked for, or none.
NO_FOLDS = (5, 0)


def study_again(
    data: Any,
    target: str | None,
    model_file: str | os.PathLike[str],
    asked: dict[str, Any],
    pairs: Pairs,
    progress: bool | None,
) -> Study:
    """The rows of `data`, explained by the model in a file."""
    for name, value in SETTLED.items():
        if asked[name] != value:
            raise InputError(f"{name} is settled in {model_file} and cannot be given with a model file. Leave it out.")
    if asked["cv"] not in NO_FOLDS:
        raise InputError("cv is for models that are fitted; a model file is not checked anew. Leave it out.")
    notes: list[Note] = []
    with Phases(2, progress) as phases, collected(notes):
        phases.begin("reading")
        recipe, likelihood, origin = from_metadata(model_file)
        if target is not None and str(target) != recipe["target"]:
            raise InputError(f"{model_file} predicts {recipe['target']!r}, not {str(target)!r}. Leave the target out.")
        model = load_model(model_file)
        table = gather_again(
            data,
            recipe,
            likelihood,
            texts=_text_columns(model),
            missing=asked["missing"],
            rows=asked["rows"],
            limit=ROWS,
            seed=asked["seed"],
        )
        where = f"{os.path.basename(model_file)} and was fitted to {len(model.training_inputs_):,} rows of {origin!r}"
        text = f"The model comes from {where}. It was not fitted anew: no check of the model, no null level."
        notes.append(Note("skipped", (), text))
        notes += [*table.notes, *pairs.notes(table.X.shape[1])]
        settings = settings_of(table, asked | {"model_file": os.path.basename(model_file)}) | {"model_of": origin}
        phases.read(settings, model, table.likelihood, notes)
        phases.begin("explaining")
        with_pairs = pairs.computed(table.X.shape[1])
        explanation = explain(
            model, table.X, pairs=with_pairs, null=False, random_state=asked["seed"], progress=progress
        )
        outside = int(explanation.extrapolation.sum())
        if outside:
            share = f"{outside:,} of {len(table.X):,} rows lie"
            text = f"{share} outside the data of the model: what it says there is extrapolation."
            notes.append(Note("warning", (), text))
    return Study(
        model=model,
        explanation=explanation,
        assessment=None,
        notes=tuple(notes),
        likelihood=table.likelihood,
        X=table.X,
        y=table.y,
        settings=settings,
        recipe=recipe,
        n_pairs=pairs.shown,
    )


def _text_columns(model: Any) -> list[str]:
    """The categorical columns whose levels are text: 01 is not 1 there."""
    coding = getattr(model, "coding_", None)
    if coding is None:
        return []
    return [coding.names[each.position] for each in coding.columns if isinstance(each.labels[0], str)]
