"""`rsens compare`, `rsens stability` and `rsens select`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsens._app.cli._command import DATA, NAMES, TableCommand, default_settings
from rsens._app.cli._options import CHECK, ORDER, flag, option, table_options
from rsens._errors import Argument, InputError, Sentence
from rsens._text import Pair, aligned, counted, listed, number, on_one_line, percent

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import ModelSetup, Settings
    from rsens._select_interactions import Selection
    from rsens._stability import Stability

#: How many variables or pairs are listed, by order.
COMPARED = {1: 30, 2: 15}
NOUNS = {1: "variable", 2: "pair"}
#: How many variables or pairs of `stability` are listed.
RANKED = 30


def _result_of(call: Callable[..., Any], setup: ModelSetup, *more: Any, **options: Any) -> Any:
    """The result of a call of the library with model, X and y, and the options that the three calls share."""
    return call(
        setup.model,
        setup.table.X,
        setup.table.y,
        *more,
        methods=setup.settings.method_names,
        numeric=setup.numeric,
        random_state=setup.seed,
        n_jobs=setup.settings.n_jobs,
        progress=setup.listener.progress,
        **options,
    )


def _by_method(columns: dict[str, list[str]], names: Sequence[str], file: str) -> tuple[str, str]:
    """A table whose last columns are methods, and which had no room: the last ones are left out first."""
    from rsens._app.study import table

    last, first = len(columns) - 1, len(columns) - len(names)
    lines = table(columns, "~" + ">" * last, give_way=[[k] for k in range(last, first, -1)])
    hidden = [name for name in names if name not in lines.split("\n")[0].split()]
    return lines, f"no room for {listed(hidden)}: see {file}" if hidden else ""


def term_cells(terms: Sequence[str], columns: Sequence[str], order: int) -> dict[str, str]:
    """Each term as a cell: a pair "a:b" as two names, which can both be shortened."""
    pairs = {f"{a}:{b}": Pair(a, b) for a, b in combinations(columns, 2)} if order == 2 else {}
    return {str(term): pairs.get(str(term), str(term)) for term in terms}


def _add_line(columns: dict[str, list[str]], *cells: str) -> None:
    """A further line of a table; cells that are not given are empty."""
    for k, column in enumerate(columns.values()):
        column.append(cells[k] if k < len(cells) else "")


def _compare(setup: ModelSetup, folder: Path | None) -> pd.DataFrame:
    """The table of `rsens.compare`."""
    from rsens._compare import compare

    settings = setup.settings
    return _result_of(compare, setup, order=settings.order, budget=settings.budget, groups=setup.groups)


def _comparison(found: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    from rsens.plots import comparison

    return {"comparison": lambda: comparison(found, top=30)}


def _compare_to_dict(found: pd.DataFrame) -> dict[str, Any]:
    """One entry per method, with its terms by rank."""
    from rsens._app.study import records

    methods = []
    for _, lines in found.groupby("method", sort=False):
        (head,) = records(lines[["method", "status", "seconds", "evaluations"]].head(1))
        terms = lines.loc[lines["term"].notna(), ["term", "value", "rank"]]
        methods.append(head | {"terms": records(terms)})
    return {"methods": methods}


def _answer(found: pd.DataFrame) -> str:
    """Which variable or pair is first, and by how many methods."""
    known = found[found["term"].notna()]
    leaders = {str(name): _leader(lines) for name, lines in known.groupby("method", sort=False)}
    methods = list(leaders)
    by_term: dict[str | None, list[str]] = {}
    for method, term in leaders.items():
        by_term.setdefault(term, []).append(method)
    first = leaders[methods[0]]
    if first is None:
        return f"{methods[0]} puts no {NOUNS[found.attrs['order']]} before all others."
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


def ranks_text(found: pd.DataFrame, columns: Sequence[str] = ()) -> str:
    """Ranks, terms in the order of the first method that answered; and why others did not answer."""
    from rsens._app.study import block
    from rsens._compare import legend

    known = found[found["term"].notna()]
    names = list(dict.fromkeys(known["method"]))
    ranks = known.pivot(index="term", columns="method", values="rank")
    terms = list(known.loc[known["method"] == names[0], "term"])
    order = found.attrs["order"]
    shown, written = terms[: COMPARED[order]], term_cells(terms, columns, order)
    cells = {"": [written[term] for term in shown]} | {name: [str(ranks.at[t, name]) for t in shown] for name in names}
    lines = [legend(names, order)]
    if len(terms) > len(shown):
        _add_line(cells, f"… {len(terms) - len(shown)} more in compare.csv")
    if len(terms) > 1 and len(names) > 1:
        agreement = ranks.astype(float).corr(method="spearman")[names[0]]
        _add_line(cells)
        _add_line(cells, f"agreement with {names[0]}", *(f"{agreement[name]:.2f}".replace("-", "−") for name in names))
        lines.append("agreement: rank correlation, 1 for the same order, 0 for none, −1 for the reverse")
    side_by_side, no_room = _by_method(cells, names, "compare.csv")
    failed = found[found["term"].isna()]
    why = [f"{name} has no answer: {why}" for name, why in zip(failed["method"], failed["status"], strict=True)]
    heading = f"Ranks of {NOUNS[order]}s by method, 1 for what matters most"
    return block(heading, side_by_side, [*lines, no_room, *why])


COMPARE = TableCommand(
    name="compare",
    summary="Rank by R-sens and other methods, side by side.",
    paragraphs=("Rank the columns of a table by R-sens and by other methods, side by side.", DATA, NAMES),
    examples=(
        "rsens compare data.csv --target price",
        "rsens compare data.csv --target price --methods rsens,pfi,shap --budget full",
        "rsens compare data.csv --target price --order 2",
    ),
    options=table_options(
        "rsens-NAME-compare",
        option("--methods", metavar="NAMES", help="Methods, with commas between.  [default: all]"),
        ORDER,
        option(
            "--budget",
            metavar="[paper|standard|full]",
            help="How many predictions methods may ask for.  [default: standard]",
        ),
        CHECK,
    ),
    question=lambda settings: settings.plain("methods", "order"),
    recorded=("budget",),  # it changes the numbers, though not the question
    step=lambda settings: "comparing",
    work=_compare,
    answer=lambda found: [_answer(found)],
    details=lambda found, analysis: ranks_text(found, list(analysis.terms)),
    tables=lambda found: {"compare": found},
    figures=_comparison,
    to_dict=_compare_to_dict,
)


def _stability(setup: ModelSetup, folder: Path | None) -> Stability:
    """The result of `rsens.stability`."""
    from rsens._stability import stability

    asked: dict[str, Any] = {"order": setup.settings.order, "n_boot": setup.settings.samples, "folder": folder}
    return _result_of(stability, setup, groups=setup.groups, clusters=setup.clusters, **asked)


def _stability_answer(found: Stability) -> Sequence[str]:
    from rsens._stability import answer

    return [answer(found)]


def _stability_to_dict(found: Stability) -> dict[str, Any]:
    """The entropy of each method, and a summary by method and term."""
    from rsens._app.study import plain, records

    entropy = {name: plain(value) for name, value in found.entropy.items()}
    return {"entropy": entropy, "terms": records(found.to_frame())}


def _methods(found: Stability) -> list[str]:
    """The methods that ranked at least one sample."""
    return [str(name) for name in found.entropy.dropna().index]


def mean_ranks_text(found: Stability, columns: Sequence[str] = ()) -> str:
    """Mean ranks by method, the range of ranks by the first of them, and the entropy of each."""
    from rsens._app.study import block
    from rsens._compare import legend
    from rsens._stability import drawn

    names = _methods(found)
    mean = found.mean_rank[names].sort_values(names[0], kind="stable")
    summary: Any = found.to_frame().set_index(["method", "term"]).loc[names[0]]
    terms, shown = term_cells(list(mean.index), columns, found.order), mean.head(RANKED)
    ranges = [(int(summary.at[term, "lower"]), int(summary.at[term, "upper"])) for term in shown.index]
    cells = {
        "": [terms[str(term)] for term in shown.index],
        f"90 % by {names[0]}": [str(low) if low == high else f"{low}–{high}" for low, high in ranges],
        **{name: [f"{value:.1f}" for value in shown[name]] for name in names},
    }
    _add_line(cells)
    _add_line(cells, "entropy", "", *(f"{value:.2f}" for value in found.entropy[names]))
    side_by_side, no_room = _by_method(cells, names, "stability.csv")
    lines = [
        f"… and {len(mean) - RANKED} more in stability.csv" if len(mean) > RANKED else "",
        f"90 % by {names[0]}: the ranks by {names[0]} in the middle 90 % of the samples",
        f"entropy: 0 if all rankings are the same, {log(len(found.terms)):.2f} if they are random",
        legend(names, found.order),
        no_room,
    ]
    samples = f"{found.n_boot} samples of {drawn(found)}"
    heading = f"Mean ranks of {NOUNS[found.order]}s by models fitted to {samples}, 1 for what matters most"
    return block(heading, side_by_side, lines)


STABILITY = TableCommand(
    name="stability",
    summary="Say whether the ranking holds on other samples.",
    paragraphs=(
        "Say how far rankings depend on the rows: the model is fitted to many samples of them.",
        DATA,
        "Finished samples are kept in the folder, and the same command goes on where it was stopped.",
        NAMES,
    ),
    examples=(
        "rsens stability data.csv --target price",
        "rsens stability data.csv --target price --samples 100 --methods rsens,ead",
    ),
    options=table_options(
        "rsens-NAME-stability",
        option("--samples", type=int, metavar="N", help="How many samples.  [default: 50]"),
        option(
            "--methods",
            default="cheap",
            metavar="NAMES",
            help="Methods, with commas between.  [default: the cheap ones]",
        ),
        ORDER,
        CHECK,
    ),
    question=lambda settings: settings.plain("methods", "order", "samples"),
    work_question=lambda settings: settings.plain("methods", "order"),  # a sample does not depend on their number
    n_fits=lambda settings: 20 * settings.samples,  # a sample of few rows takes about 0.2 s, as long as 20 fits
    pieces="samples",
    n_pieces=lambda settings: settings.samples,
    fit=False,
    step=lambda settings: f"fitting to {settings.samples} samples",
    work=_stability,
    answer=_stability_answer,
    details=lambda found, analysis: mean_ranks_text(found, list(analysis.terms)),
    tables=lambda found: {"stability": found.to_frame(), "ranks": found.ranks},
    figures=lambda found: {f"ranks-{name}": partial(found.plot, method=name, top=RANKED) for name in _methods(found)},
    to_dict=_stability_to_dict,
)


def _select_settings(given: Mapping[str, Any]) -> Settings:
    """All methods rank pairs, and only a Gaussian process can be a sum over chosen pairs."""
    settings = default_settings({**given, "order": 2})
    if settings.model != "gp":
        raise InputError(Argument("model"), f" must be 'gp' to choose pairs; got {settings.model!r}.")
    return settings


def _select(setup: ModelSetup, folder: Path | None) -> Selection:
    """The result of `rsens.select_interactions`."""
    from rsens._select_interactions import select_interactions

    settings = setup.settings
    asked: dict[str, Any] = {"cv": settings.folds, "repeats": settings.repeats, "folder": folder}
    return _result_of(select_interactions, setup, settings.n_pairs, clusters=setup.clusters, **asked)


def _select_answer(found: Selection) -> Sequence[str]:
    """How many pairs are enough, by each method."""
    from rsens._select_interactions import answer

    if len(found.methods) == 1:
        return [answer(found, found.methods[0])]
    return [Sentence(f"{name}: ", answer(found, name)) for name in found.methods]


def _select_to_dict(found: Selection) -> dict[str, Any]:
    """The number of pairs that is enough by each method, the scores, and the pairs."""
    from rsens._app.study import plain, records

    suggested = {str(name): plain(k) for name, k in found.suggestions.items()}
    return {"suggested": suggested, "scores": records(found.summary()), "pairs": records(found.pairs)}


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
    pairs: dict[str, Sequence[str]] = {
        "method": [str(method) if several else "" for method in leading["method"]],
        "": [str(rank) for rank in leading["rank"]],
        "pair": [Pair(first, second) for first, second in zip(leading["first"], leading["second"], strict=True)],
        "value": [number(value) for value in leading["value"]],
        "in splits": [percent(share) for share in leading["share"]],
    }
    of_scores = [
        "log score: log density of a held-out row, larger is better; ±: one standard error",
        "enough: the fewest pairs within one standard error of the best number of them, if that is within two of all "
        "pairs",
    ]
    blocks = [block(f"Log score per held-out row, {found.n_splits} splits", table(scores, "<>>>"), of_scores)]
    if len(leading):
        of_pairs = [
            f"value: by {'the method' if several else found.methods[0]}, on all rows ({legend(found.methods, 2)})",
            f"in splits: how often the pair was among the first {found.k}",
        ]
        blocks.append(block("Leading pairs", table(pairs, "<>~>>"), of_pairs))
    return "\n\n".join(blocks)


SELECT = TableCommand(
    name="select",
    summary="Say how many interactions the data need.",
    paragraphs=(
        "Say how many interactions of columns the data need, and which, by cross-validation.",
        DATA,
        "Finished splits are kept in the folder, and the same command goes on where it was stopped.",
        NAMES,
    ),
    examples=("rsens select data.csv --target price", "rsens select data.csv --target price --pairs 8"),
    options=table_options(
        "rsens-NAME-select",
        option("--pairs", type=int, default=5, metavar="K", help="Try 0 to K pairs.  [default: 5]"),
        option(
            "--methods",
            default="rsens2",
            metavar="NAMES",
            help="What ranks the pairs, with commas between.  [default: rsens2]",
        ),
        option("--cv", "folds", type=int, metavar="K", help="Folds.  [default: 5]"),
        option("--repeats", type=int, metavar="N", help="Rounds of folds.  [default: 2]"),
        flag("--no-check", "cv", sets=0, otherwise=None, help="Skip the check of the model with all pairs."),
        models="gp",
        groups=False,
    ),
    settings=_select_settings,
    takes=lambda option, value: option != "model" or value == "gp",  # whatever model was explained
    question=lambda settings: {
        **settings.plain("pairs", "methods"),
        "cv": settings.folds,
        "repeats": settings.repeats,
    },
    # Two fits for each split and number of pairs; sums of kernels take about five times as long as one.
    n_fits=lambda settings: 5 * 2 * (1 + settings.n_pairs) * settings.folds * settings.repeats,
    pieces="splits",
    n_pieces=lambda settings: settings.folds * settings.repeats,
    fit=False,
    step=lambda settings: "fitting models with more and more pairs",
    work=_select,
    answer=_select_answer,
    details=lambda found, analysis: scores_text(found),
    tables=lambda found: {"scores": found.summary(), "pairs": found.pairs},
    figures=lambda found: {"selection": found.plot},
    to_dict=_select_to_dict,
)
