"""The command `rsens`, and how it ends: 0 done, 1 failure, 2 bad input, 130 stopped with Ctrl-C.

Nothing here imports more than click and the light parts of rsens, so that help appears at once.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from rsens._app.cli._commands import compare, demo, explain, select, stability
from rsens._app.cli._terminal import complain
from rsens._errors import InputError, MissingExtraError
from rsens._version import __version__

#: Every command, in the order of `rsens --help`. A new one is a function in this folder and an entry here.
COMMANDS: list[click.Command] = [explain, compare, stability, select, demo]

DONE, FAILURE, BAD_INPUT, STOPPED, TERMINATED = 0, 1, 2, 130, 143

EXAMPLES = """\b
Examples:
  rsens demo
  rsens explain data.csv --target price
  rsens explain new.csv --model-file rsens-data/model.rsens
  rsens stability data.csv --target price --samples 100
"""


class Commands(click.Group):
    """The commands in the order of their list."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Explain first, not compare."""
        return [str(command.name) for command in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        return next((command for command in COMMANDS if command.name == cmd_name), None)


@click.group(
    cls=Commands,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="rsens")
def rsens() -> None:
    """Which columns of a table move the prediction of one of them, and its uncertainty?

    Fits a probabilistic model, checks it on rows it has not seen, ranks variables and pairs by R-sens, and writes a
    report.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None:  # a separate process: no need to collect garbage in all libraries at the end
        atexit.register(gc.freeze)
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the shell, as in `rsens demo >&-`
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (open until the end)
    if hasattr(sys.stdout, "reconfigure"):  # names may have letters that the terminal does not know
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with _process():
            return rsens.main(given, prog_name="rsens", standalone_mode=False) or DONE
    except (InputError, MissingExtraError) as error:
        complain(str(error))
        return BAD_INPUT
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as stopped:
        complain(str(stopped) or "stopped.")
        return STOPPED
    except Exception as error:  # noqa: BLE001 (the user gets a sentence, and the rest on request)
        if "--traceback" in given:
            traceback.print_exc()
        from rsens._files import as_input_error  # it imports NumPy, which help does not need

        refusal = as_input_error(error)  # what the system refused and why: a full disk, a path too long
        if refusal is not None:
            complain(str(refusal))
            return BAD_INPUT
        complain(f"{type(error).__name__}: {error} This is a failure of rsens; run with --traceback to see where.")
        return FAILURE


@contextmanager
def _process() -> Iterator[None]:
    """SIGTERM cleans up, as Ctrl-C does. Worker processes do not warn; in this process, warnings become notes.

    A thread of joblib's that loses its worker processes to Ctrl-C prints no traceback.
    """
    handler = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    hook = threading.excepthook
    threading.excepthook = lambda failed: None if type(failed.thread).__module__.startswith("joblib.") else hook(failed)
    warnings = os.environ.get("PYTHONWARNINGS")
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, handler)
        threading.excepthook = hook
        if warnings is None:
            del os.environ["PYTHONWARNINGS"]
