"""The call: known rankings, the same numbers on every way, and what may go wrong."""

import numpy as np
import pandas as pd
import pytest

from rsens._compare import find_methods
from rsens._errors import InputError
from rsens._stability import stability
from rsens.derivatives import Derivatives
from rsens.distributions import Normal
from rsens.models import BayesianLinearRegression, GPRegressor
from tests.stability.models import LeastSquares, linear_data

X, Y = linear_data()


def test_a_known_ranking():
    """Slopes 0, 4, 1, 2 and little noise: every sample gives the same ranking, by every method of derivatives."""
    result = stability(LeastSquares(), X, Y, n_boot=20, methods=["rsens", "ead", "aed"], random_state=0)
    assert result.entropy.tolist() == [0.0, 0.0, 0.0]
    assert result.mean_rank["rsens"].tolist() == [4.0, 1.0, 3.0, 2.0]
    assert result.top(2)["aed"].tolist() == [0.0, 1.0, 0.0, 1.0]
    # Least squares: the value is the slope, in the standard deviation of the sample.
    np.testing.assert_allclose(result.to_frame()["value"][:3], [4.0, 2.0, 1.0], rtol=0.2)


def test_equal_variables_are_ranked_at_random():
    """Slopes of 0 without noise are ties: 3 terms at 3 ranks, each with a share of 1/3 in 200 samples."""
    data, y = linear_data(slopes=(0.0, 0.0, 0.0), noise=0.0)
    result = stability(LeastSquares(), data, y, n_boot=200, methods=["rsens", "ead"], random_state=0)
    np.testing.assert_allclose(result.rank_shares(), 1.0 / 3.0, atol=0.12)  # 3.6 standard errors
    assert result.entropy["rsens"] > np.log(3.0) - 0.02
    by_method = result.ranks.pivot_table(index=["sample", "term"], columns="method", values="rank")
    assert (by_method["rsens"] == by_method["ead"]).all()  # a tie is a tie for both


@pytest.mark.slow
def test_half_samples_vary_as_bootstrap_samples_do():
    """The standard deviations over 300 samples agree within 15 %: each is known to 4 %."""
    data, y = linear_data(n=200, noise=2.0)
    spreads = [
        stability(LeastSquares(), data, y, n_boot=300, methods="rsens", scale="raw", replace=replace, random_state=0)
        .ranks.groupby("term")["value"]
        .std()[["x1", "x2", "x3"]]
        for replace in (False, True)
    ]
    np.testing.assert_allclose(spreads[0], spreads[1], rtol=0.15)


class Squares:
    """Σ x_d²/2, so that the slope is x_d, and R-sens is the mean of the rows it is asked about."""

    def derivatives(self, rows, order):
        rows = np.asarray(rows)
        first = np.zeros((len(rows), 2, rows.shape[1]))
        first[:, 0] = rows
        return Derivatives(Normal(0.5 * (rows**2).sum(axis=1), np.ones(len(rows))), first, None)


def test_a_model_is_scored_at_its_rows_and_in_given_units():
    data = np.abs(X)
    means = []

    def refit(rows, y):
        means.append(rows.mean(axis=0))
        return Squares()

    # The labels and names of rows and columns change nothing.
    frame = pd.DataFrame(data, columns=["a", "b, c", "🚲", "x" * 200], index=[7] * 60)
    options = {"methods": "rsens", "n_boot": 3, "scale": [1.0, 2.0, 1.0, 1.0], "random_state": 0}
    result = stability(lambda rows, y: refit(rows.to_numpy(), y), frame, pd.Series(Y, index=frame.index), **options)
    values = result.ranks.pivot_table(index="sample", columns="term", values="value")[list(frame.columns)]
    np.testing.assert_allclose(values, means * np.array([1.0, 2.0, 1.0, 1.0]), rtol=1e-12)


def test_cheap_methods_need_no_optional_package():
    result = stability(LeastSquares(), X, Y, n_boot=2, random_state=0)
    assert result.methods == tuple(method.name for method in find_methods("all", 1) if method.name != "ard")
    assert result.failures.empty
    pairs = stability(BayesianLinearRegression(), X, Y, n_boot=2, order=2, random_state=0)
    assert pairs.methods == ("rsens2", "eah", "aeh", "shap", "pd")
    assert pairs.terms[:2] == ("x0:x1", "x0:x2")
    assert len(pairs.terms) == 6


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"n_boot": 0}, "n_boot must be a whole number of at least 1"),
        ({"methods": "rsens2"}, "use order=2"),
        ({"scale": [1.0, 2.0]}, "scale"),
        ({"estimator": LeastSquares}, "is the class LeastSquares"),
        ({"y": None}, "y must have one entry for each of the 60 rows"),
        ({"y": np.where(np.arange(60) == 7, np.nan, Y)}, "y has 1 missing .* first at row 7"),
        ({"X": X[:1], "y": Y[:1]}, "at least two rows"),
        ({"X": X[:, :1], "order": 2}, "at least two columns"),
    ],
)
def test_wrong_arguments(options, text):
    with pytest.raises(InputError, match=text):
        stability(**{"estimator": LeastSquares(), "X": X, "y": Y, "n_boot": 2} | options)


def test_the_number_of_jobs_changes_nothing():
    """Bit for bit, restarts of the search and random methods included."""
    options = {"n_boot": 5, "methods": ["rsens", "kl", "pfi", "shap"], "random_state": 3}
    one = stability(GPRegressor(n_restarts=1), X[:30], Y[:30], **options).ranks
    pd.testing.assert_frame_equal(
        stability(GPRegressor(n_restarts=1), X[:30], Y[:30], n_jobs=2, **options).ranks, one, check_exact=True
    )


class Guess(LeastSquares):
    """Adds a random number to every slope."""

    def fit(self, X, y):
        super().fit(X, y)
        self.coef_ += np.random.default_rng(self.random_state).normal(size=self.coef_.shape)
        return self


def test_random_estimators_get_a_seed_unless_they_have_one():
    data, y = linear_data(noise=0.0)

    def values(random_state, seed):
        estimator = Guess(random_state=random_state)
        result = stability(estimator, data, y, n_boot=3, methods="rsens", scale="raw", random_state=seed)
        return result.ranks["value"].to_numpy().reshape(3, 4)

    np.testing.assert_array_equal(values(None, 0), values(None, 0))
    assert (values(None, 0) != values(None, 1)).all()
    assert np.ptp(values(None, 0), axis=0).min() > 0.1  # another number in every sample
    assert np.ptp(values(8, 0), axis=0).max() < 1e-10  # the same in all, as was asked


def test_a_process_that_learns_its_noise_sees_no_row_twice():
    def drawn(estimator, y=Y, **options):
        return stability(estimator, X, y, n_boot=1, methods="rsens", random_state=0, **options).settings["replace"]

    fixed = {"n_restarts": 0, "tolerance": 1.0}
    counts = np.random.default_rng(0).poisson(3.0, len(X))
    assert drawn(GPRegressor(**fixed)) is False
    assert drawn(GPRegressor(**fixed), replace=True) is True
    assert drawn(GPRegressor(optimize=False)) is True
    assert drawn(GPRegressor(likelihood="poisson", **fixed), counts) is True
    assert drawn(LeastSquares()) is True
