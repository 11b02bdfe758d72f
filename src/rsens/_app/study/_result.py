"""`Study`, the result of `study`, and the files it is written to."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.report import drawings
from rsens._app.study._document import as_dict, document_of
from rsens._app.study._model_table import to_metadata
from rsens._app.study._pipeline import Listener
from rsens._app.study._settings import AUTO_PAIRS
from rsens._app.study._setup import Analysis
from rsens._document import Document, Shown
from rsens._explain import Explanation
from rsens._files import check_folder, new_files, write_csv, write_summary
from rsens.models import save_model
from rsens.plots import lay_out, short_labels

MODEL = "model.rsens"
#: With more rows than this, explanation.json has averages only: it would take hundreds of megabytes.
MOST_ROWS_IN_JSON = 200_000
#: The folder inside the folder of results that keeps the finished refits of an analysis that was stopped.
REFITS = "refits"


@dataclass(eq=False, repr=False, kw_only=True)
class Study(Shown, Analysis):
    """A table, a model of one of its columns, the model's quality, and its sensitivities. Made by `rsens.study`.

    Attributes:
        model: The fitted model.
        explanation: The sensitivities of its predictions, an `Explanation`.
        assessment: Its quality on unseen rows, an `Assessment`; None if it was not checked.
        notes: Changes of the data and remarks: records of `kind`, `columns` and `text`.
        likelihood: The `kind` of likelihood, the `reason` for it, and the `classes` if there are any.
        X: The rows that were explained.
        y: Their targets; None for new rows without.
        settings: The arguments, the data, the seed and the versions: everything to repeat it.
        reader: How the columns are read, a `TableReader`; stored with the model. `study.reader.transform(new)` has new
            rows as the model takes them.
        n_pairs: How many pairs are shown.
        clusters: The labels of rows that belong together, for `clusters=`; None if no column has them.
        groups: Columns that are explained together, for `groups=`, by the name of the group.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> table = load_diabetes(as_frame=True).frame
        >>> study = rsens.study(table, "target", model="linear", null=False, pairs=0)
        >>> study.likelihood.kind, len(study.X), study.assessment.ok
        ('gaussian', 442, True)
        >>> study.notes[0].text.split(".")[0]
        "'sex' has two values and is compared between them, like a category"
    """

    @property
    def explanation(self) -> Explanation:
        """The sensitivities of the model's predictions."""
        found: Explanation = self.found
        return found

    @property
    def n_pairs(self) -> int:
        """How many pairs are shown."""
        asked = self.settings["arguments"]["pairs"]
        return AUTO_PAIRS if asked == "auto" else int(asked)

    def text(self) -> str:
        """The text of the command line: the answer, the model, its quality, variables and pairs."""
        return self._document().text()

    def _document(self) -> Document:
        return document_of(self)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, ready for JSON."""
        return as_dict(self)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report: one HTML file that needs no network."""
        from rsens._app.report import write_report

        return write_report(self, path)

    def write(
        self,
        folder: str | os.PathLike[str],
        *,
        report: bool = True,
        overwrite: bool = False,
        progress: bool | None = None,
    ) -> list[Path]:
        """Write everything into a folder, all of it or nothing.

        report.html, importance.csv, effects.csv, pairs.csv, by.csv (with `by`), local.parquet (local.csv without
        pyarrow), explanation.json, model.rsens, summary.json, and figures/ with PNG and SVG. The model holds the rows
        that it was fitted to.

        Args:
            folder: Made if it is not there. Results of an earlier run on the same data and target are replaced.
            report: Whether to draw the report and the figures, which takes longer than the rest.
            overwrite: Whether to write into a folder that holds other results or other files. Other results are
                replaced; other files only if they have the same names. The model file that was read stays.
            progress: Whether to show what is going on: True, False, or None for only in a terminal.

        Returns:
            The files, the report first.
        """
        return write_study(self, Path(folder), report=report, overwrite=overwrite, listener=Listener(progress))


def write_study(
    study: Study, folder: Path, *, report: bool, overwrite: bool, listener: Listener, also: Iterable[Writer] = ()
) -> list[Path]:
    """Write as `Study.write` does, with a listener; `also` writes more files."""
    file = study.settings["arguments"].get("model_file")
    question = {
        "command": "explain",
        "data": study.settings["data"],
        "target": study.settings["target"],
        "model_file": file,
        "model_of": study.settings.get("model_of"),
        "where": study.settings["arguments"].get("where"),
    }
    check_folder(folder, overwrite, REFITS, question)
    keep = [] if file is None else [MODEL]  # the model that was read may be in this folder
    writers = chain(_writers(study, with_model=file is None, with_report=report), also)
    return write_folder(folder, "explain", study.to_dict(), writers, listener=listener, keep=keep)


