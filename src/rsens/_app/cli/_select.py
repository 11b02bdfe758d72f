"""`rsens select`."""

from __future__ import annotations

import pandas as pd

from rsens._app.cli._files import draw_into_files
from rsens._app.cli._flags import in_flags
from rsens._app.cli._live import at_work
from rsens._app.cli._options import Request
from rsens._app.cli._tables import begin, check, check_methods, folder_for, methods_of, question_of_work, write_results
from rsens._app.cli._work import Work
from rsens._app.study._plain import plain
from rsens._app.study._tables import paragraph, table
from rsens._compare import legend
from rsens._select_interactions import Selection, answer, select_interactions
from rsens._text import Pair, aligned, number, percent

#: The folder inside the folder of results that keeps finished splits.
WORK = "splits"


def run(request: Request, *, pairs: int, methods: str, cv: int, repeats: int, check_folds: int) -> None:
    """Score models with 0, 1, … pairs on rows they have not seen."""
    draw_into_files()
    check_methods(methods, 2)
    asked = {"pairs": pairs, "methods": methods, "cv": cv, "repeats": repeats}
    folder = folder_for("select", request, asked, WORK)
    work = Work(folder, WORK, cv * repeats)
    with at_work(request, 3) as (live, phases, notes):
        begun = begin(request, asked, check_folds, phases, notes)
        with work.kept(question_of_work(request, begun, asked), request.overwrite):
            live.say(work.resumed())
            assessment = check(request, begun, check_folds, phases, notes)
            phases.begin("fitting models with more and more pairs")
            found = select_interactions(
                begun.model,
                begun.table.X,
                begun.table.y,
                pairs,
                methods=methods_of(methods),
                cv=cv,
                repeats=repeats,
                folder=work.folder,
                random_state=request.seed,
                n_jobs=request.n_jobs,
                progress=request.progress,
            )
    scores = found.summary()
    write_results(
        "select",
        request,
        begun,
        assessment,
        notes,
        live,
        folder=folder,
        tables={"scores": scores, "pairs": found.pairs},
        figures={"selection": found.plot},
        answer=answer_of(found),
        text=text_of(found),
        result={
            "suggested": {str(name): plain(k) for name, k in found.suggestions.items()},
            "scores": _plain(scores),
            "pairs": _plain(found.pairs),
        },
        work=WORK,
    )


def answer_of(found: Selection) -> str:
    """How many pairs are enough, by each method."""
    several = len(found.methods) > 1
    answers = [f"{name}: {answer(found, name)}" if several else answer(found, name) for name in found.methods]
    return "\n".join(paragraph(in_flags(text)) for text in answers)


def text_of(found: Selection) -> str:
    """The scores, and the pairs."""
    several = len(found.methods) > 1
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
            Pair(line["first"], line["second"]),
            number(line["value"]),
            percent(line["share"]),
        ]
        for line in found.pairs.to_dict("records")
    ]
    said = [
        "log score: log density of a held-out row, larger is better; ±: one standard error",
        "enough: the fewest pairs within one standard error of the best number of them, if that is within two of all "
        "pairs",
    ]
    blocks = [_block(f"Log score per held-out row, {found.n_splits} splits", scores, said)]
    if pairs:
        leading = table(["method" if several else "", "", "pair", "value", "in splits"], pairs, "<>~>>")
        of_pairs = [
            f"value: by {'the method' if several else found.methods[0]}, on all rows ({legend(found.methods, 2)})",
            f"in splits: how often the pair was among the first {found.k}",
        ]
        blocks.append(_block("Leading pairs", leading, of_pairs))
    return "\n\n".join(blocks)


def _block(title: str, lines: str, said: list[str]) -> str:
    return "\n".join([title, lines, *(paragraph(line, "  ", "    ") for line in said)])


def _plain(frame: pd.DataFrame) -> list[dict[str, object]]:
    return [{str(name): plain(value) for name, value in line.items()} for line in frame.to_dict("records")]
