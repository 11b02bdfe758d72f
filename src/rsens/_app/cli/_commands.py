"""The commands: `explain`, `compare`, `stability`, `select` and `demo`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rsens._app.cli._command import Command, Question, Views, Work, folder_of
from rsens._app.cli._options import ALL, next_command, option, settings_of, spelling_of, switch, table_options
from rsens._errors import spelled_by

if TYPE_CHECKING:
    import pandas as pd

    from rsens._app.cli._work import Live
    from rsens._app.study import Analysis, Listener, Settings, Study
    from rsens._app.tables import Note
    from rsens._files import Checkpoint
    from rsens._select_interactions import Selection
    from rsens._stability import Stability

#: How many variables or pairs a figure shows.
RANKED = 30
ORDER = option("--order", type=int, metavar="[1|2]", help="1 for variables, 2 for pairs.  [default: 1]")


@click.command(
    cls=Command,
    params=table_options(
        option("--pairs", type=int, metavar="K", help="Show K pairs.  [default: 10, or 0 above 60 columns]"),
        option(
            "--by",
            metavar="COLUMN",
            help="Rank within subgroups of rows too, and mark where one differs from the other rows; numbers are cut "
            "into ranges.",
        ),
        option("--model-file", type=click.Path(), metavar="FILE", help="Explain new rows with a model saved before."),
        switch("--no-null", "null", sets=False, help="Skip the refits that measure the null level."),
        switch(
            "--no-report",
            "report",
            sets=False,
            help="Skip the report and the figures, which take longer than the rest.",
        ),
    ),
    short_help="Rank columns by how far they move the prediction.",
    examples=[
        "rsens explain data.csv --target price",
        "rsens explain data.csv --target price --drop id --drop 'name, full' --out results",
        "rsens explain data.csv --target rings --likelihood poisson --rows 500 --json",
        "rsens explain data.csv --target price --by region",
        "rsens explain new.csv --model-file rsens-data/model.rsens",
    ],
)
def explain(**given: Any) -> None:
    """Rank the columns of a table by how far they move the prediction of one of them.

    Prints how good the model is, then variables and pairs by R-sens, and writes a report, tables, figures and the
    model.
    """
    settings = settings_of(given)
    _explain(given, settings, folder_of(given, settings), given if settings.model_file is None else None)


def _explain(
    given: Mapping[str, Any], settings: Settings, folder: Path, for_next: Mapping[str, Any] | None, table: str = ""
) -> None:
    """The work, text and files as in Python, with hints on the next commands.

    The hints keep the options `for_next`, None for no hints. `table` names a file for the data among the results; then
    nothing is printed before the result.
    """
    from rsens._app.cli._work import KeptWork
    from rsens._app.study import Hints, document_of, explain_task, write_study
    from rsens._files import write_csv

    kept = KeptWork(folder)
    hints = Hints() if for_next is None else Hints(*(next_command(each, for_next) for each in (select, stability)))
    copy = [(f"writing {table}", lambda place: write_csv(settings.data, place / table))] if table else []

    def text(study: Study, printed: Sequence[Note] | None) -> str:
        return document_of(study, hints=hints, printed=printed).text()

    def write(study: Study, live: Live) -> list[Path]:
        report, overwrite = given.get("report") is not False, bool(given["overwrite"])
        files = write_study(study, folder, report=report, overwrite=overwrite, listener=live, also=copy)
        kept.forget()
        return files

    model_file = None if settings.model_file is None else os.path.basename(settings.model_file)
    Work(
        given=given,
        settings=settings,
        folder=folder,
        question={"command": "explain", "model_file": model_file},
        task=explain_task(settings),
        text=text,
        write=write,
        kept=kept,
        early=not table,
    ).run()


@click.command(
    cls=Command,
    params=[ALL[name] for name in ("out", "overwrite", "quiet", "traceback")],
    short_help="Explain the diabetes data of scikit-learn.",
)
def demo(**given: Any) -> None:
    """Explain the diabetes data that come with scikit-learn: ten measurements of 442 patients, and how far the disease
    has progressed a year later.

    Does what `rsens explain` does, in a few seconds.
    """
    from sklearn.datasets import load_diabetes

    frame = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
    with spelled_by(spelling_of(explain)):
        settings = settings_of(given, data=frame, target="progression", name="diabetes")
        folder = Path("rsens-demo") if given["out"] is None else given["out"]
        for_next = {"data": folder / "diabetes.csv", "target": "progression"}
        _explain(given, settings, folder, for_next, "diabetes.csv")


@click.command(
    cls=Command,
    params=table_options(
        option("--methods", metavar="NAMES", help="Methods, with commas between.  [default: all]"),
        ORDER,
        option(
            "--budget",
            metavar="[paper|standard|full]",
            help="How many predictions methods may ask for.  [default: standard]",
        ),
    ),
    short_help="Rank by R-sens and other methods, side by side.",
    examples=[
        "rsens compare data.csv --target price",
        "rsens compare data.csv --target price --methods rsens,pfi,shap --budget full",
        "rsens compare data.csv --target price --order 2",
    ],
)
def compare(**given: Any) -> None:
    """Rank the columns of a table by R-sens and by other methods, side by side."""
    settings = settings_of(given)

    def find(analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None) -> pd.DataFrame:
        from rsens import _compare

        asked: Any = analysis.asked
        return _compare.compare(
            analysis.model,
            analysis.X,
            analysis.y,
            methods=asked.method_names,
            order=asked.order,
            budget=asked.budget,
            groups=analysis.groups,
            numeric=analysis.numeric,
            random_state=asked.seed,
            n_jobs=asked.n_jobs,
            progress=listener.progress,  # type: ignore[arg-type]
        )

    def views(found: Any, terms: Sequence[str]) -> Views:
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
            details=[ranks_table(found, terms)],
            tables={"compare": found},
            figures={"comparison": partial(comparison, found, top=RANKED)},
            content={"methods": methods},
        )

    Question(
        name="compare",
        step="comparing",
        asked=settings.plain("methods", "order"),
        recorded=settings.plain("budget"),  # it changes the numbers, though not the question
        find=find,
        views=views,
    ).run(given, settings)


def _on_refits(analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None) -> dict[str, Any]:
    """The arguments that stability and the selection of interactions share."""
    return {
        "estimator": analysis.model,
        "X": analysis.X,
        "y": analysis.y,
        "methods": analysis.asked.method_names,
        "numeric": analysis.numeric,
        "random_state": analysis.asked.seed,
        "n_jobs": analysis.asked.n_jobs,
        "clusters": analysis.clusters,
        "progress": listener.progress,
        "folder": checkpoint,
    }


@click.command(
    cls=Command,
    params=table_options(
        option("--samples", type=int, metavar="N", help="How many samples.  [default: 50]"),
        option(
            "--methods",
            default="cheap",
            metavar="NAMES",
            help="Methods, with commas between.  [default: the cheap ones]",
        ),
        ORDER,
    ),
    short_help="Find out whether the ranking holds on other samples.",
    examples=[
        "rsens stability data.csv --target price",
        "rsens stability data.csv --target price --samples 100 --methods rsens,ead",
    ],
)
def stability(**given: Any) -> None:
    """Find out how far rankings depend on the rows: the model is fitted to many samples of them.

    Finished samples are kept in the folder; after an interruption, run the same command again to resume.
    """
    samples = 50 if given["samples"] is None else given["samples"]
    settings = settings_of(given, fits=20 * samples)  # a sample of few rows takes about 0.2 s, as long as 20 fits

    def find(analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None) -> Stability:
        from rsens import _stability

        asked: Any = {"order": settings.order, "n_boot": samples, "groups": analysis.groups}
        return _stability.stability(**_on_refits(analysis, listener, checkpoint), **asked)

    def views(found: Stability, terms: Sequence[str]) -> Views:
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

    Question(
        name="stability",
        step=f"fitting to {samples} samples",
        asked=settings.plain("methods", "order", "samples"),
        find=find,
        views=views,
        fit=False,
        pieces="samples",
        n_pieces=samples,
    ).run(given, settings)


@click.command(
    cls=Command,
    params=table_options(
        option("--pairs", type=int, default=5, metavar="K", help="Try 0 to K pairs.  [default: 5]"),
        option("--cv", "folds", type=int, metavar="K", help="Folds.  [default: 5]"),
        option("--repeats", type=int, metavar="N", help="Rounds of folds.  [default: 2]"),
        switch("--no-check", "cv", sets=0, help="Skip the check of the model with all pairs."),
        without=("model", "groups", "cv"),
    ),
    short_help="Find out how many interactions the data need.",
    examples=["rsens select data.csv --target price", "rsens select data.csv --target price --pairs 8"],
)
def select(**given: Any) -> None:
    """Find out by cross-validation how many interactions of columns the data need, and which.

    Finished splits are kept in the folder; after an interruption, run the same command again to resume.
    """
    settings = settings_of(given, order=2, methods="rsens2")
    splits = settings.folds * settings.repeats
    # Two fits for each split and number of pairs; sums of kernels take about five times as long as one.
    settings = replace(settings, fits=5 * 2 * (1 + settings.n_pairs) * splits)

    def find(analysis: Analysis, listener: Listener, checkpoint: Checkpoint | None) -> Selection:
        from rsens._select_interactions import select

        asked = _on_refits(analysis, listener, checkpoint)
        del asked["methods"]
        return select(**asked, k=settings.n_pairs, cv=settings.folds, repeats=settings.repeats)

    def views(found: Selection, terms: Sequence[str]) -> Views:
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

    Question(
        name="select",
        step="fitting models with more and more pairs",
        asked={**settings.plain("pairs"), "cv": settings.folds, "repeats": settings.repeats},
        find=find,
        views=views,
        fit=False,
        pieces="splits",
        n_pieces=splits,
    ).run(given, settings)
