"""What is particular to differences: steps and scales, precision, jumps, and how the function is called."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from rsens._errors import InputError, RsensWarning
from rsens.derivatives import from_function
from rsens.derivatives._differences import ROWS_PER_CALL, SINGLE_STEP
from rsens.distributions import Bernoulli, Normal, Poisson
from tests.derivatives.sources import rows

EPS = np.finfo(float).eps


def cubic(X):
    return Normal(X[:, 0] ** 3 + X[:, 0] * X[:, 1], 1.0 + X[:, 1] ** 2)


class Recorder:
    """The cubic function, and what it was called with."""

    def __init__(self):
        self.calls = []

    def __call__(self, X):
        self.calls.append(X.copy())
        return cubic(X)

    @property
    def points(self):
        return np.concatenate(self.calls)


class TestSteps:
    @pytest.mark.parametrize("step", [0.25, 1e-3])
    def test_the_error_of_central_differences(self, step):
        """Of x³ the first difference is 3x² + h² and the second 6x, with h = step × scale: exactly, up to rounding."""
        X = rows(30)
        h = step * X[:, 0].std()
        record = from_function(cubic, step=step).derivatives(X, 2)
        np.testing.assert_allclose(record.first[:, 0, 0], 3 * X[:, 0] ** 2 + h**2 + X[:, 1], rtol=0, atol=50 * EPS / h)
        np.testing.assert_allclose(record.second[:, 0, 0, 0], 6 * X[:, 0], rtol=0, atol=100 * EPS / h**2)
        np.testing.assert_allclose(record.second[:, 0, 0, 1], 1.0, rtol=0, atol=100 * EPS / h**2)

    def test_one_step_per_column(self):
        fn = Recorder()
        X = np.array([[0.0, 0.0], [2.0, 4.0]])  # standard deviations 1 and 2
        from_function(fn, step=[0.25, 0.5]).derivatives(X, 1)
        assert set(fn.points[:, 0]) >= {-0.25, 0.25, 1.75, 2.25}
        assert set(fn.points[:, 1]) >= {-1.0, 1.0, 3.0, 5.0}
        from_function(fn, step=0.5, scale=[1.0, 8.0]).derivatives(np.zeros((2, 2)), 1)
        assert set(fn.points[:, 1]) >= {-4.0, 4.0}

    @pytest.mark.parametrize("what", ["step", "scale"])
    def test_wrong_steps(self, what):
        for value in (0.0, -1.0, np.nan, np.inf, "large", [], [[1.0]], [1.0, -1.0], [1.0, 1.0]):
            with pytest.raises(InputError) as error:
                from_function(cubic, **{what: value}).derivatives(rows(), 1)
            assert error.value.argument == what

    def test_prepared_fixes_the_scale_of_all_rows(self):
        X = rows(10)
        model = from_function(cubic, step=0.5)
        whole, part = model.prepared(X).derivatives(X, 2), model.prepared(X).derivatives(X[:3], 2)
        np.testing.assert_array_equal(part.first, whole.first[:3])
        np.testing.assert_array_equal(part.second, whole.second[:3])
        alone = model.derivatives(X[:3], 1)
        assert np.abs(alone.first - whole.first[:3]).max() > 1e-3

    @pytest.mark.parametrize("offset", [1e3, 1e9, 1e12])
    def test_columns_far_from_zero(self, offset):
        """The ends x ± h are rounded; dividing by what they are, not by 2h, keeps the slope exact."""
        X = rows(20, columns=1) + offset
        record = from_function(lambda X: Normal(3.0 * (X[:, 0] - offset), 1.0)).derivatives(X, 2)
        np.testing.assert_allclose(record.first[:, 0, 0], 3.0, rtol=1e-9)
        np.testing.assert_allclose(record.second[:, 0, 0, 0], 0.0, atol=1e-6)


def test_few_large_calls():
    fn = Recorder()
    from_function(fn).derivatives(rows(50, columns=10), 2)
    points = 2 * 10 + 2 * 10**2  # moved copies of the rows
    checks = 8 * (8 * 10 + 4 + 2) + 1 + 3 * 50  # of 8 rows: half steps, the largest second differences, noise
    assert sum(map(len, fn.calls)) <= 50 * points + checks
    assert len(fn.calls) <= 12 + -(-50 * points // (ROWS_PER_CALL - 50))


def test_a_function_may_write_to_its_argument():
    def doubled(X):
        X *= 2.0
        return Normal(X[:, 0], 1.0)

    np.testing.assert_allclose(from_function(doubled).derivatives(rows(), 1).first[:, 0, 0], 2.0, rtol=1e-9)


def single(X):
    return np.sin(X[:, 0].astype(np.float32))


SINGLE = {
    "as such": lambda X: Normal(single(X), 1.0),
    "one of two": lambda X: Normal(X[:, 0], np.exp(single(X))),
    "converted": lambda X: Normal(single(X).astype(np.float64), 1.0),
    "converted and used": lambda X: Normal(np.exp(single(X).astype(np.float64)) + X[:, 1] * 0.0, 1.0),
    "half": lambda X: Normal(X[:, 0].astype(np.float16), 1.0),
    "rounded": lambda X: Normal(np.round(X[:, 0], 7), 1.0),
    "a logit": lambda X: Bernoulli(logit=single(X).astype(np.float64)),
}


class TestSinglePrecision:
    @pytest.mark.parametrize("n", [5, 40])
    @pytest.mark.parametrize("name", SINGLE)
    def test_it_is_refused(self, name, n):
        with pytest.raises(InputError, match=r"single precision \(float32\) or rounds.*step of at least 0.019"):
            from_function(SINGLE[name]).derivatives(rows(n), 1)
        with pytest.raises(InputError, match="single precision"):
            from_function(SINGLE[name], step=1e-3).derivatives(rows(n), 2)

    def test_a_large_step_allows_it(self):
        X = rows(40)
        assert SINGLE_STEP[1] < SINGLE_STEP[2] < 0.02
        record = from_function(SINGLE["as such"], step=0.02).derivatives(X, 2)
        np.testing.assert_allclose(record.first[:, 0, 0], np.cos(X[:, 0]), rtol=0, atol=2e-4)
        np.testing.assert_allclose(record.second[:, 0, 0, 0], -np.sin(X[:, 0]), rtol=0, atol=2e-3)

    @pytest.mark.parametrize(
        "function",
        [
            lambda X: Normal(X[:, 0] - X[:, 1], 1.0),  # does not change where both columns move alike
            lambda X: Normal(2.0 * X[:, 0], 1.0),  # short numbers at whole x
            lambda X: Bernoulli(1.0 / (1.0 + np.exp(-25.0 - X[:, 0]))),  # few digits are left next to 1
            lambda X: Normal(1e7 + X[:, 0], 1.0),  # and next to a large number
            lambda X: Normal(np.maximum(X[:, 0], 0.0), 1.0),  # flat in half of the rows
        ],
    )
    def test_double_precision_is_not_mistaken_for_it(self, function):
        for X in (rows(40), np.round(rows(40))):
            from_function(function).derivatives(X, 1)


class TestJumps:
    """Piecewise-constant models: the default step falls between their jumps."""

    def test_the_default_step_warns_and_a_large_one_gives_average_slopes(self):
        X = rows(200, columns=2)
        model = DecisionTreeRegressor(max_leaf_nodes=40).fit(X, 2.0 * X[:, 0])

        def predict(X):
            return Normal(model.predict(X), 1.0)

        with pytest.warns(RsensWarning, match="does not change in 'x0', 'x1' over the step.*step=0.3"):
            from_function(predict).derivatives(X, 1)
        slope = from_function(predict, step=0.3).derivatives(X, 1).first[:, 0].mean(axis=0)
        np.testing.assert_allclose(slope, [2.0, 0.0], atol=0.3)

    def test_a_constant_model_warns_and_gives_zero(self):
        with pytest.warns(RsensWarning, match="does not change in"):
            record = from_function(lambda X: Poisson(np.ones(len(X)))).derivatives(rows(), 2)
        assert not record.first.any()
        assert not record.second.any()
