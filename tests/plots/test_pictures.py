"""The pictures look as they did; see `pictures` for how to draw them again when they should not."""

import matplotlib
import pytest
from matplotlib.testing.compare import compare_images

from rsens.plots import bars
from tests.plots.pictured import NAMES, pictured
from tests.plots.pictures import DPI, FOLDER, MATPLOTLIB, PICTURES, draw

#: Root mean square difference of the grey levels, 0 to 255. The same matplotlib, with the FreeType it brings, draws the
#: same picture on every machine; only rounding of the numbers drawn may move an edge, by a small part of a level. One
#: "▲" that turns into a "▼" makes 1.0, a line that moves by half a percent of the axis 8 (both tested below).
TOLERANCE = 0.5

same_matplotlib = pytest.mark.skipif(
    not matplotlib.__version__.startswith(f"{MATPLOTLIB}."),
    reason=f"the pictures were drawn with matplotlib {MATPLOTLIB}",
)


@same_matplotlib
@pytest.mark.parametrize("name", PICTURES)
def test_picture(name, tmp_path):
    path = tmp_path / f"{name}.png"
    draw(name, path)
    assert compare_images(str(FOLDER / f"{name}.png"), str(path), TOLERANCE) is None


@same_matplotlib
@pytest.mark.parametrize(("change", "least"), [("sign", 2.0), ("line", 15.0)])
def test_small_changes_are_noticed(change, least, tmp_path):
    path, explanation = tmp_path / "changed.png", pictured(NAMES)
    if change == "sign":
        explanation.direction["age"] *= -1.0
    else:
        explanation = explanation.but(null=explanation.null + 0.0125)
    bars(explanation).figure.savefig(path, dpi=DPI)
    difference = compare_images(str(FOLDER / "bars.png"), str(path), TOLERANCE, in_decorator=True)
    assert difference is not None
    assert difference["rms"] > least * TOLERANCE


def test_every_kept_picture_is_drawn():
    assert {path.stem for path in FOLDER.glob("*.png")} == set(PICTURES)
