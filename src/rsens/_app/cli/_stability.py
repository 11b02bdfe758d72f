"""`rsens stability`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import log
from typing import Any

from rsens._app.cli._compare import named
from rsens._app.cli._files import draw_into_files
from rsens._app.cli._live import at_work
from rsens._app.cli._options import Request
from rsens._app.cli._tables import begin, check, check_methods, folder_for, methods_of, question_of_work, write_results
from rsens._app.cli._work import Work
from rsens._app.study._plain import plain
from rsens._app.study._tables import paragraph, table
from rsens._compare import legend
from rsens._stability import Stability, answer, stability
from rsens._text import listed

#: The folder inside the folder of results that keeps finished samples.
WORK = "samples"
TERMS = 30


def run(request: Request, *, samples: int, methods: str, order: int, cv: int) -> None:
    """Fit the model to many samples of the rows, and rank in each of them."""
    draw_into_files()
    check_methods(methods, order)
    asked = {"methods": methods, "order": order}
    folder = folder_for("stability", request, asked | {"samples": samples}, WORK)
    work = Work(folder, WORK, samples)
    with at_work(request, 3) as (live, phases, notes):
        begun = begin(request, asked | {"samples": samples}, cv, phases, notes)
        with work.kept(question_of_work(request, begun, asked), request.overwrite):
            live.say(work.resumed())
            assessment = check(request, begun, cv, phases, notes)
            phases.begin(f"fitting to {samples} samples")
            found = stability(
                begun.model,
                begun.table.X,
                begun.table.y,
                n_boot=samples,
                methods=methods_of(methods),
                order=order,  # type: ignore[arg-type]
                folder=work.folder,
                random_state=request.seed,
                n_jobs=request.n_jobs,
                progress=request.progress,
            )
    write_results(
        "stability",
        request,
        begun,
        assessment,
        notes,
        live,
        folder=folder,
        tables={"stability": found.to_frame(), "ranks": found.ranks},
        figures={f"ranks-{name}": partial(found.plot, method=name, top=TERMS) for name in _ranked(found)},
        answer=paragraph(answer(found)),
        text=text_of(found, list(begun.table.X.columns)),
        result={
            "entropy": {name: plain(value) for name, value in found.entropy.items()},
            "terms": [
                {name: plain(value) for name, value in line.items()} for line in found.to_frame().to_dict("records")
            ],
        },
        work=WORK,
    )


def _ranked(found: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in found.entropy.dropna().index]


def text_of(found: Stability, columns: Sequence[str] = ()) -> str:
    """Mean ranks by method, and how much they vary."""
    names = _ranked(found)
    mean = found.mean_rank[names].sort_values(names[0], kind="stable")
    table_of: Any = found.to_frame().set_index(["method", "term"])
    cells = named(list(mean.index), columns, found.order)
    rows = []
    for term in mean.index[:TERMS]:
        low, high = (int(table_of.at[(names[0], term), side]) for side in ("lower", "upper"))
        spread = str(low) if low == high else f"{low}–{high}"
        rows.append([cells[str(term)], spread, *(f"{value:.1f}" for value in mean.loc[term])])
    entropies = [f"{value:.2f}" for value in found.entropy[names]]
    rows += [["", *[""] * (1 + len(names))], ["entropy", "", *entropies]]
    # The last methods give way where there is no room.
    header, align = ["", f"90 % by {names[0]}", *names], "~" + ">" * (1 + len(names))
    side_by_side = table(header, rows, align, give_way=[[k] for k in range(len(names) + 1, 2, -1)])
    hidden = [name for name in names if name not in side_by_side.split("\n")[0].split()]
    what = "pairs" if found.order == 2 else "variables"
    lines = [
        f"… and {len(mean) - TERMS} more in stability.csv" if len(mean) > TERMS else "",
        f"90 % by {names[0]}: the ranks by {names[0]} in the middle 90 % of the samples",
        f"entropy: 0 if all rankings are the same, {log(len(found.terms)):.2f} if they are random",
        legend(names, found.order),
        f"no room for {listed(hidden)}: see stability.csv" if hidden else "",
    ]
    heading = (
        f"Mean ranks of {what} by models fitted to {found.n_boot} samples of {found.settings['n_rows']:,} rows, "
        "1 for what matters most"
    )
    return "\n".join([paragraph(heading), side_by_side, *(paragraph(line, "  ", "    ") for line in lines if line)])
