"""`rsens compare`, `rsens stability` and `rsens select`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._command import Command, Question, Views
from rsens._app.cli._options import option, table_options

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.study import ModelSetup, Settings
    from rsens._select_interactions import Selection
    from rsens._stability import Stability

#: How many variables or pairs a figure shows.
RANKED = 30
ORDER = option("--order", type=int, metavar="[1|2]", help="1 for variables, 2 for pairs.  [default: 1]")


def common_arguments(setup: ModelSetup) -> dict[str, Any]:
    """The arguments that stability and the selection of interactions share."""
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
        "folder": setup.keep,
    }


class Compare(Question):
    """Rank by R-sens and other methods."""

    name = "compare"
    step = "comparing"
    recorded = ("budget",)  # it changes the numbers, though not the question

    def question(self) -> dict[str, Any]:
        return self.settings.plain("methods", "order")

    def result(self, setup: ModelSetup) -> pd.DataFrame:
        from rsens import _compare

        asked: Any = setup.settings
        progress: Any = setup.listener.progress
        return _compare.compare(
            setup.model,
            setup.table.X,
            setup.table.y,
            methods=asked.method_names,
            order=asked.order,
            budget=asked.budget,
            groups=setup.groups,
            numeric=setup.numeric,
            random_state=setup.seed,
            n_jobs=asked.n_jobs,
            progress=progress,
        )

    def views(self, found: Any, terms: Sequence[str]) -> Views:
        """In the JSON document one entry per method, with its terms by rank."""
        from rsens._compare import answer, ranks_table
        from rsens._document import records
        from rsens.plots import comparison

        methods = []
        for _, lines in found.groupby("method", sort=False):
            (head,) = records(lines[["method", "status", "seconds", "evaluations"]].head(1))
            methods.append(head | {"terms": records(lines.loc[lines["term"].notna(), ["term", "value", "rank"]])})
        return Views(
            answer=[answer(found)],
            details=[ranks_table(found, terms, values=False, where="in compare.csv")],
            tables={"compare": found},
            figures={"comparison": partial(comparison, found, top=RANKED)},
            content={"methods": methods},
        )


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
        from rsens import _stability

        asked: Any = {"order": setup.settings.order, "n_boot": setup.settings.samples, "groups": setup.groups}
        return _stability.stability(**common_arguments(setup), **asked)

    def views(self, found: Stability, terms: Sequence[str]) -> Views:
        """In the JSON document the entropy of each method, and a summary by method and term."""
        from rsens._document import plain, records
        from rsens._stability import answer, mean_ranks, ranking_methods

        entropy = {name: plain(value) for name, value in found.entropy.items()}
        return Views(
            answer=[answer(found)],
            details=[mean_ranks(found, terms, where="in stability.csv")],
            tables={"stability": found.to_frame(), "ranks": found.ranks},
            figures={f"ranks-{name}": partial(found.plot, method=name, top=RANKED) for name in ranking_methods(found)},
            content={"entropy": entropy, "terms": records(found.to_frame())},
        )


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
        """R-sens₂ ranks pairs."""
        return super().read({**given, "order": 2, "methods": "rsens2"})

    def n_fits(self, settings: Settings) -> int:
        # Two fits for each split and number of pairs; sums of kernels take about five times as long as one.
        return 5 * 2 * (1 + settings.n_pairs) * settings.folds * settings.repeats

    @property
    def n_pieces(self) -> int:  # type: ignore[override]
        return self.settings.folds * self.settings.repeats

    def question(self) -> dict[str, Any]:
        settings = self.settings
        return {**settings.plain("pairs"), "cv": settings.folds, "repeats": settings.repeats}

    def result(self, setup: ModelSetup) -> Selection:
        from rsens._select_interactions import SplitAnalysis, select

        asked, settings = common_arguments(setup), setup.settings
        how = {name: asked.pop(name) for name in ("random_state", "n_jobs", "folder", "progress")}
        del asked["methods"]
        return select(SplitAnalysis.of(**asked, k=settings.n_pairs), settings.folds, settings.repeats, **how)

    def views(self, found: Selection, terms: Sequence[str]) -> Views:
        """In the JSON document the number of pairs that is enough by R-sens₂, the scores, and the pairs."""
        from rsens._document import records
        from rsens._select_interactions import answer, score_tables

        summary = found.summary()
        return Views(
            answer=[answer(found)],
            details=score_tables(found),
            tables={"scores": summary, "pairs": found.pairs},
            figures={"selection": found.plot},
            content={
                "suggested": {"rsens2": found.suggested},
                "scores": records(summary),
                "pairs": records(found.pairs),
            },
        )


@click.command(
    cls=Command,
    params=table_options("model", "groups", "cv"),
    short_help="Find out how many interactions the data need.",
    examples=["rsens select data.csv --target price", "rsens select data.csv --target price --pairs 8"],
)
@option("--pairs", type=int, default=5, metavar="K", argument="k", help="Try 0 to K pairs.  [default: 5]")
@option("--cv", "folds", type=int, metavar="K", argument="cv", help="Folds.  [default: 5]")
@option("--repeats", type=int, metavar="N", help="Rounds of folds.  [default: 2]")
@option("--no-check", "cv", sets=0, otherwise=None, help="Skip the check of the model with all pairs.")
def select(**given: Any) -> None:
    """Find out by cross-validation how many interactions of columns the data need, and which.

    Finished splits are kept in the folder; after an interruption, run the same command again to resume.
    """
    Select(**given).run()
