"""Distributions of a library that rsens does not know become known by a `Conversion` and one line in `CONVERSIONS`."""

from __future__ import annotations

import numpy as np
import pytest

import rsens
from rsens import InputError, as_family
from rsens._conversions import CONVERSIONS, Conversion


class Mine:
    """A distribution of a library that rsens does not know."""

    def __init__(self, centre, width):
        self.centre, self.width = centre, width


MINE = Conversion("mine", lambda obj: isinstance(obj, Mine), lambda d: rsens.Normal(d.centre, d.width**2), ["Mine"])


@pytest.fixture
def known():
    CONVERSIONS.append(MINE)
    yield
    CONVERSIONS.remove(MINE)


def test_a_new_source_is_one_line_in_the_list(known):
    model = rsens.from_function(lambda X: Mine(X[:, :1], 2.0))
    np.testing.assert_allclose(rsens.rsens(model, np.zeros((3, 2))), [[0.5, 0.0]] * 3, atol=1e-9)


def test_without_the_line_it_is_unknown():
    with pytest.raises(InputError, match="got Mine of tests"):
        as_family(Mine(0.0, 1.0))
