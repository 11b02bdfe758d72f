"""A command at work: from the settings to what is printed and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from rsens._app.cli._cluster import on_cluster
from rsens._app.cli._command import Command
from rsens._app.cli._kept_work import Stopped
from rsens._app.cli._live import Live, spelled_note
from rsens._app.cli._say import say, say_json
from rsens._app.study import Settings, Unfinished, analyse, paragraph
from rsens._errors import Spelling, spelled
from rsens._files import Question, check_folder, read_summary
from rsens._text import counted, listed, safe


def run(command: Command, settings: Settings, spell: Spelling) -> None:
    """Analyse the table, print the answer, which is there before the figures are, and write the files."""
    folder = command.folder(settings) if settings.out is None else settings.out
    more = command.question(settings) | {"where": list(settings.where or ()) or None}
    question = Question(command.answers or command.name, settings.data_name, settings.target, more)
    check_folder(folder, settings.overwrite, command.pieces, question)
    with (
        on_cluster(settings) as settings,
        Live(settings, spell, tells=command.tells, keeps=command.pieces is not None) as live,
    ):
        prints = not (settings.quiet or settings.as_json)
        try:
            analysis = _spelled(analyse(settings, command.task(settings, folder, live), listener=live), spell)
            if prints:
                say(f"{command.text(analysis, settings, live.shown, spell)}\n")
            if settings.report:
                import matplotlib

                matplotlib.use("Agg")  # figures are for files: no window is opened
            files = command.write(analysis, settings, folder, live)
        except Unfinished as stopped:
            if prints:
                say(_unfinished(stopped, command.text(_spelled(stopped.analysis, spell), settings, live.shown, spell)))
            raise Stopped(command.stopped(folder, live)) from None
        except KeyboardInterrupt:
            raise Stopped(command.stopped(folder, live)) from None
    if settings.as_json:
        say_json(read_summary(folder) | {"folder": str(folder)})
    elif not settings.quiet:
        say(files_written(folder, files))


def _unfinished(stopped: Unfinished, text: str) -> str:
    """The text of a result that is not whole: what is missing comes first."""
    missing = f"Stopped before all was there. Missing: {listed(stopped.missing)}." if stopped.missing else "Stopped."
    return f"{paragraph(missing, 'UNFINISHED  ', ' ' * 12)}\n\n{text}\n"


def _spelled(analysis: Any, spell: Spelling) -> Any:
    """The analysis with notes and reasons in the words of the command line."""
    choice = replace(analysis.likelihood, reason=spelled(analysis.likelihood.reason, spell))
    return replace(analysis, notes=tuple(spelled_note(note, spell) for note in analysis.notes), likelihood=choice)


def files_written(folder: Path, files: list[Path]) -> str:
    """The folder and the files, figures counted; the report on a line of its own."""
    names = [str(path.relative_to(folder)) for path in files]
    plain_files = [name for name in names if "/" not in name]
    figures = len({name.rpartition(".")[0] for name in names if "/" in name})
    drawn = f", and {counted(figures, 'figure')} as PNG and SVG in figures/" if figures else ""
    report = f"\n{safe(str(files[0]))}" if names[0] == "report.html" else ""
    return paragraph(f"Written to {safe(str(folder))}: {', '.join(plain_files)}{drawn}.") + report
