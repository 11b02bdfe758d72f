"""The page: texts, tables and figures in the template."""

from __future__ import annotations

import base64
import hashlib
import os
from functools import cache
from importlib import import_module, resources
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rsens import _meaning as meaning
from rsens._app.report._answer import answer
from rsens._app.report._cite import PAPER, bibtex, call_of, other_settings
from rsens._app.report._colours import DARK, LIGHT, css_variables
from rsens._app.report._facts import Facts
from rsens._app.report._figures import pictures
from rsens._app.report._json import json_in_html
from rsens._app.report._rows import rows
from rsens._app.report._subgroups import subgroups
from rsens._app.report._tables import SHOWN_PAIRS, about, effects, flatten, pairs, quality, variables
from rsens._app.report._words import details, model_and_likelihood, unit_of
from rsens._errors import MissingExtraError
from rsens._files import write_whole
from rsens._text import as_label
from rsens._version import __version__

TEMPLATES = "templates"


def write_report(study: Any, path: str | os.PathLike[str], *, interactive: bool | None = None) -> Path:
    """Write the report of a study as one HTML file, whole or not at all, and return its path."""
    write_whole(path, render(study, interactive=interactive))
    return Path(path)


def render(study: Any, *, interactive: bool | None = None) -> str:
    """The report of a study as HTML: the same study gives the same text.

    Args:
        study: A `Study`, or anything with `explanation`, `assessment`, `notes`, `likelihood`, `settings`, `model`, `X`
            and `y`; all but `explanation`, `model` and `X` may be None.
        interactive: Whether a click on a point shows its row, which takes plotly and 5 MB. None: if plotly is there.
    """
    interactive = _with_plotly(interactive)
    facts = Facts.of(study)
    figures = pictures(facts, interactive=interactive)
    live = {each.id: each.live for section in figures.values() for each in section if each.live is not None}
    of_rows = rows(facts)
    script = _text("report.js")
    library = _plotly() if interactive else ""
    page = {
        "facts": facts,
        "about": about(facts),
        "answer": answer(facts),
        "details": details(facts),
        "severe": facts.severe,
        "warnings": [] if facts.assessment is None else facts.assessment.warnings,
        "quality": quality(facts),
        "variables": variables(facts),
        "effects": effects(facts),
        "pairs": pairs(facts),
        "subgroups": subgroups(facts),
        "measured": meaning.RSENS2_LINK if facts.explanation.pair_scale == "link" else meaning.RSENS2,
        "marked": bool(facts.marked_pairs),
        "shown_pairs": getattr(study, "n_pairs", None) or SHOWN_PAIRS,
        "figures": figures,
        "unit": unit_of(facts.explanation),
        "model": "" if facts.likelihood is None else model_and_likelihood(facts.model, facts.likelihood),
        "rows": of_rows,
        "settings": flatten(other_settings(facts.settings)),
        "versions": flatten(facts.settings.get("versions", {})) or [("rsens", __version__)],
        "command": facts.settings.get("command"),
        "call": call_of(facts.settings),
        "bibtex": bibtex(__version__),
        "paper": PAPER,
        "version": __version__,
        "light": css_variables(LIGHT),
        "dark": css_variables(DARK),
        "style": _text("report.css"),
        "script": script,
        "library": library,
        "licence": _plotly_licence() if interactive else "",
        "policy": _policy([text for text in (library, script) if text]),
        "data": json_in_html({"figures": live, "rows": of_rows, "colours": {"light": LIGHT, "dark": DARK}}),
    }
    return _template().render(page)


def _with_plotly(interactive: bool | None) -> bool:
    there = find_spec("plotly") is not None
    if interactive and not there:
        raise MissingExtraError("plotly", "report")
    return there if interactive is None else interactive


def _plotly() -> str:
    """The library from the installed package. Nothing in it may end its script element."""
    return str(import_module("plotly.offline").get_plotlyjs()).replace("</script", "<\\/script")


def _plotly_licence() -> str:
    """Its licence, as the installed package has it; "--" would end the comment that it stands in."""
    found = [file for file in files("plotly") or [] if file.name.lower().startswith("license")]
    return found[0].read_text(encoding="utf-8").replace("--", "- -") if found else ""


def _policy(scripts: list[str]) -> str:
    """What the page may load: nothing. Only these very scripts run."""
    allowed = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _unbroken(text: str) -> str:
    """No line ends before a percent sign."""
    return text.replace(" %", "\u00a0%")


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
    environment.filters["unbroken"] = _unbroken
    environment.filters["label"] = as_label
    return environment.get_template("report.html.j2")
