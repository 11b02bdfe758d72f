"""The examples in docstrings of families, sources and measures give what they show."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import rsens.derivatives
import rsens.distributions
import rsens.measures

MODULES = [
    info.name
    for package in (rsens.derivatives, rsens.distributions, rsens.measures)
    for info in pkgutil.iter_modules(package.__path__, package.__name__ + ".")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    assert doctest.testmod(import_module(name)).failed == 0


def test_every_family_shows_one() -> None:
    finder = doctest.DocTestFinder()
    for family in rsens.distributions.ALL_FAMILIES:
        assert any(test.examples for test in finder.find(family)), family
        assert "Args:" in (family.__doc__ or ""), family
