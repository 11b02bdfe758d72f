"""Parts: what each block of λ contributes to R-sens."""

import numpy as np
import pytest

from rsens import distributions as ds
from rsens.measures import parts, rsens, rsens2
from tests.measures.models import MODELS, rows

X = rows()


@pytest.mark.parametrize("family", MODELS)
def test_parts_add_up(family: str) -> None:
    record = MODELS[family].derivatives(X, 2)
    first = parts(record.distribution, record.first, alpha=2.0)
    second = parts(record.distribution, record.second, alpha=2.0)
    assert list(first) == list(second) == list(record.distribution.orthogonal_blocks)
    if first:
        np.testing.assert_allclose(sum(first.values()), rsens(MODELS[family], X, alpha=2.0), rtol=1e-13)
        np.testing.assert_allclose(sum(second.values()), rsens2(MODELS[family], X, alpha=2.0), rtol=1e-13)


def test_parts_of_a_normal() -> None:
    """q_mean = (∂mean)²/v and q_variance = (∂v)²/(2v²), each over R."""
    record = MODELS["Normal"].derivatives(X, 1)
    v = record.distribution.variance[:, None]
    r = rsens(MODELS["Normal"], X)
    got = parts(record.distribution, record.first)
    np.testing.assert_allclose(got["mean"], record.first[:, 0] ** 2 / v / r, rtol=1e-13)
    np.testing.assert_allclose(got["variance"], record.first[:, 1] ** 2 / (2 * v**2) / r, rtol=1e-13)


def test_zero_is_zero_and_small_numbers_are_not_squared() -> None:
    first = np.array([[[0.0, 3e-200], [0.0, 4e-200]]])
    got = parts(ds.Normal(np.zeros(1), np.ones(1)), first)
    assert got["mean"][0, 0] == got["variance"][0, 0] == 0.0
    whole = 1e-200 * np.sqrt(9 + 8)
    np.testing.assert_allclose(got["mean"][0, 1], whole * 9 / 17, rtol=1e-14)
    np.testing.assert_allclose(got["variance"][0, 1], whole * 8 / 17, rtol=1e-14)
