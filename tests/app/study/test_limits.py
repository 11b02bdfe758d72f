"""Too many columns are refused when the table is read, before the first fit."""

import numpy as np
import pandas as pd
import pytest

from rsens import InputError, study
from rsens.models import GPRegressor

DATA = pd.DataFrame(np.random.default_rng(0).standard_normal((30, 6)), columns=[*"abcde", "y"])


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """Limits that a small table passes, and a model that must not be fitted."""
    monkeypatch.setattr("rsens._explain._context.MOST_COLUMNS_OF_PAIRS", 3)

    def fit(*args, **options):
        raise AssertionError("the model was fitted")

    monkeypatch.setattr(GPRegressor, "fit", fit)


def test_pairs_that_are_asked_for():
    with pytest.raises(InputError, match=r"^pairs=2 asks for pairs, .* at most 3 columns; got 5 columns, 10 pairs"):
        study(DATA, "y", pairs=2)
