"""`rsens demo`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rsens._app.cli._command import from_click
from rsens._app.cli._explain import ExplainCommand
from rsens._app.cli._options import OVERWRITE, QUIET, TRACEBACK, folder_option

if TYPE_CHECKING:
    from rsens._app.study import Hints, Settings, Writer

FOLDER = "rsens-demo"
#: The data, among the results.
TABLE = "diabetes.csv"


class DemoCommand(ExplainCommand):
    """Explain data that are always there."""

    name = "demo"
    summary = "Explain the diabetes data of scikit-learn."
    paragraphs = (
        "Explain the diabetes data that come with scikit-learn: ten measurements of 442 patients, and how far the "
        "disease has progressed a year later.",
        "Does what `rsens explain` does, in a few seconds.",
    )
    examples = ()
    options = (folder_option(FOLDER), OVERWRITE, QUIET, TRACEBACK)
    answers = "explain"
    tells = False

    def settings(self, given: Mapping[str, Any]) -> Settings:
        """All defaults, on these data."""
        from sklearn.datasets import load_diabetes

        from rsens._app.study import Settings

        frame = load_diabetes(as_frame=True, scaled=False).frame.rename(columns={"target": "progression"})
        return Settings(data=frame, target="progression", name="diabetes", **from_click(given))

    def folder(self, settings: Settings) -> Path:
        """Named after the command, as the data have no file."""
        return Path(FOLDER)

    def also(self, settings: Settings) -> list[Writer]:
        """The table, so that the next command can be tried on it."""
        from rsens._files import write_csv

        return [(f"writing {TABLE}", lambda place: write_csv(settings.data, place / TABLE))]

    def hints(self, settings: Settings) -> Hints:
        """On the table that is written with the results."""
        folder = self.folder(settings) if settings.out is None else settings.out
        return super().hints(replace(settings, data=folder / TABLE, name=None))
