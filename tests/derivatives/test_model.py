"""The loop over rows."""

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import from_function, iterate
from rsens.derivatives._model import MAX_BYTES
from rsens.distributions import Normal
from tests.adapters.objects import Estimator, record_at
from tests.derivatives.sources import rows


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 100])
@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_every_row_comes_once_in_even_chunks(n, at_once):
    X = rows(n)
    chunks = list(iterate(*read_for(Estimator(at_once).fit(X), X), 2))
    assert np.concatenate([np.arange(n)[part] for part, _ in chunks]).tolist() == list(range(n))
    sizes = [len(record) for _, record in chunks]
    assert max(sizes) <= at_once
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == -(-n // at_once)
    np.testing.assert_array_equal(np.concatenate([record.first for _, record in chunks]), record_at(X, 1).first)


def test_an_estimator_gets_frames_if_frames_are_given():
    X = pd.DataFrame(rows(), columns=["a", "b", "c"], index=list("tuvwxyz"))
    model = Estimator().fit(X)
    list(iterate(*read_for(model, X), 1))
    assert all(isinstance(part, pd.DataFrame) for part in model.seen_)
    pd.testing.assert_frame_equal(pd.concat(model.seen_), X)


def test_errors_say_which_rows_they_count_from():
    X = np.ones((10, 1))
    X[7] = -1.0
    model = from_function(lambda X: Normal(0.0, X[:, 0]), scale=1e-3)
    with pytest.raises(InputError, match=r"at row 7 \(1 of 10"):
        list(iterate(*read_for(model, X), 1))
    few = MAX_BYTES * 4 // model.rows_per_chunk(1, 1) + 1
    with pytest.raises(InputError, match=r"at row 1 .*\(Rows are counted from row 6 of X\.\)"):
        list(iterate(*read_for(model, X), 1, max_bytes=few))
