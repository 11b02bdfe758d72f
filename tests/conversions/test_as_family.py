"""What is true of `as_family` whatever the source: errors, our own families, new sources, nothing imported."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rsens
from rsens import InputError, as_family
from rsens._conversions import CONVERSIONS, Conversion


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        ((np.zeros(3), np.ones(3)), r"got a tuple of 2\. If these are a mean and a standard deviation.*sd\*\*2"),
        (np.zeros((3, 2)), r"got ndarray of shape \(3, 2\)"),
        (None, r"got None \(is a return missing\?\)"),
        (rsens.Normal, "got the class Normal without its parameters"),
    ],
)
def test_what_is_no_distribution(obj, text):
    family = rsens.Normal(np.zeros((3, 2)), 1.0)
    assert as_family(family) is family
    accepted = "expected a distribution: one of rsens' families .* or a distribution of scipy.stats, torch, NumPyro"
    with pytest.raises(InputError, match=f"{accepted}.*{text}"):
        as_family(obj)


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda each: each.name)
def test_every_source_takes_its_own_and_lists_all_on_the_page(conversion):
    page = (Path(__file__).parents[2] / "docs" / "models" / "distributions.md").read_text(encoding="utf-8")
    named = {name for text in re.findall(r"`([^`\n]+)`", page) for name in re.findall(r"\w+", text)}
    known = {re.sub(r"make_distribution\((\w+)\)", r"\1", name) for name in conversion.known}
    assert known
    assert known <= named
    for obj in (None, 3.0, np.zeros(2), "text", {}, object(), rsens.Normal(0.0, 1.0)):
        assert not conversion.accepts(obj)


class Parameters(dict):
    """What TensorFlow Probability's distributions have."""


class Normal:
    """By its name and its parameters a distribution, but without a location."""

    parameters = Parameters()

    def log_prob(self, y):
        return y


def test_a_class_of_the_same_name():
    with pytest.raises(InputError, match=r"Normal looks like a distribution of TensorFlow Probability but cannot be"):
        as_family(Normal())


def test_nothing_is_imported_to_find_out():
    code = (
        "import sys, rsens\n"
        "try: rsens.as_family(object())\n"
        "except rsens.InputError: pass\n"
        "print(sorted({'torch', 'jax', 'numpyro', 'gpytorch', 'ngboost', 'tensorflow', 'skpro'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Mine:
    """A distribution of a library that rsens does not know."""

    def __init__(self, centre, width):
        self.centre, self.width = centre, width


def test_a_new_source_is_one_line_in_the_list():
    model = rsens.from_function(lambda X: Mine(X[:, :1], 2.0))
    with pytest.raises(InputError, match="got Mine of tests"):
        rsens.rsens(model, np.zeros((3, 2)))
    new = Conversion("mine", lambda obj: isinstance(obj, Mine), lambda d: rsens.Normal(d.centre, d.width**2), ["Mine"])
    CONVERSIONS.append(new)
    try:
        np.testing.assert_allclose(rsens.rsens(model, np.zeros((3, 2))), [[0.5, 0.0]] * 3, atol=1e-9)
    finally:
        CONVERSIONS.remove(new)
