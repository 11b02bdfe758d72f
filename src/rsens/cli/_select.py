"""`rsens select`."""

from __future__ import annotations

import pandas as pd

from rsens._data import Note
from rsens._selection import Selection, select_interactions
from rsens._study._phases import Phases, collected
from rsens._study._plain import plain
from rsens._study._tables import aligned, number, paragraph, short, table
from rsens.cli._files import draw_into_files, resumable_folder
from rsens.cli._options import Request
from rsens.cli._tables import methods_of, table_and_model, write_results

#: The folder inside the folder of results that keeps finished splits.
WORK = "splits"


def run(request: Request, *, pairs: int, methods: str, cv: int, repeats: int) -> None:
    """Score models with 0, 1, … pairs on rows they have not seen."""
    draw_into_files()
    folder = resumable_folder(request, "select", WORK)
    notes: list[Note] = []
    with Phases(2, request.progress) as phases, collected(notes):
        phases.begin("reading")
        data, model, about = table_and_model(request)
        notes += about
        phases.begin("fitting models with more and more pairs")
        found = select_interactions(
            model,
            data.X,
            data.y,
            pairs,
            methods=methods_of(methods),
            cv=cv,
            repeats=repeats,
            folder=folder / WORK,
            random_state=request.seed,
            n_jobs=request.n_jobs,
            progress=request.progress,
        )
    scores = found.summary()
    write_results(
        "select",
        request,
        data,
        model,
        notes,
        folder=folder,
        tables={"scores": scores, "pairs": found.pairs},
        figures={"selection": found.plot},
        text=text_of(found),
        result={
            "suggested": {str(name): plain(k) for name, k in found.suggestions.items()},
            "scores": _plain(scores),
            "pairs": _plain(found.pairs),
        },
        asked={"pairs": pairs, "methods": methods, "cv": cv, "repeats": repeats},
    )


def text_of(found: Selection) -> str:
    """The answer, the scores, and the pairs."""
    from rsens._selection._show import answer

    several = len(found.methods) > 1
    answers = [f"{name}: {answer(found, name)}" if several else answer(found, name) for name in found.methods]
    scored = found.summary()
    write = aligned(float(scored["difference_se"].max()), 2)
    rows = [
        [
            str(line["method"]) if several else "",
            "all" if pd.isna(line["k"]) else str(line["k"]),
            number(line["mean"]),
            "" if pd.isna(line["k"]) else f"{write(line['difference'])} ± {write(line['difference_se'])}",
        ]
        for line in scored.to_dict("records")
    ]
    scores = table(["method" if several else "", "pairs", "log score", "against all pairs"], rows, "<>>>")
    pairs = [
        [
            str(line["method"]) if several else "",
            str(line["rank"]),
            f"{short(line['first'], 25)} × {short(line['second'], 25)}",
            number(line["value"]),
            f"{line['share']:.0%}".replace("%", " %"),
        ]
        for line in found.pairs.to_dict("records")
    ]
    blocks = ["\n".join(map(paragraph, answers)), f"Log score per held-out row, {found.n_splits} splits\n{scores}"]
    if pairs:
        leading = table(["method" if several else "", "", "pair", "value", "in splits"], pairs, "<><>>")
        blocks.append(f"Leading pairs\n{leading}")
    return "\n\n".join(blocks)


def _plain(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): plain(value) for name, value in line.items()} for line in frame.to_dict("records")]
