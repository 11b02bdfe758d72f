"""The result of `study`: everything in one place, and what writes it to files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from rsens._app.study._figures import draw, figures_of
from rsens._app.study._metadata import to_metadata
from rsens._app.study._phases import Phases
from rsens._app.study._plain import as_dict
from rsens._app.study._text import text_of
from rsens._app.tables import Choice, Note
from rsens._assess import Assessment
from rsens._explain import Explanation
from rsens._files import Question, check_folder, new_files, write_csv, write_summary
from rsens.models import save_model

MODEL = "model.rsens"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Study:
    """A table, a model of one of its columns, how good that is, and what moves it. Made by `rsens.study`.

    Attributes:
        model: The fitted model.
        explanation: What moves its predictions, an `Explanation`.
        assessment: How good it is on rows it has not seen, an `Assessment`; None if that was not asked for.
        notes: What was done to the data and what was seen: records of `kind`, `columns` and `text`.
        likelihood: The `kind` of likelihood, the `reason` for it, and the `classes` if there are any.
        X: The rows that were explained.
        y: Their targets; None for new rows without.
        settings: What was asked, what the data were, the seed and the versions: all to do it again.
        recipe: How the columns were read; stored with the model, for new rows.
        n_pairs: How many pairs are shown.
    """

    model: Any
    explanation: Explanation
    assessment: Assessment | None
    notes: tuple[Note, ...]
    likelihood: Choice
    X: pd.DataFrame
    y: Any
    settings: dict[str, Any]
    recipe: dict[str, Any] = field(repr=False)
    n_pairs: int = 10

    def text(self) -> str:
        """What the command line prints: the answer, the model, its quality, variables and pairs."""
        return text_of(self)

    def __repr__(self) -> str:
        return self.text()

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, ready for JSON."""
        return as_dict(self)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report: one HTML file that needs no network."""
        from rsens._app.report import write_report

        write_report(self, path)
        return Path(path)

    def write(
        self,
        folder: str | os.PathLike[str],
        *,
        report: bool = True,
        overwrite: bool = False,
        progress: bool | None = None,
    ) -> list[Path]:
        """Write everything into a folder, all of it or nothing.

        report.html, importance.csv, pairs.csv, local.parquet (local.csv without pyarrow), explanation.json,
        model.rsens, summary.json, and figures/ with PNG and SVG. The model holds the rows that it was fitted to.

        Args:
            folder: Made if it is not there. Results of an earlier run on the same data and target are replaced.
            report: Whether to draw the report and the figures, which takes longer than the rest.
            overwrite: Whether a folder with other results or other files will do; results are replaced, and of other
                files those of the same names. The file of the model that was read stays.
            progress: Whether to show what is going on: True, False, or None for only in a terminal.

        Returns:
            The files, the report first.
        """
        from rsens._app.report import write_report

        target = Path(folder)
        again = "model_file" in self.settings["arguments"]
        check_folder(target, overwrite, question=self._question())
        # The model that was read may be the one in this folder.
        with new_files(target, keep=[MODEL] if again else []) as temporary, Phases(1, progress) as phases:
            phases.begin("writing")
            e = self.explanation
            write_csv(e.to_frame(), temporary / "importance.csv")
            if e.order == 2:
                write_csv(e.to_frame(order=2), temporary / "pairs.csv")
            _write_local(e.local_main, temporary)
            e.save(temporary / "explanation.json")
            if not again:
                metadata = to_metadata(self.recipe, self.likelihood, self.settings["data"])
                save_model(self.model, temporary / MODEL, metadata=metadata)
            if report:
                for name, plot in figures_of(self):
                    phases.say(f"drawing {name}")
                    draw(plot, temporary / "figures", name)
                phases.say("writing the report")
                write_report(self, temporary / "report.html")
            files = write_summary(temporary, "explain", self.to_dict())
        return [target / name for name in sorted(files, key=lambda name: (name != "report.html", "/" in name, name))]

    def _question(self) -> Question:
        file = self.settings["arguments"].get("model_file")
        more = {"model_file": file, "model_of": self.settings.get("model_of")}
        return Question("explain", self.settings["data"], self.settings["target"], more)


def _write_local(local: pd.DataFrame, folder: Path) -> None:
    """R-sens of every row: in Parquet where pyarrow is there, else as CSV. The first column has the row's label."""
    label = "row"
    while label in local.columns:
        label = f"_{label}"
    frame = local.rename_axis(index=label).reset_index()
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        write_csv(frame, folder / "local.csv")
        return
    if frame[label].dtype == object:  # labels of several types
        frame[label] = frame[label].map(str)
    frame.to_parquet(folder / "local.parquet", index=False)