def _writers(study: Study, *, with_model: bool, with_report: bool) -> Iterator[Writer]:
    found = study.explanation
    tables = {"importance": found.to_frame(), "effects": found.effects}
    by = found.by_frame()
    pairs = {"pairs": found.to_frame(order=2)} if found.order == 2 else {}
    yield from table_writers(tables | pairs | ({} if by is None else {"by": by}))
    yield "writing R-sens of every row", lambda folder: _write_local(found.local_main, folder)
    # If there are many rows, only the table above has single ones.
    yield (
        "writing explanation.json",
        lambda folder: found.save(folder / "explanation.json", rows=found.n <= MOST_ROWS_IN_JSON),
    )
    if with_model:
        metadata = to_metadata(study.reader, study.likelihood, study.settings["data"], study.clusters)
        yield f"writing {MODEL}", lambda folder: save_model(study.model, folder / MODEL, metadata=metadata)
    if with_report:
        yield from figure_writers(figures_of(study))
        yield "writing the report", lambda folder: study.report(folder / "report.html")


def _write_local(local: pd.DataFrame, folder: Path) -> None:
    """R-sens of every row: in Parquet if pyarrow is installed, else as CSV. The first column has the row's label."""
    label = "row"
    while label in local.columns:
        label = f"_{label}"
    frame = local.rename_axis(index=label).reset_index()
    if find_spec("pyarrow") is None:
        write_csv(frame, folder / "local.csv")
        return
    if frame[label].dtype == object:  # labels of several types
        frame[label] = frame[label].map(str)
    frame.to_parquet(folder / "local.parquet", index=False)


#: How many variables have their own figure, such as a profile, and how many pairs, such as a surface.
VARIABLES, PAIRS = 3, 2
#: The resolution of PNG, in dots per inch.
RESOLUTION = 150


def figures_of(study: Study) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The name of each figure, and a function that draws it."""
    given = {"model": study.model, "X": study.X, "y": _points(study)}
    for plot, result, number, terms in drawings(study, VARIABLES, PAIRS):
        options = {name: given[name] for name in plot.takes} | dict(plot.options)
        file = "-".join([plot.file, str(number + 1), *map(file_name, terms)]) if terms else plot.file
        yield file, partial(plot.draw, result, *terms, **options)


def _points(study: Study) -> Any:
    """Targets as points of a profile: numbers, or 0 and 1 for the second of two classes; none of more classes."""
    classes = study.likelihood.classes
    if study.y is None or (classes is not None and len(classes) > 2):
        return None
    y = study.y if classes is None else (study.y.map(str) == str(classes[1])).astype(float)
    return y.rename(short_labels([str(y.name)])[0])  # it becomes a label


def file_name(name: str) -> str:
    """A name as part of the name of a file: letters, digits and underscores, at most 30."""
    return re.sub(r"[^0-9A-Za-z_]+", "_", name).strip("_")[:30] or "x"


def draw(plot: Callable[[], Any], name: str, folder: Path) -> None:
    """Draw a figure and write it to figures/ as PNG and SVG; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt
    from matplotlib import rc_context

    axes = np.asarray(plot(), dtype=object).ravel()
    figure = axes[0].figure
    place = folder / "figures"
    place.mkdir(parents=True, exist_ok=True)
    try:
        with rc_context({"svg.hashsalt": "rsens"}):
            figure.set_dpi(RESOLUTION)
            lay_out(figure)
            figure.savefig(place / f"{name}.png", dpi=RESOLUTION)
            figure.savefig(place / f"{name}.svg", metadata={"Date": None})
    finally:
        plt.close(figure)


#: The words for the progress line, and a function that writes into a folder.
Writer = tuple[str, Callable[[Path], object]]


def write_folder(
    folder: Path,
    command: str,
    content: dict[str, Any],
    writers: Iterable[Writer],
    *,
    listener: Listener,
    keep: Iterable[str] = (),
) -> list[Path]:
    """Write everything and a summary of it, or nothing; the files, the report first and figures last.

    Files from the previous run are removed unless they were rewritten or are listed in `keep`.
    """
    with new_files(folder, keep=keep) as temporary, listener.line():
        listener.step("writing")
        for what, write in writers:
            listener.detail(what)
            write(temporary)
        names = write_summary(temporary, command, content)
    return [folder / name for name in sorted(names, key=lambda name: (name != "report.html", "/" in name, name))]


def table_writers(frames: Mapping[str, pd.DataFrame]) -> Iterator[Writer]:
    """Tables by name, as CSV."""
    for name, frame in frames.items():
        yield f"writing {name}.csv", partial(_write_table, frame, f"{name}.csv")


def _write_table(frame: pd.DataFrame, name: str, folder: Path) -> None:
    write_csv(frame, folder / name)


def figure_writers(plots: Iterable[tuple[str, Callable[[], Any]]]) -> Iterator[Writer]:
    """Figures by name, each with a function that draws it."""
    for name, plot in plots:
        yield f"drawing {name}", partial(draw, plot, name)
