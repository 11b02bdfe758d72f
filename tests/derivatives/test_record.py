"""The record checks itself."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.derivatives import Derivatives
from rsens.distributions import Normal

NORMAL = Normal(np.arange(4.0), 2.0)


def test_it_holds_a_checked_distribution_and_float64_arrays():
    record = Derivatives(NORMAL, np.ones((4, 2, 3), dtype=np.float32), np.ones((4, 2, 3, 3), dtype=int))
    assert len(record) == 4
    assert record.distribution.variance.shape == (4,)
    assert record.first.dtype == record.second.dtype == np.float64


ONES = np.ones((4, 2, 3))
NAN, INF = ONES.copy(), np.ones((4, 2, 3, 3))
NAN[2, 1, 0], INF[1, 0, 2, 1] = np.nan, np.inf
WRONG = {
    "no family": (("normal", ONES), "must be an rsens family; got str"),
    "axes": ((NORMAL, np.ones((4, 2))), r"\(rows, parameters, columns\); got \(4, 2\)"),
    "rows": ((NORMAL, np.ones((5, 2, 3))), "5 rows"),
    "parameters": ((NORMAL, np.ones((4, 3, 3))), r"2 parameters \(mean, variance\).*got \(4, 3, 3\)"),
    "second": ((NORMAL, ONES, ONES), r"second must have the shape \(4, 2, 3, 3\)"),
    "variance": ((Normal(0.0, -1.0), ONES), "variance must be finite and greater than 0"),
    "nan": ((NORMAL, NAN), r"'variance' in column 0 .* is nan at row 2 \(1 of 24"),
    "inf": ((NORMAL, ONES, INF), "second derivative of 'mean' in column 2 and 1 .* is inf at row 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors(name):
    arguments, text = WRONG[name]
    with pytest.raises(InputError, match=text):
        Derivatives(*arguments)
