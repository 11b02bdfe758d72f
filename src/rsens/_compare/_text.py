"""A comparison for notebooks: the ranks side by side, and what each method asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from rsens import _html as html
from rsens._compare._methods import KINDS, known
from rsens._text import counted, number

if TYPE_CHECKING:
    from rsens._compare._frame import ComparisonFrame

#: How many terms are shown.
TERMS = 30


def as_html(frame: ComparisonFrame) -> str:
    """Ranks and values, terms × methods; then what each method measures and costs, and why some could not answer."""
    order = frame.attrs.get("order", 0)
    return html.view(*_ranks(frame, order), *_failures(frame), _methods(frame, order))


def _ranks(frame: ComparisonFrame, order: int) -> list[html.Html]:
    ranks, values = frame.wide("rank"), frame.wide("value")
    shown = ranks.head(TERMS)
    hidden = len(ranks) - len(shown)
    cells = {
        str(method): [_cell(rank, value) for rank, value in zip(shown[method], values[method], strict=False)]
        for method in shown.columns
    }
    title = f"{counted(len(ranks.columns), 'method')} on {len(ranks)} {KINDS.get(order, 'terms')}"
    below = [f"… and {hidden} more in wide()"] if hidden else []
    below.append("values of two methods have different units: compare their ranks, 1 for the largest")
    table = html.table("Rank (value)", [str(term) for term in shown.index], cells, below=below)
    return [html.heading(title), table] if len(ranks) else []


def _failures(frame: ComparisonFrame) -> list[html.Html]:
    failed = pd.DataFrame(frame[frame["status"] != "ok"])
    return [
        html.warning(f"{method} could not answer: {reason}")
        for method, reason in zip(failed["method"], failed["status"], strict=True)
    ]


def _methods(frame: ComparisonFrame, order: int) -> html.Html:
    each = pd.DataFrame(frame).drop_duplicates("method")
    there = known(order) if order in KINDS else {}
    names = [str(method) for method in each["method"]]
    columns = {
        "seconds": [number(float(seconds)) for seconds in each["seconds"]],
        "evaluations": [f"{int(rows):,}" for rows in each["evaluations"]],
        "measures": [there[name].meaning if name in there else "" for name in names],
    }
    below = ["evaluations: rows that the model was asked about"]
    return html.table("Methods", names, columns, left=["measures"], below=below)


def _cell(rank: Any, value: float) -> str:
    return "" if pd.isna(rank) else f"{int(rank)} ({number(value)})"
