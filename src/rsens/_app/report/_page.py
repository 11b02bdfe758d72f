"""The page: texts, tables and figures in the template."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from rsens._app.report._figures import pictures
from rsens._app.report._rows import json_in_html, rows
from rsens._app.report._sentences import UNIT, answer, details, heading, tables
from rsens._files import write_whole
from rsens._text import as_label, safe
from rsens._version import __version__

TEMPLATES = "templates"
#: How many lines of a table are shown at first; the others on demand, and on paper.
LINES = {"quality": 20, "variables": 20, "effects": 10, "pairs": 10, "subgroups": 100}
#: The most pairs of the page.
MOST_PAIRS = 50


def write_report(study: Any, path: str | os.PathLike[str]) -> Path:
    """Write the report of a study as one HTML file, whole or not at all, and return its path."""
    write_whole(path, render(study))
    return Path(path)


def render(study: Any) -> str:
    """The report of a study as HTML: the same study gives the same text."""
    e, script, of_rows = study.explanation, _text("report.js"), rows(study)
    found = tables(study, len(e.names), MOST_PAIRS, None)
    return _template().render(
        study=study,
        e=e,
        target=study.settings["target"],
        warnings=[] if study.assessment is None else study.assessment.warnings,
        answer=answer(study),
        details=details(study),
        heading=heading(study),
        tables={name: found[name].page(name, lines) if name in found else "" for name, lines in LINES.items()},
        figures=pictures(study),
        unit=UNIT,
        rows=of_rows,
        settings=safe(json.dumps(study.settings, indent=2, ensure_ascii=False)),
        version=__version__,
        style=_text("report.css"),
        script=script,
        policy=_policy(script),
        data=json_in_html(of_rows),
    )


def _policy(script: str) -> str:
    """A content security policy: the page loads nothing, and only this very script runs."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _text(name: str) -> str:
    return (resources.files("rsens._app.report") / TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rsens._app.report", TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["unbroken"] = lambda text: text.replace(" %", "\u00a0%")  # no line ends before a percent sign
    environment.filters["label"] = as_label
    return environment.get_template("report.html.j2")
