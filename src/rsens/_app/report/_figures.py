"""The figures of the page, from the list `rsens.plots.PLOTS`."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args
from xml.etree import ElementTree

import numpy as np

from rsens._app.report._facts import Facts, Name
from rsens.plots import Plot, Section, lay_out, tip_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: How many variables have a figure of their own, such as a profile, and how many pairs, such as a surface.
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
        picture = Picture(
            id=figure_id,
            alt=plot.alt(result, *terms),
            caption=plot.caption(result, *terms),
            svg=_svg(facts, plot, result, terms, figure_id),
            names=tuple(facts.names[term] for term in terms),
        )
        found[plot.section].append(picture)
    return found


def _svg(facts: Facts, plot: Plot, result: Any, terms: tuple[str, ...], figure_id: str) -> str:
    layout = plot.layout(result)
    rows = {name: getattr(facts, name) for name in ("model", "X") if name in plot.takes}

    def draw(figure: Figure) -> None:
        axes = plot.draw(result, *terms, ax=layout.axes(figure), **rows, **layout.options)
        plot.add_tips(result, axes)
        points = [each for panel in np.ravel(np.asarray(axes, dtype=object)) for each in panel.collections]
        if sum(len(each.get_offsets()) for each in points) > PIXELS:
            for each in points:
                each.set_rasterized(True)

    return draw_svg(figure_id, layout.width, layout.height, draw)


SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
#: What matplotlib numbers its groups with; any other id of a text comes from `rsens.plots`: the whole name.
NUMBERED = re.compile(r"[a-zA-Z.]+\d*_\d+(_\d+)*")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
#: Where matplotlib writes six decimals of a point; two are finer than any screen.
GEOMETRY = frozenset({"d", "x", "y", "points"})
DECIMALS = re.compile(r"(\.\d\d)\d+")
#: Text stays text, in the font of the page: it can be searched, and is small. Ids depend on nothing but the figure.
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "rsens", "font.size": 10.0, "font.family": ["DejaVu Sans"]}
#: Dots per inch, of what is drawn as pixels.
RESOLUTION = 200


def draw_svg(figure_id: str, width: float, height: float, draw: Callable[[Figure], None]) -> str:
    """Draw a figure of this size, in inches, as an SVG element; the same bytes each time."""
    from matplotlib import rc_context, rcParamsDefault
    from matplotlib.figure import Figure

    # A user's own style (a dark one, say) is for the user's figures.
    plain: dict[Any, Any] = {k: v for k, v in rcParamsDefault.items() if not k.startswith(("backend", "toolbar"))}
    file = io.BytesIO()
    with rc_context(plain | SETTINGS):
        figure = Figure(figsize=(width, height), dpi=RESOLUTION, layout="constrained")
        draw(figure)
        lay_out(figure)
        figure.savefig(file, format="svg", transparent=True, dpi=RESOLUTION, metadata={"Date": None, "Creator": None})
    return inline(file.getvalue(), figure_id)


def inline(svg: bytes, figure_id: str) -> str:
    """An SVG file as an element of a page that holds others: ids of its own, no fixed size, no header."""
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
