"""`rsens compare`."""

from __future__ import annotations

import pandas as pd

from rsens._compare import compare
from rsens._data import Note
from rsens._study._folder import check_folder
from rsens._study._phases import Phases, collected
from rsens._study._plain import plain
from rsens._study._tables import paragraph, short, table
from rsens.cli._files import draw_into_files, folder_of
from rsens.cli._options import Request
from rsens.cli._tables import methods_of, table_and_model, write_results

#: How many variables or pairs are listed.
TERMS = {1: 30, 2: 15}


def run(request: Request, *, methods: str, order: int, budget: str) -> None:
    """Fit a model, and ask several methods about it."""
    draw_into_files()
    folder = folder_of(request, "compare")
    check_folder(folder, request.overwrite)
    notes: list[Note] = []
    with Phases(3, request.progress) as phases, collected(notes):
        phases.begin("reading")
        data, model, about = table_and_model(request)
        notes += about
        phases.begin("fitting")
        model.fit(data.X, data.y)
        phases.begin("comparing")
        found = compare(
            model,
            data.X,
            data.y,
            methods=methods_of(methods),
            order=order,  # type: ignore[arg-type]
            budget=budget,
            random_state=request.seed,
            n_jobs=request.n_jobs,
            progress=request.progress,
        )
    write_results(
        "compare",
        request,
        data,
        model,
        notes,
        folder=folder,
        tables={"compare": found},
        figures={"comparison": lambda: _drawn(found)},
        text=text_of(found),
        result={"methods": _plain(found)},
        asked={"methods": methods, "order": order, "budget": budget},
    )


def text_of(found: pd.DataFrame) -> str:
    """Ranks, terms in the order of the first method that answered; and why others did not."""
    known = found[found["term"].notna()]
    names = list(dict.fromkeys(known["method"]))
    ranks = known.pivot(index="term", columns="method", values="rank")
    terms = list(known.loc[known["method"] == names[0], "term"])
    order = found.attrs["order"]
    rows = [[short(term), *(str(ranks.at[term, name]) for name in names)] for term in terms[: TERMS[order]]]
    if len(terms) > TERMS[order]:
        rows.append([f"… {len(terms) - TERMS[order]} more in compare.csv", *([""] * len(names))])
    if len(terms) > 1:
        agreement = ranks.astype(float).corr(method="spearman")[names[0]]
        rows.append(["", *([""] * len(names))])
        rows.append([f"agreement with {names[0]}", *(f"{agreement[name]:.2f}".replace("-", "−") for name in names)])
    what = "pairs" if order == 2 else "variables"
    lines = [f"Ranks of {what} by method, 1 for what matters most", table(["", *names], rows, "~" + ">" * len(names))]
    failed = found[found["term"].isna()]
    reasons = [f"{name} has no answer: {why}" for name, why in zip(failed["method"], failed["status"], strict=True)]
    return "\n".join([*lines, *(paragraph(reason, "  ", "    ") for reason in reasons)])


def _plain(found: pd.DataFrame) -> list[dict[str, object]]:
    """One entry per method, with its terms by rank."""
    methods = []
    for name, lines in found.groupby("method", sort=False):
        first = lines.iloc[0]
        terms = lines[lines["term"].notna()]
        methods.append(
            {
                "method": name,
                "status": first["status"],
                "seconds": plain(first["seconds"]),
                "evaluations": plain(first["evaluations"]),
                "terms": [
                    {"term": line["term"], "value": plain(line["value"]), "rank": plain(line["rank"])}
                    for line in terms.to_dict("records")
                ],
            }
        )
    return methods


def _drawn(found: pd.DataFrame) -> object:
    from rsens.plots import comparison

    return comparison(found, top=30)
