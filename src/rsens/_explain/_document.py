"""The document of an explanation: variables, effects of changes, pairs and subgroups, each a table with a legend."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens import _meaning as meaning
from rsens._document import Column, Document, Sentences, ShownTable, bars
from rsens._errors import Argument
from rsens._explain._effects import LEVEL, SLOPE, STEP
from rsens._explain._subgroups import MOST_SUBGROUPS
from rsens._explain._tables import ROLES, steps, uncertainty_only
from rsens._text import Pair, aligned, counted, listed, number, p_text, percent, short, side_by_side, signed
from rsens.measures import DOWN, UP, arrows

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: How many variables or pairs are listed, of how many variables effects, and how many levels of one category.
ROWS, EFFECTS, LEVELS = 10, 5, 4
UNITS = {"sd": "per standard deviation", "raw": "per unit", "given": "per given unit"}
#: The most names in a line.
MOST_NAMES = 10
STAR, UNCLEAR = "*", "?"
#: A question on a table, and the call that answers it.
Hint = tuple[str, str] | None


def document(e: Explanation) -> Document:
    """The heading, the description of the model, and the tables."""
    rows = counted(e.n, "row") + (f" ({e._rows.outside} extrapolating)" if e._rows.outside else "")
    switch = " (categorical columns: per switch)" if e.categorical and e.scale_kind == "raw" else ""
    link = ", pairs on the link scale" if e.order == 2 and e._setup.pair_scale == "link" else ""
    heading = f"R-sens {UNITS[e.scale_kind]}{switch}, mean over {rows}, {e.family} predictive{link}"
    remarks = [text for text in (e._setup.understood, two_valued_legend(e)) if text]
    found = [variables(e), effects(e), pairs(e), subgroups(e)]
    return Document([Sentences([heading], "heading"), Sentences(remarks), *(table for table in found if table)])


def variables(
    e: Explanation, rows: int = ROWS, *, where: str = "in to_frame()", event: str | None = None, hint: Hint = None
) -> ShownTable:
    """The leading variables. `where` has all of them; `event` has the name of the predicted probability, if any."""
    frame = e.to_frame()
    shown, names = frame.head(rows), [str(term) for term in frame["term"].head(rows)]
    value, bar, interval, null = _values(e, frame, shown, "R-sens", "null")
    columns = [
        Column("", [str(rank) for rank in shown["rank"]]),
        Column("variable", names, "name"),
        value,
        bar,
        interval,
        null,
        Column("p", [p_text(p) for p in shown["p_value"]], leaves=4),
        Column("direction" if event is None else f"P({short(event, 14)})", directions(e, names), "words"),
    ]
    legend = [*hidden(e, frame, rows, where), *variables_legend(e), *intervals_legend(e), *directions_legend(e)]
    if parts := parts_of(frame):
        columns += [Column(head, shares(shown, part), leaves=2) for head, part in parts.items()]
        legend.append(f"{', '.join(parts)}: {meaning.PARTS if len(parts) == len(ROLES) else meaning.DRAW_PARTS}")
    below = [mark is False for mark in shown["above_null"].astype(object)]
    title = f"Variables by R-sens: how far the prediction and its uncertainty move {UNITS[e.scale_kind]}"
    return ShownTable(title, columns, legend, hint, _for_json(e, frame), below)


def effects(e: Explanation, most_terms: int | None = EFFECTS) -> ShownTable | None:
    """Changes of the leading variables, and by how much the prediction and its spread change; None without any."""
    table = e.effects
    if not len(lines := leading_effects(table, most_terms)):
        return None
    times = 100.0 if in_points(e) else 1.0
    outputs = lines["output"] if "output" in lines else [None] * len(lines)
    parts = zip(lines["term"], lines["level"], outputs, strict=True)
    names = [f"{term}{'' if at is None else f' = {at}'}{'' if of is None else f' → {of}'}" for term, at, of in parts]
    effect, per_unit, percents = (
        [signed(line) for line in lines.reindex(columns=[name, f"{end}lower", f"{end}upper"]).to_numpy(float) * by]
        for name, end, by in (("effect", "", times), ("per_unit", "per_unit_", times), ("percent", "percent_", 1.0))
    )
    slopes = zip(per_unit, lines["unit"], strict=True)
    units = [f"{line[0]} per {unit:,.10g}" if line[0] else "" for line, unit in slopes]
    columns = [
        Column("variable", names, "name"),
        Column("step", list(lines["step"]), "words"),
        Column("effect", [line[0] for line in effect]),
        Column(f"{_level(e)}interval", [f"{low} to {high}" if low else "" for _, low, high in effect]),
        Column("per unit", units, leaves=2),
        Column("percent", [f"{line[0]} %" if line[0] else "" for line in percents], leaves=3),
        Column("spread", signed(lines["spread"]) if "spread" in lines else [""] * len(lines), leaves=1),
    ]
    return ShownTable("Effects: mean change of the prediction", columns, _effects_legend(e, lines, table), frame=table)


def pairs(e: Explanation, rows: int = ROWS, *, where: str = "in to_frame(2)", hint: Hint = None) -> ShownTable | None:
    """The leading pairs; None without pairs."""
    if e.order == 1 or not rows or not len(e.pairs):
        return None
    frame = e.to_frame(order=2)
    shown, parts, empty = frame.head(rows), parts_of(frame), [""] * min(rows, len(frame))
    only = ["uncertainty only" if each else "" for each in shown["uncertainty_only"]] if "pred." in parts else empty
    columns = [
        Column("", [str(rank) for rank in shown["rank"]]),
        Column("pair", list(map(Pair, shown["first"], shown["second"])), "name"),
        *_values(e, frame, shown, "R-sens₂"),
        Column("p", [p_text(p) for p in shown["p_value"]]),
        Column("pred.", shares(shown, parts["pred."]) if "pred." in parts else empty, leaves=2),
        Column("", only, "words"),
    ]
    notes = () if e._interactions is None else e._interactions.pair_notes
    legend = [*hidden(e, frame, rows, where), *pairs_legend(e), *notes]
    return ShownTable("Largest pairs by R-sens₂", columns, legend, hint, _for_json(e, shown))


def subgroups(e: Explanation, rows: int = ROWS, *, where: str = "in by_frame()", name: str = "") -> ShownTable | None:
    """The leading variables over all rows and within each subgroup of the column `name`; None without subgroups."""
    frame, part = e.by_frame(), e._subgroups
    if frame is None or part is None:
        return None
    write = aligned(float(frame["value"].max())) if e.scale_kind == "sd" else number
    shown = [str(term) for term in frame["term"].iloc[: min(rows, len(e.names))]]
    columns = [Column("variable", shown, "name"), Column("all rows", [write(e.main[term]) for term in shown])]
    for group in list(dict.fromkeys(frame["subgroup"]))[:MOST_SUBGROUPS]:
        lines = frame[frame["subgroup"] == group].head(len(shown))
        marks = [meaning.DIFFERS_MARK if mark is True else "" for mark in lines["differs"].astype(object)]
        columns.append(Column(short(str(group), 16), [write(value) for value in lines["value"]], marks=marks))
    rest = len(e.names) - len(shown)
    legend = [f"… and {counted(rest, 'more variable')} {where}"] if rest else []
    counts = zip(part.subgroups, part.subgroup_counts, strict=True)
    sizes = [f"{short(str(group), 24)} {int(count):,}" for group, count in counts]
    legend.append(f"rows: {', '.join(sizes[:MOST_SUBGROUPS])}")
    if len(sizes) > MOST_SUBGROUPS:
        legend.append(f"… and {counted(len(sizes) - MOST_SUBGROUPS, 'more subgroup')}")
    if part.subgroup_p_values is None:
        legend.append(meaning.NO_SUBGROUP_MARKS)
    elif not e.intervals_hold:
        legend.append(f"no marks: {meaning.NOTHING_FOUND}")
    else:
        legend.append(f"{meaning.DIFFERS_MARK} {meaning.SUBGROUP_DIFFERS}; {meaning.DIFFERS_BY_CHANCE}")
    return ShownTable(f"Subgroups{name}: R-sens over all rows, and within each", columns, legend, frame=frame)


# ---- columns ---------------------------------------------------------------------------------------------------------


def _values(e: Explanation, frame: pd.DataFrame, shown: pd.DataFrame, title: str, *further: str) -> list[Column]:
    """The values with their marks, as bars, their intervals, and further columns of such numbers."""
    most, names = float(frame["value"].max()), ["value", "lower", "upper", *further]
    # Values per unit of the column are of any size, so each line is on its own.
    lines = [
        side_by_side(line, (most or 1.0) if e.scale_kind == "sd" else max(line, key=abs))
        for line in shown[names].to_numpy(dtype=float).tolist()
    ]
    return [
        Column(title, [line[0] for line in lines], marks=marks_of(e, shown)),
        Column("", bars(shown["value"], most), "bar", leaves=1),
        Column(f"{_level(e)}interval", [f"{line[1]} – {line[2]}" if line[1] and line[2] else "" for line in lines]),
        *(Column(name, [line[3 + k] for line in lines], leaves=3) for k, name in enumerate(further)),
    ]


def _level(e: Explanation) -> str:
    return f"{percent(e.level, level=True)} " if e.intervals_hold else ""


def _for_json(e: Explanation, frame: pd.DataFrame) -> pd.DataFrame:
    """The lines with the values by part and by output in one column each, as a dict."""
    if "first" in frame:
        pairs = list(zip(frame["first"], frame["second"], strict=True))
        flags = {"additive": e.inference.pair_additive, "unclear": e.inference.pair_unclear}
        known = {name: None if flag is None else [bool(flag[pair]) for pair in pairs] for name, flag in flags.items()}
        found = frame.drop(columns=["term"]).assign(uncertainty_only=frame.get("uncertainty_only"), **known)
    else:
        found = frame.rename(columns={"term": "name"}).assign(per=frame.get("per", steps(e)[0]))
    for name, start in (("parts", "part_"), ("direction", "direction_"), ("consistency", "consistency_")):
        columns = [column for column in found if str(column).startswith(start)]
        if columns or name == "parts":
            lines = found[columns].set_axis([str(column).removeprefix(start) for column in columns], axis=1)
            nested = pd.Series(lines.to_dict("records") or None, index=found.index, dtype=object)
            found = found.drop(columns=columns).assign(**{name: nested})
    return found


def marks_of(e: Explanation, frame: pd.DataFrame) -> list[str]:
    """The mark of each line of `to_frame`, of order 1 or 2."""
    marks = [STAR if mark is True else "" for mark in frame["above_null"].astype(object)]
    if "first" not in frame.columns or e.inference.pair_unclear is None:
        return marks
    places = zip(frame["first"], frame["second"], strict=True)
    return [UNCLEAR if e.inference.pair_unclear[pair] else mark for pair, mark in zip(places, marks, strict=True)]


def directions(e: Explanation, terms: list[str], digits: int = 3) -> list[str]:
    """The arrow and the slope of each term; of several outputs, the two that rise and fall most."""
    slopes = e.direction.loc[terms].to_numpy(dtype=np.float64)
    if isinstance(e.direction, pd.DataFrame):
        outputs = [short(str(name), 14) for name in e.direction.columns]
        ends = ((UP, slopes.argmax(axis=1), slopes.max(axis=1)), (DOWN, slopes.argmin(axis=1), -slopes.min(axis=1)))
        most = [
            [f"{arrow} {outputs[k]}" if size > 0.0 else "" for k, size in zip(*of, strict=True)] for arrow, *of in ends
        ]
        return [" ".join(filter(None, line)) for line in zip(*most, strict=True)]
    changes: dict[str, tuple[float, str]] = {}  # of terms that go from one value to another: how far, between which
    if has_steps(e):
        table = e.effects
        lines = table[(table["kind"] == STEP) & table["effect"].notna()].to_dict("records")
        changes = {line["term"]: (float(line["effect"]), f" ({line['step'].removeprefix('from ')})") for line in lines}
    points, found = in_points(e), []
    for term, sign, slope in zip(terms, arrows(slopes, e.consistency.loc[terms]), slopes, strict=True):
        effect, step = changes.get(term, (float(slope), ""))
        size = f"{number(100.0 * abs(effect), min(digits, 2))} pp" if points else number(abs(effect), digits)
        arrow = UP if effect > 0.0 else DOWN if effect < 0.0 else sign
        found.append(f"{arrow} {size}{step}" if sign in (UP, DOWN) else sign)
    return found


def parts_of(frame: pd.DataFrame) -> dict[str, str]:
    """The columns of the parts of each value by their headings, if the uncertainty is ever moved.

    There are the prediction and the uncertainty, or of a model of posterior draws the prediction, noise and knowledge.
    """
    parts = [str(column) for column in frame if str(column).startswith("part_")]
    if "part_knowledge" in parts:
        return {part.removeprefix("part_"): part for part in parts}
    both = len(parts) == len(ROLES) and bool(frame[parts[1]].any())
    return dict(zip(("pred.", "unc."), parts, strict=True)) if both else {}


def shares(frame: pd.DataFrame, part: str) -> list[str]:
    """How much of each value is in a part."""
    lines = zip(frame[part], frame["value"], strict=True)
    return [percent(float(part) / float(value)) if value > 0.0 else "" for part, value in lines]


def in_points(e: Explanation) -> bool:
    """Whether effects are changes of a probability, stated in percentage points."""
    return e.family in ("Bernoulli", "Categorical")


def has_steps(e: Explanation) -> bool:
    """Whether some number has the effect of a step from one value to another."""
    return e._effects is not None and STEP in e._effects.kinds


def has_test(e: Explanation) -> bool:
    """Whether some pair was tested."""
    p = e.inference.pair_p_values
    return p is not None and bool(p.notna().any())


def leading_effects(table: pd.DataFrame, most_terms: int | None) -> pd.DataFrame:
    """The effects of the leading terms: of two levels the second (the first mirrors it), of many the largest."""
    if not len(table):
        return table
    table = table.assign(size=table["effect"].abs())
    if "output" in table:
        table = table.loc[table.groupby(["term", "level"], dropna=False, sort=False)["size"].idxmax()]
    kept = []
    for _, lines in table.groupby("term", sort=False):
        if len(lines) == 2:
            lines = lines.iloc[1:]
        elif len(lines) > LEVELS:
            lines = lines.loc[lines["size"].nlargest(LEVELS).index.sort_values()]
        kept.append(lines)
    return pd.concat(kept[:most_terms]).drop(columns="size").reset_index(drop=True)


# ---- legends ---------------------------------------------------------------------------------------------------------


def hidden(e: Explanation, frame: pd.DataFrame, shown: int, where: str) -> list[str]:
    """The line below a table of `shown` lines of the frame: how many more there are, and which of them have a star."""
    rest = frame.iloc[shown:]
    if not len(rest):
        return []
    lines = zip(rest.to_dict("records"), marks_of(e, rest), strict=True)
    starred = [(x["first"], x["second"]) if "first" in x else x["term"] for x, mark in lines if mark == STAR]
    return [f"… and {len(rest)} more {where}" + (f"; with a star: {_names(starred)}" if starred else "")]


def variables_legend(e: Explanation) -> list[str]:
    """The stars of variables: what they mean, what chance makes of them, and the marks for all variables together."""
    if e.null is None:
        return [meaning.NOT_REFITTED if has_test(e) else meaning.NO_MARKS]
    ranked = e.main.sort_values(ascending=False, kind="stable").index
    lines = [f"{STAR} {meaning.VARIABLE}; {meaning.BY_CHANCE}", meaning.P_OF_VARIABLES]
    if unknown := [name for name in e.names if e.null.isna()[name]]:
        lines.append(f"no null level: {_names(unknown)}")
    starred, p = e.inference.above_null.fillna(value=False), e.inference.p_value
    lines += _together(ranked, bool(starred.any()), e.inference.discovery, e.inference.familywise)
    doubtful = [term for term in ranked if starred[term] != (p[term] <= meaning.PER_VARIABLE)]
    return lines + ([f"{meaning.BORDERLINE}: {_names(doubtful)}"] if doubtful else [])


def pairs_legend(e: Explanation) -> list[str]:
    """The stars of pairs, the meaning of R-sens₂, and pairs of the uncertainty only."""
    link, mask = e._setup.pair_scale == "link", uncertainty_only(e._values)
    only = 0 if mask is None else int(mask.sum())
    parts = [f"uncertainty only ({only} of {counted(len(e.pairs), 'pair')}): {meaning.UNCERTAINTY_ONLY}"] * bool(only)
    bends = meaning.RSENS2_LINK if link else meaning.RSENS2
    measured = bends if link else f"{bends}, {meaning.NOT_THE_STAR}"
    if not has_test(e):
        return [*([] if e.null is None else [meaning.NOT_TESTED]), bends, *parts]
    additive, scale = e.inference.pair_additive, str(e.inference.test_scale)
    if additive.all():
        return [f"{meaning.no_pair_mark(scale)}; {meaning.P_OF_PAIRS}", measured.partition(";")[0], *parts]
    ranked = e.pairs.sort_values(ascending=False, kind="stable").index
    lines = [f"{STAR} {meaning.pair_mark(scale)}; {meaning.PAIR_BY_CHANCE}", meaning.P_OF_PAIRS]
    lines += _together(ranked, bool(e.inference.pair_above.any()), e.inference.pair_discovery)
    if additive.any():
        lines.append(f"{counted(int(additive.sum()), 'pair')} add up in the model by construction: never a star")
    if e.inference.pair_unclear.any():
        lines.append(f"{UNCLEAR} {meaning.UNCLEAR}")
    return [*lines, measured, *parts]


def intervals_legend(e: Explanation) -> list[str]:
    """The scope of the intervals, or why they do not hold."""
    if e.intervals is None or e.interval_kind is None:
        return []
    if not e.intervals_hold:
        return [f"intervals: {meaning.NOTHING_FOUND}"]
    narrow = f"; {meaning.TOO_NARROW}" if e.interval_kind == "rows" else ""
    return [f"intervals: {meaning.interval(e.interval_kind, e.level, e.inference.interval_refits)}{narrow}"]


def directions_legend(e: Explanation) -> list[str]:
    """The meaning of the arrows; nothing where no term has one."""
    if not e.direction.notna().to_numpy().any():
        return []
    if e.direction.ndim == 2:
        return [meaning.OUTPUTS]
    steps = ", or from one value to the other" if has_steps(e) else ""
    points = "; pp: percentage points" if in_points(e) else ""
    return [f"▲ ▼ mean slope of the prediction {UNITS[e.scale_kind]}{steps}; ± goes both ways{points}"]


def two_valued_legend(e: Explanation) -> str:
    """Numeric columns whose two values are compared, and how to undo it; empty without any."""
    names = e._two_valued
    have, are = ("has", "is") if len(names) == 1 else ("have", "are")
    text = f"{_names(names)} {have} two values and {are} compared between them, like a category; "
    return f"{text}{Argument('numeric', list(names))} gives slopes instead" if names else ""


def _effects_legend(e: Explanation, lines: pd.DataFrame, table: pd.DataFrame) -> list[str]:
    kinds = set(table.loc[table["term"].isin(lines["term"]), "kind"])
    legend = [meaning.EFFECT_IN_POINTS if in_points(e) else meaning.EFFECT]
    legend += [text for kind, text in ((SLOPE, meaning.SLOPE), (LEVEL, meaning.LEVEL)) if kind in kinds]
    stepping = table.loc[(table["kind"] == STEP) & ~table["term"].isin(e._two_valued), "term"]
    if len(stepping):
        legend.append(meaning.step(listed([short(str(term)) for term in dict.fromkeys(stepping)], 6)))
    known = {"spread": meaning.SPREAD, "percent": meaning.PERCENT}
    return legend + [text for name, text in known.items() if name in lines and lines[name].notna().any()]


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
