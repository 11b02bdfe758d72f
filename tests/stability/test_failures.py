"""Refits and methods that fail."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from rsens._errors import InputError, RsensWarning
from rsens._stability import stability
from rsens.models import BayesianLinearRegression
from tests.stability.models import LeastSquares, linear_data

X, Y = linear_data()


def test_failed_refits_are_left_out_and_listed():
    with pytest.warns(RsensWarning, match=r"Failures in 20 samples: the refit in \d+\. .* is too much") as caught:
        result = stability(LeastSquares(fails=2.0), X, Y, n_boot=20, methods=["rsens", "ead"], random_state=0)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    failed = result.failures
    assert 0 < len(failed) < 20
    assert failed["method"].isna().all()
    assert failed["reason"].str.startswith("RuntimeError: ").all()
    assert set(result.ranks["sample"]) == set(range(20)) - set(failed["sample"])
    assert set(result.to_frame()["samples"]) == {20 - len(failed)}
    whole = stability(LeastSquares(), X, Y, n_boot=20, methods=["rsens", "ead"], random_state=0).ranks
    others = whole[~whole["sample"].isin(failed["sample"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(result.ranks, others)  # the others are as they would be


def test_methods_that_fail_do_not_stop_the_others():
    with pytest.warns(RsensWarning, match="ard in 3"):
        result = stability(LeastSquares(), X, Y, n_boot=3, methods=["ard", "rsens"], random_state=0)
    assert result.failures["method"].tolist() == ["ard"] * 3
    assert np.isnan(result.entropy["ard"])
    assert result.entropy["rsens"] == 0.0
    assert result.mean_rank["ard"].isna().all()
    assert result.top(1)["ard"].isna().all()
    assert set(result.to_frame()["method"]) == {"rsens"}
    with pytest.raises(InputError, match="ard failed in every sample"):
        result.rank_shares("ard")


def test_nothing_succeeds():
    with pytest.raises(InputError, match=r"None of 3 samples could be ranked\. Sample 0: RuntimeError: .* too much"):
        stability(LeastSquares(fails=-np.inf), X, Y, n_boot=3, methods="rsens", random_state=0)
    with pytest.raises(InputError, match="Sample 0, ard: "):
        stability(LeastSquares(), X, Y, n_boot=2, methods="ard", random_state=0)
    with pytest.raises(InputError, match="None of 2 samples"):
        stability(LinearRegression(), X, Y, n_boot=2, methods="rsens", random_state=0)
    missing = X.copy()
    missing[3, 1] = np.nan
    with pytest.raises(InputError, match="must be finite"):
        stability(BayesianLinearRegression(), missing, Y, n_boot=3, replace=False, methods="rsens", random_state=0)
