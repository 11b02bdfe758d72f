"""A selection as a sentence and a short table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._errors import Argument, Sentence
from rsens._text import counted, on_one_line

if TYPE_CHECKING:
    from rsens._select_interactions._selection import Selection


def text(selection: Selection) -> str:
    """The answer, how it compares with the full model, and the scores."""
    r = selection._scores
    table = selection.summary()
    several = len(selection.methods) > 1
    shown = table.assign(k=["all" if pd.isna(k) else str(k) for k in table["k"]])
    shown = shown if several else shown.drop(columns="method")
    fewer = f"There are only {selection.k} pairs; k = {r.asked} was asked for." if r.asked > selection.k else ""
    parts = [_answers(selection), f"{heading(selection)}\n{_lines(shown)}", fewer]
    return "\n\n".join(part for part in parts if part)


def heading(selection: Selection) -> str:
    """What the scores are."""
    r = selection._scores
    return (
        f"Mean log predictive density of held-out rows over {counted(selection.n_splits, 'split')} "
        f"({_range(r.train)} training rows, {_range(r.test)} held out)"
    )


def _answers(selection: Selection) -> str:
    if len(selection.methods) == 1:
        return answer(selection, selection.methods[0])
    return "\n".join(f"{method}: {answer(selection, method)}" for method in selection.methods)


def answer(selection: Selection, method: str) -> str:
    """How many pairs are enough, which ones (by their full names), and how far that is from the full model."""
    enough = int(selection.suggestions[method])
    table, pairs = selection.summary(), selection.pairs
    line = table[(table["method"] == method) & (table["k"] == enough)].iloc[0]
    chosen = pairs[(pairs["method"] == method) & (pairs["rank"] <= enough)]
    names = ", ".join(on_one_line(f"{a}:{b}") for a, b in zip(chosen["first"], chosen["second"], strict=True))
    gap, se = float(line["difference"]), float(line["difference_se"])
    size = f"{abs(gap):.2g}" + ("" if pd.isna(se) else f" ± {se:.2g}")
    if not selection.reaches_full[method]:
        return _not_enough(selection, enough, names, size)
    if enough == 0:
        what = "No interaction is needed"
    else:
        what = f"{enough} interaction{'s are' if enough > 1 else ' is'} enough: {names}"
    side = "below" if gap < 0.0 else "above"
    meant = ": within two standard errors, so there may be no difference" if gap < 0.0 else ""
    return f"{what}. Per row, that is {size} {side} the model with all interactions{meant}."


def _not_enough(selection: Selection, enough: int, names: str, size: str) -> str:
    tried = {0: "Main effects alone are", 1: "One interaction is"}.get(
        selection.k, f"Up to {selection.k} interactions are"
    )
    helpful = f" Only the first {enough} of them ({names}) help." if enough else " They do not help."
    at = helpful if enough < selection.k else ""
    more = selection.k < len(selection._scores.named_pairs)
    return Sentence(
        f"{tried} not enough: per row, the model with all interactions is {size} better.{at} ",
        Sentence("Raise ", Argument("k"), ", or keep") if more else "More than two columns act together: keep",
        " the full model.",
    )


def _range(rows: NDArray[np.int64]) -> str:
    low, high = int(rows.min()), int(rows.max())
    return str(low) if low == high else f"{low} to {high}"


def _lines(frame: pd.DataFrame) -> str:
    return frame.to_string(index=False, float_format="{:.3g}".format, na_rep="")
