"""An explanation as short tables with a legend, in the words of `rsens._meaning`: plain text, and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens import _html as html
from rsens import _meaning as meaning
from rsens._errors import Argument
from rsens._explain._effect_table import EffectLine, effect_lines, effects_legend, has_steps, in_points
from rsens._explain._effects import STEP
from rsens._explain._subgroups import by_columns, by_legend
from rsens._explain._tables import LEADING, ROLES
from rsens._html import Html
from rsens._text import Pair, counted, listed, number, p_text, percent, short, side_by_side
from rsens._views import ShownTable, folded, html_of, text_of
from rsens.measures import DOWN, UP, arrows

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation


ROWS = 10
#: Of how many variables effects are listed; `Explanation.effects` has all.
EFFECTS = 5
UNITS = {"sd": "per standard deviation", "raw": "per unit", "given": "per given unit"}
#: The most names in a line.
MOST_NAMES = 10
#: Above or below; a pair that cannot be told; and a space, which keeps numbers in line.
STAR, UNCLEAR, NO_STAR = "*", "?", " "


def text(explanation: Explanation) -> str:
    """A heading, the leading terms, and the leading pairs where there are any."""
    said = f"\n{folded(explanation.understood)}" if explanation.understood else ""
    return text_of(heading(explanation) + said, _tables(explanation))


def as_html(explanation: Explanation) -> str:
    """The same for notebooks."""
    said = [html.paragraph(explanation.understood)] if explanation.understood else []
    return html.view(html.heading(heading(explanation)), *said, *html_tables(explanation))


def html_tables(explanation: Explanation) -> list[Html]:
    """The leading terms, and the leading pairs where there are any, with their legends."""
    return html_of(_tables(explanation))


def heading(explanation: Explanation) -> str:
    """What was explained, in one line."""
    e = explanation
    rows = counted(e.n, "row") + (f" ({e._rows.outside} extrapolating)" if e._rows.outside else "")
    alpha = "" if e.alpha == 1.0 else f", alpha = {e.alpha:g}"
    switch = " (categorical columns: per switch)" if e.categorical and e.scale_kind == "raw" else ""
    pairs = ", pairs on the link scale" if e.order == 2 and e.pair_scale == "link" else ""
    return f"R-sens {UNITS[e.scale_kind]}{switch}, mean over {rows}, {e.family} predictive{alpha}{pairs}"


def _tables(explanation: Explanation) -> list[ShownTable]:
    """The variables, what a change of them does, then the pairs and the subgroups if there are any."""
    tables = [_variables(explanation)]
    if lines := effect_lines(explanation, EFFECTS):
        tables.append(_effects(explanation, lines))
    if explanation.order == 2 and len(explanation.pairs):
        tables.append(_pairs(explanation))
    if explanation.by is not None:
        tables.append(ShownTable("Subgroups", *by_columns(explanation, ROWS), by_legend(explanation)))
    return tables


def _ranked(explanation: Explanation, order: int) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, list[str]]]:
    """All lines of `to_frame`, the leading ones, and as texts the columns of these that variables and pairs share."""
    frame = explanation.to_frame(order)
    shown, largest = frame.head(ROWS), float(frame["value"].max())
    names = ["value", "lower", "upper", *(["null"] if order == 1 else [])]
    # Values per unit of the column are of any size, so each line is on its own.
    lines = [
        side_by_side(line, largest if explanation.scale_kind == "sd" else max(line, key=abs))
        for line in shown[names].to_numpy(dtype=float).tolist()
    ]
    columns = {name: [line[k] for line in lines] for k, name in enumerate(names)}
    marked = [value + star for value, star in zip(columns.pop("value"), stars(explanation, shown), strict=True)]
    return frame, shown, {"value ": marked, **columns, "p": [p_text(p) for p in shown["p_value"]]}


def _variables(explanation: Explanation) -> ShownTable:
    e = explanation
    frame, shown, columns = _ranked(e, 1)
    columns["direction"] = directions(e, list(shown["term"]))
    legend = [*hidden(e, frame, ROWS, "in to_frame()"), *variables_legend(e), *intervals_legend(e)]
    legend += directions_legend(e)
    if parts := draw_parts(frame):
        columns |= {name: shares(shown, f"part_{name}") for name in parts}
        legend.append(f"{', '.join(parts)}: how much of R-sens {meaning.DRAW_PARTS}")
    elif parts := part_columns(frame):
        columns |= {name: shares(shown, part) for name, part in zip(ROLES, parts, strict=True)}
        legend.append("prediction, uncertainty: how much of R-sens moves the one, and how much the other")
    names = [str(term) for term in shown["term"]]
    return ShownTable("Variables", names, columns | _further(shown), legend + two_valued_legend(e))


def _effects(explanation: Explanation, lines: list[EffectLine]) -> ShownTable:
    names = ("step", "effect", "lower", "upper", "per unit", "percent", "spread")
    columns = {name: [str(getattr(line, name.replace(" ", "_"))) for line in lines] for name in names}
    return ShownTable("Effects", [line.name for line in lines], columns, effects_legend(explanation, lines))


def _pairs(explanation: Explanation) -> ShownTable:
    e = explanation
    frame, shown, columns = _ranked(e, 2)
    if parts := part_columns(frame):
        columns[ROLES[0]] = shares(shown, parts[0])
        columns[""] = ["uncertainty only" if only else "" for only in shown["uncertainty_only"]]
    names = [Pair(first, second) for first, second in zip(shown["first"], shown["second"], strict=True)]
    notes = () if e._interactions is None else e._interactions.pair_notes
    legend = [*hidden(e, frame, ROWS, "in to_frame(2)"), *pairs_legend(e), *notes]
    return ShownTable("Pairs", names, columns | _further(shown), legend)


def _further(shown: pd.DataFrame) -> dict[str, list[str]]:
    """Numbers that are not among the usual columns: of a field that was added to explanations."""
    usual = {*LEADING, "uncertainty_only"}
    by_part_or_output = ("part_", "direction_", "consistency_")
    further = [name for name in shown if name not in usual and not str(name).startswith(by_part_or_output)]
    return {str(name): [number(value) for value in shown[name]] for name in further}


def stars(explanation: Explanation, frame: pd.DataFrame) -> list[str]:
    """The mark of each line of `to_frame`, of order 1 or 2."""
    marks = [STAR if above is not pd.NA and bool(above) else NO_STAR for above in frame["above_null"]]
    unclear = explanation.pair_unclear
    if "first" not in frame.columns or unclear is None:
        return marks
    pairs = zip(frame["first"], frame["second"], strict=True)
    return [UNCLEAR if unclear[pair] else mark for pair, mark in zip(pairs, marks, strict=True)]


def directions(explanation: Explanation, terms: list[str], digits: int = 3) -> list[str]:
    """The arrow and the slope of each term; of several outputs, those that rise and fall most."""
    direction, consistency = explanation.direction, explanation.consistency
    slopes = direction.loc[terms].to_numpy(dtype=np.float64)
    if isinstance(direction, pd.DataFrame):
        outputs = [short(str(name), 14) for name in direction.columns]
        return [_outputs(outputs, line) for line in slopes]
    signs = arrows(slopes, consistency.loc[terms])
    steps: dict[str, tuple[float, str]] = {}  # of terms that go from one value to another: how far, and between which
    if has_steps(explanation):
        table = explanation.effects
        lines = table[(table["kind"] == STEP) & table["effect"].notna()].to_dict("records")
        steps = {line["term"]: (float(line["effect"]), f" ({line['step'].removeprefix('from ')})") for line in lines}
    points, found = in_points(explanation), []
    for term, sign, slope in zip(terms, signs, slopes, strict=True):
        effect, step = steps.get(term, (float(slope), ""))
        size = f"{number(100.0 * abs(effect), min(digits, 2))} pp" if points else number(abs(effect), digits)
        arrow = UP if effect > 0.0 else DOWN if effect < 0.0 else sign
        found.append(f"{arrow} {size}{step}" if sign in (UP, DOWN) else sign)
    return found


def _outputs(outputs: Sequence[str], slopes: Any) -> str:
    if not np.isfinite(slopes).all():
        return ""
    up = f"{UP} {outputs[int(slopes.argmax())]}" if slopes.max() > 0.0 else ""
    down = f"{DOWN} {outputs[int(slopes.argmin())]}" if slopes.min() < 0.0 else ""
    return f"{up} {down}".strip()


def part_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of the parts "prediction" and "uncertainty", if there are the two and the second is ever moved."""
    parts = [column for column in frame.columns if column.startswith("part_")]
    return parts if len(parts) == 2 and frame[parts[1]].any() else []


