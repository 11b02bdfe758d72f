"""The pictures look as they did; see `pictures` for how to draw them again when they should not."""

from __future__ import annotations

import matplotlib
import pytest
from matplotlib.testing.compare import compare_images

from rsens.plots import bars
from tests.plots.pictured import NAMES, pictured
from tests.plots.pictures import DPI, FOLDER, MATPLOTLIB, PICTURES, draw

#: Root mean square difference of the grey levels, 0 to 255. The same matplotlib with its own FreeType draws the same
#: picture on every machine but for the rounding of curves, some pixels by a few levels: well below 0.5. One null line
#: moved by 1 % of the axis makes about 3 (tested below).
TOLERANCE = 1.0

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
def test_a_small_change_is_noticed(tmp_path):
    path, explanation = tmp_path / "changed.png", pictured(NAMES)
    bars(explanation.but(null=explanation.null + 0.025)).figure.savefig(path, dpi=DPI)
    difference = compare_images(str(FOLDER / "bars.png"), str(path), TOLERANCE, in_decorator=True)
    assert difference is not None
    assert difference["rms"] > 2.0 * TOLERANCE


def test_every_kept_picture_is_drawn():
    assert {path.stem for path in FOLDER.glob("*.png")} == set(PICTURES)
