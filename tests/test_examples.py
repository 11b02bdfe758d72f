"""The pages of the API name every public object, and the example of each gives the shown output."""

import doctest
import inspect
import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import rsens
from rsens import black_box, distributions, kernels, likelihoods, plots

PAGES = sorted((Path(__file__).parents[1] / "docs" / "api").glob("*.md"))
NAMED = re.compile(r"^\.\. auto(?:class|exception|function):: (rsens\.\S+)$", re.MULTILINE)
NAMES = [name for page in PAGES for name in NAMED.findall(page.read_text(encoding="utf-8"))]
#: Downloaded, unless the folder RSENS_DATA has them.
DATA_SETS = ("rsens.datasets.load_bike", "rsens.datasets.load_concrete")
#: Names that need another environment: `make test-adapters` runs their examples.
ELSEWHERE = {"rsens.from_bambi": "bambi", "rsens.from_pymc": "pymc"}


def named(name: str) -> Any:
    found: Any = rsens
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def examples(name: str) -> doctest.DocTest:
    """The example of an object, in an empty namespace: it must run when copied."""
    text = inspect.getdoc(named(name)) or ""
    return doctest.DocTestParser().get_doctest(text, {}, name, None, None)


def test_the_pages_name_every_public_object_once():
    lists = {
        "": [name for name in rsens.__all__ if name not in rsens._SUBPACKAGES],
        ".kernels": ["Kernel", "additive", *(each.__name__ for each in kernels.ALL_KERNELS)],
        ".likelihoods": ["Likelihood", *(each.__name__ for each in likelihoods.ALL_LIKELIHOODS)],
        ".plots": [plot.name for plot in plots.PLOTS],
        ".measures": ["importance", "local_values", "ard", "parts", "rsens_of", "rsens2_of"],
        ".distributions": [distributions.Distribution.__name__],
        ".black_box": [black_box.Budget.__name__],
    }
    assert len(set(NAMES)) == len(NAMES)
    assert {f"rsens{package}.{name}" for package, names in lists.items() for name in names} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_example_gives_the_shown_output(name, tmp_path, monkeypatch):
    assert any(example.want for example in examples(name).examples), "show what comes out"
    if name in DATA_SETS and not os.environ.get("RSENS_DATA"):
        pytest.skip("set RSENS_DATA to the folder with the paper's data sets")
    if name in ELSEWHERE and find_spec(ELSEWHERE[name]) is None:
        pytest.skip(f"{ELSEWHERE[name]} has an environment of its own: make test-adapters")
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    failed, _ = doctest.DocTestRunner().run(examples(name), out=said.append)
    plt.close("all")
    assert not failed, "".join(said)