def draw_parts(frame: pd.DataFrame) -> list[str]:
    """The names of the parts of a model of posterior draws, if it is one."""
    names = [name for name in ("prediction", "noise", "knowledge") if f"part_{name}" in frame.columns]
    return names if "knowledge" in names else []


def shares(frame: pd.DataFrame, part: str) -> list[str]:
    """How much of each value is in a part."""
    lines = zip(frame[part], frame["value"], strict=True)
    return [percent(float(part) / float(value)) if value > 0.0 else "" for part, value in lines]


def hidden(explanation: Explanation, frame: pd.DataFrame, shown: int, where: str) -> list[str]:
    """The line below a table of `shown` lines of the frame: how many more there are, and which of them have a star."""
    rest = frame.iloc[shown:]
    if not len(rest):
        return []
    marks = zip(rest.to_dict("records"), stars(explanation, rest), strict=True)
    starred = [short(Pair(x["first"], x["second"]) if "first" in x else x["term"]) for x, star in marks if star == STAR]
    also = f"; with a star: {listed(starred, MOST_NAMES)}" if starred else ""
    return [f"… and {len(rest)} more {where}{also}"]


def variables_legend(explanation: Explanation) -> list[str]:
    """The stars of variables: what they mean, what chance makes of them, and the marks for all variables together."""
    e = explanation
    if e.null_levels is None:
        if has_test(e):
            return [meaning.NOT_REFITTED]
        return [meaning.NO_MARKS + (meaning.NO_MARKS_OF_PAIRS if e.order == 2 else "")]
    ranked = e.main.sort_values(ascending=False, kind="stable").index
    lines = [f"* {meaning.VARIABLE}; {meaning.BY_CHANCE}"]
    if e.null_rows is not None:
        lines.append(f"the null level comes from refits to {e.null_rows:,} random rows")
    unknown = [name for name in e.names if e.null_levels.isna()[name]]
    if unknown:
        lines.append(f"no null level: {_names(unknown)}")
    starred = e.main > e.null_levels
    lines += _together(ranked, bool(starred.any()), e.discovery, e.familywise)
    doubtful = [] if e.p_value is None else [t for t in ranked if starred[t] != (e.p_value[t] <= meaning.PER_VARIABLE)]
    return lines + ([f"{meaning.BORDERLINE}: {_names(doubtful)}"] if doubtful else [])


