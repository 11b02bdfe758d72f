import subprocess
import sys
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from rsens.plots import _style
from rsens.plots._style import LABEL_LENGTH, short_labels


def test_importing_plots_does_not_load_matplotlib():
    code = "import sys, rsens.plots; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_names_are_one_line_and_never_empty():
    assert short_labels(["two\nlines", "tab\there", " \n ", "\N{ZERO WIDTH SPACE}"]) == [
        "two lines",
        "tab here",
        "(blank)",
        "\\u200b",
    ]


def test_emoji_without_a_glyph_are_written_out():
    assert short_labels(["🚲 rides"]) == ["[bicycle] rides"]
    (scientist,) = short_labels(["👩‍🔬"])  # the joiner takes no room
    assert scientist.replace("\N{ZERO WIDTH JOINER}", "") == "[woman][microscope]"
    assert short_labels(["😀"]) == ["😀"]  # the default font has this one


@given(st.lists(st.text(max_size=80), max_size=12, unique=True))
def test_labels_fit_on_one_line_and_differ(names):
    labels = short_labels(names)
    assert len(labels) == len(set(labels)) == len(names)
    for label in labels:
        assert 0 < len(label) <= LABEL_LENGTH
        assert len(label.splitlines()) == 1


def test_a_figure_is_laid_out_as_savefig_would_and_then_no_more():
    def drawn():
        figure = Figure(figsize=(3.0, 2.0), dpi=100, layout="constrained")
        figure.add_subplot().set_ylabel("a label\nthat takes room")
        return figure

    saved, laid_out = drawn(), drawn()
    saved.savefig(BytesIO(), dpi=100)
    _style.lay_out(laid_out)
    assert laid_out.get_layout_engine() is None
    assert laid_out.axes[0].get_position().bounds == pytest.approx(saved.axes[0].get_position().bounds)
