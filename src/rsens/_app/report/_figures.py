"""The figures of the page, from the list `rsens.plots.PLOTS`."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any, get_args
from xml.etree import ElementTree

import numpy as np

from rsens._app.report._facts import Facts, Name
from rsens._text import as_label
from rsens.plots import Plot, Section, lay_out, take_notes, tip_of

#: The numbers of variables with a separate figure, such as a profile, and of pairs, such as a surface.
VARIABLES, PAIRS = 6, 4
#: A figure with more points than this is drawn as pixels, which take less room in the file.
PIXELS = 1000


@dataclass(frozen=True)
class Picture:
    """One figure of the page. `names` are the variables that it is about, where it is not about all."""

    id: str
    alt: str
    caption: str
    svg: str
    names: tuple[Name, ...] = ()


def pictures(facts: Facts) -> dict[str, list[Picture]]:
    """Draw everything, by the section of the page that it belongs to."""
    found: dict[str, list[Picture]] = {section: [] for section in get_args(Section)}
    for plot, result, number, terms in facts.drawings(VARIABLES, PAIRS):
        figure_id = f"{plot.name}-{number}" if terms else plot.name
        rows = {name: getattr(facts, name) for name in ("model", "X") if name in plot.takes}
        svg, notes = draw(figure_id, plot, result, *terms, **rows)
        picture = Picture(
            id=figure_id,
            alt=f"{plot.alt} {' and '.join(map(as_label, terms))}".strip(),
            caption=" ".join([plot.caption, *(f"{note[:1].upper()}{note[1:]}." for note in notes)]).strip(),
            svg=svg,
            names=tuple(facts.names[term] for term in terms),
        )
        found[plot.section].append(picture)
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