def pairs_legend(explanation: Explanation) -> list[str]:
    """The stars of pairs, what R-sens₂ is beside them, and which pairs say little."""
    e = explanation
    link = e.pair_scale == "link"
    measured = meaning.RSENS2_LINK if link else f"{meaning.RSENS2}, {meaning.NOT_THE_STAR}"
    only = len(e.uncertainty_only)
    parts = [f"uncertainty only ({only} of {counted(len(e.pairs), 'pair')}): {meaning.UNCERTAINTY_ONLY}"] * bool(only)
    if not has_test(e):
        untested = [] if e.null_levels is None else [meaning.NOT_TESTED]
        return [*untested, meaning.RSENS2_LINK if link else meaning.RSENS2, *parts]
    assert e.pair_additive is not None  # all of these come from the test
    assert e.pair_above is not None
    assert e.test_scale is not None
    if e.pair_additive.all():
        return [f"{meaning.no_pair_mark(e.test_scale)}; {meaning.P_OF_DATA}", measured.partition(";")[0], *parts]
    ranked = e.pairs.sort_values(ascending=False, kind="stable").index
    lines = [f"* {meaning.pair_mark(e.test_scale)}; {meaning.PAIR_BY_CHANCE}"]
    lines += _together(ranked, bool(e.pair_above.any()), e.pair_discovery)
    if e.pair_additive.any():
        lines.append(f"{counted(int(e.pair_additive.sum()), 'pair')} add up in the model by construction: never a star")
    if e.pair_unclear is not None and e.pair_unclear.any():
        lines.append(f"? {meaning.UNCLEAR}")
    return [*lines, measured, *parts]


def intervals_legend(explanation: Explanation) -> list[str]:
    """What the intervals hold for, or that they do not."""
    e = explanation
    if e.intervals is None or e.interval_kind is None:
        return []
    if not e.intervals_hold:
        return [f"intervals: {meaning.NOTHING_FOUND}"]
    said = meaning.interval(e.interval_kind, e.level, e.interval_refits)
    return [f"intervals: {said}" + (f"; {meaning.TOO_NARROW}" if e.interval_kind == "rows" else "")]


def directions_legend(explanation: Explanation) -> list[str]:
    """What the arrows say; nothing where no term has one."""
    direction = explanation.direction
    if not direction.notna().to_numpy().any():
        return []
    if direction.ndim == 2:
        return ["▲ ▼ the output (class) whose prediction rises most, and the one whose prediction falls most"]
    steps = ", or from one value to the other" if has_steps(explanation) else ""
    points = "; pp: percentage points" if in_points(explanation) else ""
    return [f"▲ ▼ mean slope of the prediction {UNITS[explanation.scale_kind]}{steps}; ± goes both ways{points}"]


def two_valued_legend(explanation: Explanation) -> list[str]:
    """Numeric columns whose two values are compared, and how to undo it."""
    names = explanation.two_valued
    if not names:
        return []
    have, are = ("has", "is") if len(names) == 1 else ("have", "are")
    return [
        f"{_names(names)} {have} two values and {are} compared between them, like a category; "
        f"{Argument('numeric', list(names))} gives slopes instead"
    ]


def has_test(explanation: Explanation) -> bool:
    """Whether some pair was tested."""
    p = explanation.pair_p_values
    return p is not None and bool(p.notna().any())


def _together(ranked: Any, starred: bool, discovery: Any, familywise: Any = None) -> list[str]:
    """The marks for all variables, or all pairs, together."""
    found = [name for name in ranked if discovery[name]]
    if not found:
        return [f"{meaning.DISCOVERY}: none"] if starred else []
    lines = [f"{meaning.DISCOVERY}: {_names(found)} ({meaning.DISCOVERY_MEANS})"]
    surest = found if familywise is None else [name for name in ranked if familywise[name]]
    if surest == found:
        return lines
    means = f" ({meaning.FAMILYWISE_MEANS})" if surest else ""
    return [*lines, f"{meaning.FAMILYWISE_MARK}: {_names(surest) or 'none'}{means}"]


def _names(names: Iterable[Any]) -> str:
    return listed([short(Pair(*name) if isinstance(name, tuple) else name) for name in names], MOST_NAMES)
