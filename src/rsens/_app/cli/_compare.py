"""`rsens compare`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from rsens._app.cli._files import draw_into_files
from rsens._app.cli._live import at_work
from rsens._app.cli._options import Request
from rsens._app.cli._tables import begin, check, check_methods, folder_for, methods_of, write_results
from rsens._app.study._plain import plain
from rsens._app.study._tables import paragraph, table
from rsens._compare import compare, legend
from rsens._text import Pair, counted, listed, on_one_line

#: How many variables or pairs are listed.
TERMS = {1: 30, 2: 15}


def run(request: Request, *, methods: str, order: int, budget: str, cv: int) -> None:
    """Fit a model, and ask several methods about it."""
    draw_into_files()
    check_methods(methods, order)
    folder = folder_for("compare", request, {"order": order, "methods": methods})
    with at_work(request, 4) as (live, phases, notes):
        begun = begin(request, {"methods": methods, "order": order, "budget": budget}, cv, phases, notes)
        phases.begin("fitting")
        begun.model.fit(begun.table.X, begun.table.y)
        assessment = check(request, begun, cv, phases, notes)
        phases.begin("comparing")
        found = compare(
            begun.model,
            begun.table.X,
            begun.table.y,
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
        begun,
        assessment,
        notes,
        live,
        folder=folder,
        tables={"compare": found},
        figures={"comparison": lambda: _drawn(found)},
        answer=paragraph(answer_of(found)),
        text=text_of(found, list(begun.table.X.columns)),
        result={"methods": _plain(found)},
    )


def answer_of(found: pd.DataFrame) -> str:
    """Which variable or pair is first, and by how many methods."""
    known = found[found["term"].notna()]
    methods = list(dict.fromkeys(known["method"]))
    leaders = {str(name): _leader(lines) for name, lines in known.groupby("method", sort=False)}
    by_term: dict[str | None, list[str]] = {}
    for method in methods:
        by_term.setdefault(leaders[method], []).append(method)
    first = leaders[methods[0]]
    if first is None:
        return f"{methods[0]} puts no {_noun(found)} before all others."
    agreeing = by_term.pop(first)
    name = on_one_line(first)
    if len(methods) == 1:
        return f"{methods[0]} puts {name} first."
    if not by_term:
        return f"All {len(methods)} methods put {name} first."
    others = [
        f"{listed(by)} {'puts' if len(by) == 1 else 'put'} {'none' if term is None else on_one_line(term)} first"
        for term, by in by_term.items()
    ]
    with_it = listed(agreeing)
    many = f"{len(agreeing)} of {counted(len(methods), 'method')} ({with_it}) put" if len(agreeing) > 1 else None
    return f"{many or f'{with_it} puts'} {name} first; {'; '.join(others)}."


def _leader(lines: pd.DataFrame) -> str | None:
    """The term that alone has rank 1."""
    first = lines.loc[lines["rank"] == 1, "term"]
    return str(first.iloc[0]) if len(first) == 1 else None


def _noun(found: pd.DataFrame) -> str:
    return "pair" if found.attrs["order"] == 2 else "variable"


def text_of(found: pd.DataFrame, columns: Sequence[str] = ()) -> str:
    """Ranks, terms in the order of the first method that answered; and why others did not."""
    known = found[found["term"].notna()]
    names = list(dict.fromkeys(known["method"]))
    ranks = known.pivot(index="term", columns="method", values="rank")
    terms = list(known.loc[known["method"] == names[0], "term"])
    order = found.attrs["order"]
    cells = named(terms, columns, order)
    rows = [[cells[term], *(str(ranks.at[term, name]) for name in names)] for term in terms[: TERMS[order]]]
    if len(terms) > TERMS[order]:
        rows.append([f"… {len(terms) - TERMS[order]} more in compare.csv", *([""] * len(names))])
    lines = [legend(names, order)]
    if len(terms) > 1 and len(names) > 1:
        agreement = ranks.astype(float).corr(method="spearman")[names[0]]
        rows.append(["", *([""] * len(names))])
        rows.append([f"agreement with {names[0]}", *(f"{agreement[name]:.2f}".replace("-", "−") for name in names)])
        lines.append("agreement: rank correlation, 1 for the same order, 0 for none, −1 for the reverse")
    # The last methods give way where there is no room.
    side_by_side = table(["", *names], rows, "~" + ">" * len(names), give_way=[[k] for k in range(len(names), 1, -1)])
    hidden = [name for name in names if name not in side_by_side.split("\n")[0].split()]
    if hidden:
        lines.append(f"no room for {listed(hidden)}: see compare.csv")
    failed = found[found["term"].isna()]
    lines += [f"{name} has no answer: {why}" for name, why in zip(failed["method"], failed["status"], strict=True)]
    heading = f"Ranks of {_noun(found)}s by method, 1 for what matters most"
    return "\n".join([heading, side_by_side, *(paragraph(line, "  ", "    ") for line in lines if line)])


def named(terms: Sequence[str], columns: Sequence[str], order: int) -> dict[str, str]:
    """Terms as cells of a table: pairs "a:b" as two names, each of which can lose letters."""
    pairs = {f"{a}:{b}": Pair(a, b) for a, b in combinations(columns, 2)} if order == 2 else {}
    return {str(term): pairs.get(str(term), str(term)) for term in terms}


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
