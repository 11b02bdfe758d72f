"""`rsens compare`, `rsens stability` and `rsens select`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._command import Command, Question, Views
from rsens._app.cli._options import option, table_options
from rsens._errors import Sentence
from rsens._text import Pair, aligned, counted, listed, number, on_one_line, percent

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import ModelSetup, Settings
    from rsens._select_interactions import Selection
    from rsens._stability import Stability

#: How many variables or pairs `compare` lists, by order, and `stability`.
COMPARED, RANKED = {1: 30, 2: 15}, 30
NOUNS = {1: "variable", 2: "pair"}
ORDER = option("--order", type=int, metavar="[1|2]", help="1 for variables, 2 for pairs.  [default: 1]")


def common_arguments(setup: ModelSetup) -> dict[str, Any]:
    """The arguments that the three calls of the library share."""
    settings, table = setup.settings, setup.table
    return {
        "X": table.X,
        "y": table.y,
        "methods": settings.method_names,
        "numeric": setup.numeric,
        "random_state": setup.seed,
        "n_jobs": settings.n_jobs,
        "progress": setup.listener.progress,
    }


def table_by_method(columns: dict[str, list[str]], methods: Sequence[str], file: str) -> tuple[str, str]:
    """A table whose last columns are methods; if there is no room, the last ones are left out and named."""
    from rsens._app.study import table

    last, first = len(columns) - 1, len(columns) - len(methods)
    lines = table(columns, "~" + ">" * last, give_way=[[k] for k in range(last, first, -1)])
    hidden = [name for name in methods if name not in lines.split("\n")[0].split()]
    return lines, f"no room for {listed(hidden)}: see {file}" if hidden else ""


def term_cells(terms: Sequence[Any], columns: Sequence[str], order: int) -> list[str]:
    """Terms as cells: a pair "a:b" as two names, which can both be shortened."""
    pairs = {f"{a}:{b}": Pair(a, b) for a, b in combinations(columns, 2)} if order == 2 else {}
    return [pairs.get(str(term), str(term)) for term in terms]


def add_line(columns: dict[str, list[str]], *cells: str) -> None:
    """A further line of a table; cells that are not given are empty."""
    for k, column in enumerate(columns.values()):
        column.append(cells[k] if k < len(cells) else "")


class Compare(Question):
    """Rank by R-sens and other methods."""

    name = "compare"
    step = "comparing"
    recorded = ("budget",)  # it changes the numbers, though not the question

    def question(self) -> dict[str, Any]:
        return self.settings.plain("methods", "order")

    def result(self, setup: ModelSetup) -> pd.DataFrame:
        from rsens._compare import compare

        settings = setup.settings
        asked: Any = {"order": settings.order, "budget": settings.budget}
        return compare(setup.model, groups=setup.groups, **asked, **common_arguments(setup))

    def views(self, found: pd.DataFrame, terms: Sequence[str]) -> Views:
        """In the JSON document one entry per method, with its terms by rank."""
        from rsens._app.study import records
        from rsens.plots import comparison

        methods = []
        for _, lines in found.groupby("method", sort=False):
            (head,) = records(lines[["method", "status", "seconds", "evaluations"]].head(1))
            methods.append(head | {"terms": records(lines.loc[lines["term"].notna(), ["term", "value", "rank"]])})
        return Views(
            answer=[leaders(found)],
            text=ranks_text(found, terms),
            tables={"compare": found},
            figures={"comparison": partial(comparison, found, top=30)},
            content={"methods": methods},
        )


def leaders(found: pd.DataFrame) -> str:
    """The first variable or pair of each method, in a sentence."""
    by_term: dict[str | None, list[str]] = {}
    for method, lines in found[found["term"].notna()].groupby("method", sort=False):
        first = lines.loc[lines["rank"] == 1, "term"]
        by_term.setdefault(str(first.iloc[0]) if len(first) == 1 else None, []).append(str(method))
    (term, agreeing), *others = by_term.items()
    total = sum(map(len, by_term.values()))
    if term is None:
        return f"{agreeing[0]} puts no {NOUNS[found.attrs['order']]} before all others."

    def puts(methods: Sequence[str], first: str | None, who: str = "") -> str:
        verb = "puts" if len(methods) == 1 else "put"
        return f"{who or listed(methods)} {verb} {'none' if first is None else on_one_line(first)} first"

    if not others:
        return f"{puts(agreeing, term, agreeing[0] if total == 1 else f'All {total} methods')}."
    many = f"{len(agreeing)} of {counted(total, 'method')} ({listed(agreeing)})" if len(agreeing) > 1 else ""
    return f"{puts(agreeing, term, many)}; {'; '.join(puts(by, each) for each, by in others)}."


def ranks_text(found: pd.DataFrame, columns: Sequence[str] = ()) -> str:
    """Ranks, terms in the order of the first method that answered; and why others did not answer."""
    from rsens._app.study import block
    from rsens._compare import legend

    known, failed, order = found[found["term"].notna()], found[found["term"].isna()], found.attrs["order"]
    names = list(dict.fromkeys(known["method"]))
    ranks = known.pivot(index="term", columns="method", values="rank")
    terms = list(known.loc[known["method"] == names[0], "term"])
    shown = terms[: COMPARED[order]]
    cells = {"": term_cells(shown, columns, order)} | {name: [str(ranks.at[t, name]) for t in shown] for name in names}
    lines = [legend(names, order)]
    if len(terms) > len(shown):
        add_line(cells, f"… {len(terms) - len(shown)} more in compare.csv")
    if len(terms) > 1 and len(names) > 1:
        agreement = ranks.astype(float).corr(method="spearman")[names[0]]
        add_line(cells)
        add_line(cells, f"agreement with {names[0]}", *(f"{agreement[name]:.2f}".replace("-", "−") for name in names))
        lines.append("agreement: rank correlation, 1 for the same order, 0 for none, −1 for the reverse")
    side_by_side, no_room = table_by_method(cells, names, "compare.csv")
    why = [f"{name} has no answer: {why}" for name, why in zip(failed["method"], failed["status"], strict=True)]
    heading = f"Ranks of {NOUNS[order]}s by method, 1 is the most important"
    return block(heading, side_by_side, [*lines, no_room, *why])


@click.command(
    cls=Command,
    params=table_options(),
    short_help="Rank by R-sens and other methods, side by side.",
    examples=[
        "rsens compare data.csv --target price",
        "rsens compare data.csv --target price --methods rsens,pfi,shap --budget full",
        "rsens compare data.csv --target price --order 2",
    ],
)
@option("--methods", metavar="NAMES", help="Methods, with commas between.  [default: all]")
@ORDER
@option(
    "--budget",
    metavar="[paper|standard|full]",
    help="How many predictions methods may ask for.  [default: standard]",
)
def compare(**given: Any) -> None:
    """Rank the columns of a table by R-sens and by other methods, side by side."""
    Compare(**given).run()


class OnSamples(Question):
    """Find out how rankings vary between samples of the rows."""

    name = "stability"
    pieces = "samples"
    fit = False

    def n_fits(self, settings: Settings) -> int:
        return 20 * settings.samples  # a sample of few rows takes about 0.2 s, as long as 20 fits

    @property
    def n_pieces(self) -> int:  # type: ignore[override]
        return self.settings.samples

    @property
    def step(self) -> str:  # type: ignore[override]
        return f"fitting to {self.settings.samples} samples"

    def question(self) -> dict[str, Any]:
        return self.settings.plain("methods", "order", "samples")

    def piece_question(self) -> dict[str, Any]:
        """A sample does not depend on their number."""
        return self.settings.plain("methods", "order")

    def result(self, setup: ModelSetup) -> Stability:
        from rsens._stability import stability

        settings = setup.settings
        asked: Any = {"order": settings.order, "n_boot": settings.samples, "folder": setup.keep}
        return stability(setup.model, groups=setup.groups, clusters=setup.clusters, **asked, **common_arguments(setup))

    def views(self, found: Stability, terms: Sequence[str]) -> Views:
        """In the JSON document the entropy of each method, and a summary by method and term."""
        from rsens._app.study import plain, records
        from rsens._stability import answer

        entropy = {name: plain(value) for name, value in found.entropy.items()}
        return Views(
            answer=[answer(found)],
            text=mean_ranks_text(found, terms),
            tables={"stability": found.to_frame(), "ranks": found.ranks},
            figures={f"ranks-{name}": partial(found.plot, method=name, top=RANKED) for name in answering(found)},
            content={"entropy": entropy, "terms": records(found.to_frame())},
        )


def answering(found: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in found.entropy.dropna().index]


def mean_ranks_text(found: Stability, columns: Sequence[str] = ()) -> str:
    """Mean ranks by method, the range of ranks by the first of them, and the entropy of each."""
    from rsens._app.study import block
    from rsens._compare import legend
    from rsens._stability import drawn

    names = answering(found)
    mean = found.mean_rank[names].sort_values(names[0], kind="stable")
    shown, hidden = mean.head(RANKED), len(mean) - RANKED
    summary: Any = found.to_frame().set_index(["method", "term"]).loc[names[0]].loc[shown.index]
    ranges = zip(summary["lower"], summary["upper"], strict=True)
    cells = {
        "": term_cells(list(shown.index), columns, found.order),
        f"90 % by {names[0]}": [str(low) if low == high else f"{low}–{high}" for low, high in ranges],
        **{name: [f"{value:.1f}" for value in shown[name]] for name in names},
    }
    add_line(cells)
    add_line(cells, "entropy", "", *(f"{value:.2f}" for value in found.entropy[names]))
    side_by_side, no_room = table_by_method(cells, names, "stability.csv")
    lines = [
        f"… and {hidden} more in stability.csv" if hidden > 0 else "",
        f"90 % by {names[0]}: the ranks by {names[0]} in the middle 90 % of the samples",
        f"entropy: 0 if all rankings are the same, {log(len(found.terms)):.2f} if they are random",
        legend(names, found.order),
        no_room,
    ]
    samples = f"{found.n_boot} samples of {drawn(found)}"
    heading = f"Mean ranks of {NOUNS[found.order]}s by models fitted to {samples}, 1 is the most important"
    return block(heading, side_by_side, lines)


@click.command(
    cls=Command,
    params=table_options(),
    short_help="Find out whether the ranking holds on other samples.",
    examples=[
        "rsens stability data.csv --target price",
        "rsens stability data.csv --target price --samples 100 --methods rsens,ead",
    ],
)
@option("--samples", type=int, metavar="N", argument="n_boot", help="How many samples.  [default: 50]")
@option("--methods", default="cheap", metavar="NAMES", help="Methods, with commas between.  [default: the cheap ones]")
@ORDER
def stability(**given: Any) -> None:
    """Find out how far rankings depend on the rows: the model is fitted to many samples of them.

    Finished samples are kept in the folder; after an interruption, run the same command again to resume.
    """
    OnSamples(**given).run()


class Select(Question):
    """Find out how many interactions the data need."""

    name = "select"
    pieces = "splits"
    fit = False
    step = "fitting models with more and more pairs"

    def read(self, given: Mapping[str, Any]) -> Settings:
        """All methods rank pairs."""
        return super().read({**given, "order": 2})

    def n_fits(self, settings: Settings) -> int:
        # Two fits for each split and number of pairs; sums of kernels take about five times as long as one.
        return 5 * 2 * (1 + settings.n_pairs) * settings.folds * settings.repeats

    @property
    def n_pieces(self) -> int:  # type: ignore[override]
        return self.settings.folds * self.settings.repeats

    def question(self) -> dict[str, Any]:
        settings = self.settings
        return {**settings.plain("pairs", "methods"), "cv": settings.folds, "repeats": settings.repeats}

    def result(self, setup: ModelSetup) -> Selection:
        from rsens._select_interactions import select_interactions

        settings = setup.settings
        asked: Any = {"k": settings.n_pairs, "cv": settings.folds, "repeats": settings.repeats, "folder": setup.keep}
        return select_interactions(setup.model, clusters=setup.clusters, **asked, **common_arguments(setup))

    def views(self, found: Selection, terms: Sequence[str]) -> Views:
        """In the JSON document the number of pairs that is enough by each method, the scores, and the pairs."""
        from rsens._app.study import plain, records
        from rsens._select_interactions import answer

        several = len(found.methods) > 1
        summary = found.summary()
        suggested = {str(name): plain(k) for name, k in found.suggestions.items()}
        return Views(
            answer=[Sentence(f"{name}: " if several else "", answer(found, name)) for name in found.methods],
            text=scores_text(found),
            tables={"scores": summary, "pairs": found.pairs},
            figures={"selection": found.plot},
            content={"suggested": suggested, "scores": records(summary), "pairs": records(found.pairs)},
        )


def scores_text(found: Selection) -> str:
    """The scores by number of pairs, and the leading pairs."""
    import pandas as pd

    from rsens._app.study import block, table
    from rsens._compare import legend

    several = len(found.methods) > 1
    summary, leading = found.summary(), found.pairs
    write = aligned(float(summary["difference_se"].max()), 2)
    known = summary["k"].notna()
    differences = zip(summary["difference"], summary["difference_se"], known, strict=True)
    scores: dict[str, Sequence[str]] = {
        "method": [str(method) if several else "" for method in summary["method"]],
        "pairs": ["all" if pd.isna(k) else str(k) for k in summary["k"]],
        "log score": [number(mean) for mean in summary["mean"]],
        "against all pairs": [f"{write(gap)} ± {write(se)}" if is_known else "" for gap, se, is_known in differences],
    }
    of_scores = [
        "log score: log density of a held-out row, larger is better; ±: one standard error",
        "enough: the fewest pairs within one standard error of the best number of them, if that is within two of all "
        "pairs",
    ]
    blocks = [block(f"Log score per held-out row, {found.n_splits} splits", table(scores, "<>>>"), of_scores)]
    if len(leading):
        pairs: dict[str, Sequence[str]] = {
            "method": [str(method) if several else "" for method in leading["method"]],
            "": [str(rank) for rank in leading["rank"]],
            "pair": [Pair(first, second) for first, second in zip(leading["first"], leading["second"], strict=True)],
            "value": [number(value) for value in leading["value"]],
            "in splits": [percent(share) for share in leading["share"]],
        }
        of_pairs = [
            f"value: by {'the method' if several else found.methods[0]}, on all rows ({legend(found.methods, 2)})",
            f"in splits: how often the pair was among the first {found.k}",
        ]
        blocks.append(block("Leading pairs", table(pairs, "<>~>>"), of_pairs))
    return "\n\n".join(blocks)


@click.command(
    cls=Command,
    params=table_options("model", "groups", "cv"),
    short_help="Find out how many interactions the data need.",
    examples=["rsens select data.csv --target price", "rsens select data.csv --target price --pairs 8"],
)
@option("--pairs", type=int, default=5, metavar="K", argument="k", help="Try 0 to K pairs.  [default: 5]")
@option(
    "--methods",
    default="rsens2",
    metavar="NAMES",
    help="Methods that rank the pairs, with commas between.  [default: rsens2]",
)
@option("--cv", "folds", type=int, metavar="K", argument="cv", help="Folds.  [default: 5]")
@option("--repeats", type=int, metavar="N", help="Rounds of folds.  [default: 2]")
@option("--no-check", "cv", sets=0, otherwise=None, help="Skip the check of the model with all pairs.")
def select(**given: Any) -> None:
    """Find out by cross-validation how many interactions of columns the data need, and which.

    Finished splits are kept in the folder; after an interruption, run the same command again to resume.
    """
    Select(**given).run()
