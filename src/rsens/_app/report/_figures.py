"""The figures of the page, from the list `rsens.plots.PLOTS`."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from rsens._text import as_label
from rsens.plots import PLOTS, Plot, Section, lay_out, take_notes, tip_of

#: The numbers of variables with a separate figure, such as a profile, and of pairs, such as a surface.
VARIABLES, PAIRS = 6, 4
#: A figure with more points than this is drawn as pixels, which take less room in the file.
PIXELS = 1000


@dataclass(frozen=True)
class Picture:
    """One figure of the page; `title` names its variables, where it is not about all."""

    id: str
    alt: str
    caption: str
    svg: str
    title: str


def drawings(study: Any, most_variables: int, most_pairs: int) -> Iterator[tuple[Plot, Any, int, tuple[str, ...]]]:
    """Each plot and its result, with the number and the name of a variable, or the names of a pair; () for all."""
    e = study.explanation
    frame = e.to_frame(order=2) if e.order == 2 and len(e.pairs) else None
    vary = [name for name in e.to_frame()["term"] if name in study.X and study.X[name].nunique() > 1]
    named: list[tuple[str, ...]] = []
    if frame is not None:  # starred pairs first
        stars = frame["above_null"].eq(True).fillna(value=False).astype(bool)
        frame = pd.concat([frame[stars], frame[~stars]])
        frame = frame[(frame["value"] > 0.0) & frame["first"].isin(vary) & frame["second"].isin(vary)]
        named = list(zip(frame["first"], frame["second"], strict=True))
    of_pairs = None if frame is None else e
    results = {
        **dict.fromkeys(("explanation", "variable"), e),
        **dict.fromkeys(("pairs", "pair"), of_pairs),
        "effects": e if len(e.effects) else None,
        "subgroups": None if e.by is None else e,
        "assessment": study.assessment,
    }
    subjects: dict[str, list[tuple[str, ...]]] = {
        "variable": [(name,) for name in vary[:most_variables]],
        "pair": named[:most_pairs],
    }
    for plot in PLOTS:
        if (result := results.get(plot.of)) is not None:
            for number, terms in enumerate(subjects.get(plot.of, [()])):
                yield plot, result, number, terms


def pictures(study: Any) -> dict[str, list[Picture]]:
    """Draw everything, by the section of the page that it belongs to."""
    found: dict[str, list[Picture]] = {section: [] for section in get_args(Section)}
    for plot, result, number, terms in drawings(study, VARIABLES, PAIRS):
        figure_id = f"{plot.name}-{number}" if terms else plot.name
        rows = {name: getattr(study, name) for name in ("model", "X") if name in plot.takes}
        svg, notes = draw(figure_id, plot, result, *terms, **rows)
        caption = " ".join([plot.caption, *(f"{note[:1].upper()}{note[1:]}." for note in notes)]).strip()
        names = [as_label(term) for term in terms]
        alt = f"{plot.alt} {' and '.join(names)}".strip()
        found[plot.section].append(Picture(figure_id, alt, caption, svg, " × ".join(names)))
    return found


SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: Ids that matplotlib gives to its groups; any other id of a text comes from `rsens.plots`: the whole name.
NUMBERED = re.compile(r"[a-zA-Z.]+\d*_\d+(_\d+)*")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
#: Where matplotlib writes six decimals of a point; two are finer than any screen.
GEOMETRY = frozenset({"d", "x", "y", "points"})
DECIMALS = re.compile(r"(\.\d\d)\d+")
#: Text stays text, in the font of the page: it can be searched, and is small. Ids depend on nothing but the figure.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "rsens", "font.size": 10.0, "font.family": ["DejaVu Sans"]}
#: Dots per inch of the parts that are drawn as pixels.
RESOLUTION = 200


def draw(figure_id: str, plot: Plot, *subject: Any, **options: Any) -> tuple[str, list[str]]:
    """Draw a plot as an SVG element, the same bytes each time; and its notes, which become text of the page."""
    from matplotlib import pyplot as plt
    from matplotlib import rc_context, rcParamsDefault

    # A user's style, such as a dark one, is for the user's figures.
    plain: dict[Any, Any] = {k: v for k, v in rcParamsDefault.items() if not k.startswith(("backend", "toolbar"))}
    file = io.BytesIO()
    with rc_context(plain | SETTINGS):
        axes = np.ravel(np.asarray(plot.draw(*subject, **options, **plot.options), dtype=object))
        figure = axes[0].figure
        try:
            notes = take_notes(figure)
            points = [each for panel in axes for each in panel.collections]
            if sum(len(each.get_offsets()) for each in points) > PIXELS:
                for each in points:
                    each.set_rasterized(True)
            figure.set_dpi(RESOLUTION)
            lay_out(figure)
            metadata = {"Date": None, "Creator": None}
            figure.savefig(file, format="svg", transparent=True, dpi=RESOLUTION, metadata=metadata)
        finally:
            plt.close(figure)
    return inline(file.getvalue(), figure_id), notes


def inline(svg: bytes, figure_id: str) -> str:
    """An SVG file as an element of a page that holds others: distinct ids, no fixed size, no header."""
    root = ElementTree.fromstring(svg)
    attributes = [pair for element in root.iter() for pair in element.attrib.items()]
    used = {each for _, value in attributes for each in REFERENCE.findall(value)}
    used |= {value[1:] for key, value in attributes if key == f"{{{XLINK}}}href" and value.startswith("#")}
    for element in root.iter():
        given = element.attrib.pop("id", None)
        if given in used:
            element.set("id", f"{figure_id}-{given}")
        elif given is not None and (text := tip_of(given) or _whole_name(element, given)):
            title = ElementTree.Element(f"{{{SVG}}}title")  # shown when the pointer rests on the element
            title.text = text
            element.insert(0, title)
        for key, value in element.attrib.items():
            if key == f"{{{XLINK}}}href" and value.startswith("#"):
                element.set(key, f"#{figure_id}-{value[1:]}")
            elif key in GEOMETRY:
                element.set(key, DECIMALS.sub(r"\1", value))
            else:
                element.set(key, REFERENCE.sub(rf"url(#{figure_id}-\1)", value))
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    root.set("aria-hidden", "true")  # the figure around it has the description
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", XLINK)
    return ElementTree.tostring(root, encoding="unicode")


def _whole_name(element: ElementTree.Element, given: str) -> str | None:
    """The id of a text, unless it is one of matplotlib's."""
    return None if NUMBERED.fullmatch(given) or element.find(f".//{{{SVG}}}text") is None else given
