"""`rsens compare`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsens._app.cli._command import DATA, NAMES, TableCommand
from rsens._app.cli._options import CHECK, ORDER, option, table_options
from rsens._text import Pair, counted, listed, on_one_line

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import Analysis, ModelSetup, Settings


#: How many variables or pairs are listed, by order.
TERMS = {1: 30, 2: 15}


class CompareCommand(TableCommand):
    """Fit a model, and ask several methods about it."""

    name = "compare"
    summary = "Rank by R-sens and other methods, side by side."
    paragraphs = ("Rank the columns of a table by R-sens and by other methods, side by side.", DATA, NAMES)
    examples = (
        "rsens compare data.csv --target price",
        "rsens compare data.csv --target price --methods rsens,pfi,shap --budget full",
        "rsens compare data.csv --target price --order 2",
    )
    options = table_options(
        "rsens-NAME-compare",
        option("--methods", metavar="NAMES", help="Methods, with commas between.  [default: all]"),
        ORDER,
        option(
            "--budget",
            metavar="[paper|standard|full]",
            help="How many predictions methods may ask for.  [default: standard]",
        ),
        CHECK,
    )

    def question(self, settings: Settings) -> dict[str, Any]:
        """The same table by other methods is another question."""
        return settings.plain("methods", "order")

    def arguments(self, settings: Settings) -> dict[str, Any]:
        """The budget too: it changes the numbers, though not the question."""
        return settings.plain("methods", "order", "budget", "model", "seed")

    def step(self, settings: Settings) -> str:
        """What the work is called."""
        return "comparing"

    def work(self, setup: ModelSetup, folder: Path | None) -> pd.DataFrame:
        """The table of `rsens.compare`."""
        from rsens._compare import compare

        settings = setup.settings
        return compare(
            setup.model,
            setup.table.X,
            setup.table.y,
            methods=settings.method_names,
            order=settings.order,  # type: ignore[arg-type]
            budget=settings.budget,
            groups=setup.groups,
            numeric=setup.numeric,
            random_state=setup.seed,
            n_jobs=settings.n_jobs,
            progress=setup.listener.progress,  # type: ignore[arg-type]
        )

    def answer(self, found: pd.DataFrame) -> Sequence[str]:
        """Which variable or pair is first, and by how many methods."""
        return [_answer(found)]

    def details(self, found: pd.DataFrame, analysis: Analysis[Any]) -> str:
        """The ranks."""
        return ranks_text(found, list(analysis.terms))

    def tables(self, found: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """All that `rsens.compare` gives."""
        return {"compare": found}

    def figures(self, found: pd.DataFrame) -> dict[str, Callable[[], Any]]:
        """The ranks, side by side."""
        from rsens.plots import comparison

        return {"comparison": lambda: comparison(found, top=30)}

    def to_dict(self, found: pd.DataFrame) -> dict[str, Any]:
        """One entry per method, with its terms by rank."""
        from rsens._app.study import plain

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
        return {"methods": methods}


def _answer(found: pd.DataFrame) -> str:
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


def ranks_text(found: pd.DataFrame, columns: Sequence[str] = ()) -> str:
    """Ranks, terms in the order of the first method that answered; and why others did not answer."""
    from rsens._app.study import paragraph, table
    from rsens._compare import legend

    known = found[found["term"].notna()]
    names = list(dict.fromkeys(known["method"]))
    ranks = known.pivot(index="term", columns="method", values="rank")
    terms = list(known.loc[known["method"] == names[0], "term"])
    order = found.attrs["order"]
    cells = term_cells(terms, columns, order)
    rows = [[cells[term], *(str(ranks.at[term, name]) for name in names)] for term in terms[: TERMS[order]]]
    if len(terms) > TERMS[order]:
        rows.append([f"… {len(terms) - TERMS[order]} more in compare.csv", *([""] * len(names))])
    lines = [legend(names, order)]
    if len(terms) > 1 and len(names) > 1:
        agreement = ranks.astype(float).corr(method="spearman")[names[0]]
        rows.append(["", *([""] * len(names))])
        rows.append([f"agreement with {names[0]}", *(f"{agreement[name]:.2f}".replace("-", "−") for name in names)])
        lines.append("agreement: rank correlation, 1 for the same order, 0 for none, −1 for the reverse")
    # Where there is no room, the last methods are left out first.
    side_by_side = table(["", *names], rows, "~" + ">" * len(names), give_way=[[k] for k in range(len(names), 1, -1)])
    hidden = [name for name in names if name not in side_by_side.split("\n")[0].split()]
    if hidden:
        lines.append(f"no room for {listed(hidden)}: see compare.csv")
    failed = found[found["term"].isna()]
    lines += [f"{name} has no answer: {why}" for name, why in zip(failed["method"], failed["status"], strict=True)]
    heading = f"Ranks of {_noun(found)}s by method, 1 for what matters most"
    return "\n".join([heading, side_by_side, *(paragraph(line, "  ", "    ") for line in lines if line)])


# ---- Variables and pairs as cells of a printed table -----------------------------------------------------------------


def term_cells(terms: Sequence[str], columns: Sequence[str], order: int) -> dict[str, str]:
    """Each term as a cell: a pair "a:b" as two names, which can both be shortened."""
    pairs = {f"{a}:{b}": Pair(a, b) for a, b in combinations(columns, 2)} if order == 2 else {}
    return {str(term): pairs.get(str(term), str(term)) for term in terms}
