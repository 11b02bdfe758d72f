"""`rsens compare`, `rsens stability` and `rsens select`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsens._app.cli._command import DATA, NAMES, TableCommand, default_settings
from rsens._app.cli._options import CHECK, ORDER, flag, option, table_options
from rsens._errors import Argument, InputError

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import Analysis, ModelSetup, Settings
    from rsens._document import ShownTable
    from rsens._select_interactions import Selection
    from rsens._stability import Stability

#: How many variables or pairs of `stability` a figure shows.
RANKED = 30


def _common(setup: ModelSetup) -> dict[str, Any]:
    """The arguments that `stability` and `select_interactions` share."""
    return {
        "estimator": setup.model,
        "X": setup.table.X,
        "y": setup.table.y,
        "methods": setup.settings.method_names,
        "numeric": setup.numeric,
        "random_state": setup.seed,
        "n_jobs": setup.settings.n_jobs,
        "clusters": setup.clusters,
        "progress": setup.listener.progress,
    }


def _compare(setup: ModelSetup, folder: Path | None) -> pd.DataFrame:
    """The table of `rsens.compare`."""
    from rsens._compare import ComparisonSettings, compared

    asked, table = setup.settings, setup.table
    how: dict[str, Any] = {"numeric": setup.numeric, "groups": setup.groups}
    settings = ComparisonSettings.read(asked.method_names, asked.order, asked.budget, **how)
    return compared(setup.model, table.X, table.y, settings, setup.seed, asked.n_jobs, setup.listener.progress)


def _comparison(found: pd.DataFrame) -> dict[str, Callable[[], Any]]:
    from rsens.plots import comparison

    return {"comparison": lambda: comparison(found, top=30)}


def _compare_to_dict(found: pd.DataFrame) -> dict[str, Any]:
    """One entry per method, with its terms by rank."""
    from rsens._document import records

    methods = []
    for _, lines in found.groupby("method", sort=False):
        (head,) = records(lines[["method", "status", "seconds", "evaluations"]].head(1))
        terms = lines.loc[lines["term"].notna(), ["term", "value", "rank"]]
        methods.append(head | {"terms": records(terms)})
    return {"methods": methods}


def _compare_answer(found: Any) -> Sequence[str]:
    from rsens._compare import answer

    return [answer(found)]


def _compare_details(found: Any, analysis: Analysis[Any]) -> Sequence[ShownTable]:
    from rsens._compare import ranks_table

    return [ranks_table(found, analysis.terms, values=False, where="in compare.csv")]


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
    answer=_compare_answer,
    details=_compare_details,
    tables=lambda found: {"compare": found},
    figures=_comparison,
    to_dict=_compare_to_dict,
)


def _stability(setup: ModelSetup, folder: Path | None) -> Stability:
    """The result of `rsens.stability`."""
    from rsens._stability import StabilityQuestion

    asked: dict[str, Any] = {"order": setup.settings.order, "n_boot": setup.settings.samples, "folder": folder}
    return StabilityQuestion(groups=setup.groups, **_common(setup), **asked).answer()


def _stability_to_dict(found: Stability) -> dict[str, Any]:
    """The entropy of each method, and a summary by method and term."""
    from rsens._document import plain, records

    entropy = {name: plain(value) for name, value in found.entropy.items()}
    return {"entropy": entropy, "terms": records(found.to_frame())}


def _stability_answer(found: Stability) -> Sequence[str]:
    from rsens._stability import answer

    return [answer(found)]


def _stability_details(found: Stability, analysis: Analysis[Any]) -> Sequence[ShownTable]:
    from rsens._stability import mean_ranks

    return [mean_ranks(found, analysis.terms, where="in stability.csv")]


def _stability_figures(found: Stability) -> dict[str, Callable[[], Any]]:
    from rsens._stability import ranking_methods

    return {f"ranks-{name}": partial(found.plot, method=name, top=RANKED) for name in ranking_methods(found)}


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
    details=_stability_details,
    tables=lambda found: {"stability": found.to_frame(), "ranks": found.ranks},
    figures=_stability_figures,
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
    from rsens._select_interactions import SelectionQuestion

    asked, settings = _common(setup), setup.settings
    how: dict[str, Any] = {"k": settings.n_pairs, "cv": settings.folds, "repeats": settings.repeats, "folder": folder}
    return SelectionQuestion(**asked, **how).answer()


def _select_to_dict(found: Selection) -> dict[str, Any]:
    """The number of pairs that is enough by each method, the scores, and the pairs."""
    from rsens._document import plain, records

    suggested = {str(name): plain(k) for name, k in found.suggestions.items()}
    return {"suggested": suggested, "scores": records(found.summary()), "pairs": records(found.pairs)}


def _select_answer(found: Selection) -> Sequence[str]:
    from rsens._select_interactions import answers

    return answers(found)


def _select_details(found: Selection, analysis: Analysis[Any]) -> Sequence[ShownTable]:
    from rsens._select_interactions import score_tables

    return score_tables(found)


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
    details=_select_details,
    tables=lambda found: {"scores": found.summary(), "pairs": found.pairs},
    figures=lambda found: {"selection": found.plot},
    to_dict=_select_to_dict,
)
