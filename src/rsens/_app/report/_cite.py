"""How to cite the method and the software, and how to reproduce a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rsens._text import as_label

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
