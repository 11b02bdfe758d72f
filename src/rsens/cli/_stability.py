"""`rsens stability`."""

from __future__ import annotations

from functools import partial
from typing import Any

from rsens._data import Note
from rsens._stability import Stability, stability
from rsens._study._phases import Phases, collected
from rsens._study._plain import plain
from rsens._study._tables import short, table
from rsens.cli._files import draw_into_files, resumable_folder
from rsens.cli._options import Request
from rsens.cli._tables import methods_of, table_and_model, write_results

#: The folder inside the folder of results that keeps finished samples.
WORK = "samples"
TERMS = 30


def run(request: Request, *, samples: int, methods: str, order: int) -> None:
    """Fit the model to many samples of the rows, and rank in each of them."""
    draw_into_files()
    folder = resumable_folder(request, "stability", WORK)
    notes: list[Note] = []
    with Phases(2, request.progress) as phases, collected(notes):
        phases.begin("reading")
        data, model, about = table_and_model(request)
        notes += about
        phases.begin(f"fitting to {samples} samples")
        found = stability(
            model,
            data.X,
            data.y,
            n_boot=samples,
            methods=methods_of(methods),
            order=order,  # type: ignore[arg-type]
            folder=folder / WORK,
            random_state=request.seed,
            n_jobs=request.n_jobs,
            progress=request.progress,
        )
    write_results(
        "stability",
        request,
        data,
        model,
        notes,
        folder=folder,
        tables={"stability": found.to_frame(), "ranks": found.ranks},
        figures={f"ranks-{name}": partial(found.plot, method=name, top=TERMS) for name in _ranked(found)},
        text=text_of(found),
        result={
            "entropy": {name: plain(value) for name, value in found.entropy.items()},
            "terms": [
                {name: plain(value) for name, value in line.items()} for line in found.to_frame().to_dict("records")
            ],
        },
        asked={"samples": samples, "methods": methods, "order": order},
    )


def _ranked(found: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in found.entropy.dropna().index]


def text_of(found: Stability) -> str:
    """Mean ranks by method, and how much they vary."""
    names = _ranked(found)
    mean = found.mean_rank[names].sort_values(names[0], kind="stable")
    table_of: Any = found.to_frame().set_index(["method", "term"])
    rows = []
    for term in mean.index[:TERMS]:
        low, high = (int(table_of.at[(names[0], term), side]) for side in ("lower", "upper"))
        spread = str(low) if low == high else f"{low}–{high}"
        rows.append([short(str(term)), spread, *(f"{value:.1f}" for value in mean.loc[term])])
    entropies = [f"{value:.2f}" for value in found.entropy[names]]
    rows += [["", *[""] * (1 + len(names))], ["entropy", "", *entropies]]
    what = "pairs" if found.order == 2 else "variables"
    settings = found.settings
    lines = [
        f"Mean ranks of {what} by models fitted to {found.n_boot} samples of {settings['n_rows']:,} rows",
        table(["", f"90 % by {names[0]}", *names], rows, "~" + ">" * (1 + len(names))),
        f"  entropy: 0 if all rankings are the same, {_most(found):.2f} if they are random",
    ]
    if len(mean) > TERMS:
        lines.insert(2, f"  … and {len(mean) - TERMS} more in stability.csv")
    return "\n".join(lines)


def _most(found: Stability) -> float:
    from math import log

    return log(len(found.terms))
