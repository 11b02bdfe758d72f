"""The page: texts, tables and figures in the template."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from rsens._app.report._facts import Facts, Name
from rsens._app.report._figures import pictures
from rsens._app.report._rows import json_in_html, rows
from rsens._app.report._sentences import about, answer, details, flatten, model_and_likelihood, tables, unit_of
from rsens._assess import quality_lines
from rsens._files import write_whole
from rsens._text import as_label
from rsens._version import __version__

TEMPLATES = "templates"


def write_report(study: Any, path: str | os.PathLike[str]) -> Path:
    """Write the report of a study as one HTML file, whole or not at all, and return its path."""
    write_whole(path, render(study))
    return Path(path)


def render(study: Any) -> str:
    """The report of a study as HTML: the same study gives the same text.

    Args:
        study: A `Study`, or anything with `explanation`, `assessment`, `notes`, `likelihood`, `settings`, `model`, `X`
            and `y`; all but `explanation`, `model` and `X` may be None.
    """
    facts = Facts.of(study)
    of_rows = rows(facts)
    script = _text("report.js")
    page = {
        "facts": facts,
        "about": about(facts),
        "answer": answer(facts),
        "details": details(facts),
        "severe": [note.text for note in facts.notes if note.severe],
        "warnings": [] if facts.assessment is None else facts.assessment.warnings,
        "quality": [] if facts.assessment is None else quality_lines(facts.assessment),
        "tables": tables(facts, getattr(study, "n_pairs", None)),
        "by": Name.of(facts.settings.get("arguments", {}).get("by") or "subgroups"),
        "marked": bool(facts.marked_pairs),
        "figures": pictures(facts),
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
        "style": _text("report.css"),
        "script": script,
        "policy": _policy(script),
        "data": json_in_html({"rows": of_rows}),
    }
    return _template().render(page)


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


PAPER = {
    "title": "Uncertainty-aware Sensitivity Analysis Using Rényi Divergences",
    "authors": "Topi Paananen, Michael Riis Andersen and Aki Vehtari",
    "where": "Proceedings of the Thirty-Seventh Conference on Uncertainty in Artificial Intelligence",
    "pages": "PMLR 161:1185–1194",
    "year": "2021",
    "address": "https://proceedings.mlr.press/v161/paananen21a.html",
}


def bibtex(version: str) -> str:
    """Entries for the paper and for this version of the software."""
    return f"""@inproceedings{{paananen2021uncertainty,
  title     = {{Uncertainty-aware Sensitivity Analysis Using {{R{{\\'e}}nyi}} Divergences}},
  author    = {{Paananen, Topi and Andersen, Michael Riis and Vehtari, Aki}},
  booktitle = {{Proceedings of the Thirty-Seventh Conference on Uncertainty in Artificial Intelligence}},
  series    = {{Proceedings of Machine Learning Research}},
  volume    = {{161}},
  pages     = {{1185--1194}},
  year      = {{2021}},
  url       = {{{PAPER["address"]}}}
}}

@software{{rsens,
  title   = {{rsens: uncertainty-aware sensitivity analysis}},
  author  = {{{{The rsens developers}}}},
  version = {{{version}}}
}}"""


def other_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the command, the call and the versions leave out; and the seed, which readers look for."""
    said = {"command", "versions"} | ({"arguments"} if call_of(settings) else set())
    rest = {str(name).replace("_", " "): value for name, value in settings.items() if name not in said}
    arguments = settings.get("arguments")
    seed = arguments.get("seed") if isinstance(arguments, Mapping) else None
    return rest | ({} if seed is None or "arguments" in rest else {"seed": seed})


def call_of(settings: Mapping[str, Any]) -> str:
    """The call of `rsens.study` with these settings; empty if they do not come from a study."""
    arguments = settings.get("arguments")
    if not isinstance(arguments, Mapping) or "target" not in settings:
        return ""
    given = {"random_state" if name == "seed" else str(name): value for name, value in arguments.items()}
    options = [f"target={settings['target']!r}"]
    options += [f"{name}={value!r}" for name, value in given.items() if value is not None and value != []]
    table = f"    data,  # {as_label(settings.get('data', 'the table'))}\n"
    return "rsens.study(\n" + table + "".join(f"    {option},\n" for option in options) + ")"
