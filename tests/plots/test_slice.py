"""Profiles with the other variables fixed, as in Figures 1 and 2 of the paper, and what all profiles share."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy import stats

from rsens._errors import InputError
from rsens.derivatives import Derivatives, from_function
from rsens.distributions import (
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
)
from rsens.measures import local_values, rsens
from rsens.plots import profile as any_profile
from rsens.plots import profile_values as any_profile_values
from tests.plots.looks import drawn
from tests.plots.pictured import THREE_SD, LinearModel

profile = partial(any_profile, at="median", levels=THREE_SD)
profile_values = partial(any_profile_values, at="median", levels=THREE_SD)


@pytest.fixture
def X() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(2).standard_normal((40, 3)), columns=["a", "b", "c"])


@pytest.fixture
def model():
    return from_function(lambda X: Normal(np.sin(X[:, 0]) + X[:, 0] * X[:, 1], 0.2 + 0.1 * X[:, 0] ** 2))


def lines(ax) -> dict[str, np.ndarray]:
    """The labelled lines, (2, points) each."""
    return {line.get_label(): np.array(line.get_data()) for line in ax.lines if not line.get_label().startswith("_")}


def band(ax, label: str) -> dict[float, tuple[float, float]]:
    """Lowest and highest point of a band at each value of the variable."""
    (found,) = [c for c in ax.collections if c.get_label() == label]
    points = found.get_paths()[0].vertices
    return {
        x: (points[points[:, 0] == x, 1].min(), points[points[:, 0] == x, 1].max()) for x in np.unique(points[:, 0])
    }


def rows_at(X: pd.DataFrame, name: str, values: np.ndarray) -> pd.DataFrame:
    """Rows with the middle value that occurs in all columns but one."""
    rows = pd.DataFrame({c: np.full(len(values), np.sort(X[c])[(len(X) - 1) // 2]) for c in X.columns})
    rows[name] = values
    return rows


def test_the_lower_axes_show_r_sens(model, X):
    upper, lower = profile(model, X, "a")
    x, y = lines(lower)["R-sens"]
    np.testing.assert_allclose(x, np.linspace(X["a"].min(), X["a"].max(), 101))
    # differences with steps from other rows agree to their accuracy
    np.testing.assert_allclose(y, rsens(model, rows_at(X, "a", x))[:, 0] * X["a"].std(ddof=0), rtol=1e-7)
    assert lower.get_xlabel() == "a (others at the median)"
    assert lower.get_ylabel() == "R-sens per sd"
    assert lower.get_ylim()[0] == 0.0
    assert upper.get_xlim() == lower.get_xlim() == (x[0], x[-1])


def test_the_paper_linear_model_gives_its_equation_5():
    linear = LinearModel.simulated()
    values = np.linspace(-3.0, 3.0, 31)
    for d in (0, 1):
        rows = np.zeros((31, 2))
        rows[:, d] = values
        first, second = linear.summands(rows, d)
        whole = np.sqrt(first + second)
        _, lower = profile(linear.model(), linear.X, d, at={"x0": 0.0, "x1": 0.0}, grid=values, scale="raw")
        found = lines(lower)
        # central differences are right to about 1e-10 of the values; the parts of x₂ are small differences of them
        np.testing.assert_allclose(found["R-sens"][1], whole, rtol=1e-7)
        np.testing.assert_allclose(found["prediction (location)"][1], first / whole, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(found["uncertainty (scale2)"][1], second / whole, rtol=1e-6, atol=1e-9)


def test_the_naive_line_is_the_derivative_over_a_typical_deviation(model, X):
    x, y = lines(profile(model, X, "a", scale="raw")[1])["|derivative| / typical sd"]
    rows = rows_at(X, "a", x)
    sd = np.median(np.sqrt(0.2 + 0.1 * x**2))
    np.testing.assert_allclose(y, local_values("ead", model, rows)[:, 0] / sd, rtol=1e-7)


def test_the_upper_axes_show_the_mean_and_its_bands(model, X):
    upper, _ = profile(model, X, "a")
    x, mean = lines(upper)["mean"]
    b = np.sort(X["b"])[19]
    np.testing.assert_allclose(mean, np.sin(x) + x * b, rtol=1e-12)
    sd = np.sqrt(0.2 + 0.1 * x**2)
    for k, label in ((1, "68 %"), (2, "95 %"), (3, "99.7 %")):
        found = band(upper, label)
        expected = {v: (m - k * s, m + k * s) for v, m, s in zip(x, mean, sd, strict=True)}
        assert list(found) == list(expected)
        np.testing.assert_allclose(list(found.values()), list(expected.values()), rtol=1e-8)


def test_targets_are_points_and_name_the_axis(model, X):
    y = pd.Series(np.linspace(-30.0, 30.0, 40), name="$price_")
    upper, _ = drawn(profile(model, X, "a", y=y)[0]), None
    (points,) = [line for line in upper.lines if line.get_marker() == "o"]
    np.testing.assert_array_equal(points.get_xydata(), np.column_stack([X["a"], y]))
    assert upper.get_ylabel() == "$price_"
    assert not upper.yaxis.label.get_parse_math()
    low, high = upper.get_ylim()
    assert low < -30.0
    assert high > 30.0


@pytest.mark.parametrize(
    ("at", "b", "label"),
    [
        ("median", 0.2, "at the median"),
        (3, 9.0, "as in row 3"),
        ({"b": 1.5}, 1.5, "as given"),
        (pd.Series({"b": 1.5, "c": 0.0}), 1.5, "as given"),
    ],
)
def test_where_the_others_stay(at, b, label):
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0], "b": [-1.4, 0.2, 0.2, 9.0], "c": [1.0, 2.0, 3.0, 4.0]})
    linear = from_function(lambda X: Normal(X[:, 1], 1.0 + X[:, 0] ** 2))
    upper, lower = profile(linear, X, "a", at=at)
    np.testing.assert_allclose(lines(upper)["mean"][1], b, rtol=1e-12)
    assert lower.get_xlabel() == f"a (others {label})"


def test_the_scale_multiplies(model, X):
    raw = lines(profile(model, X, "a", scale="raw")[1])
    _, lower = profile(model, X, "a", scale=5.0)
    for label, (_, y) in lines(lower).items():
        np.testing.assert_allclose(y, 5.0 * raw[label][1], rtol=1e-9)
    assert lower.get_ylabel() == "R-sens per 5"
    assert profile(model, X, "a", scale="raw")[1].get_ylabel() == "R-sens per unit"


# ---- families -----------------------------------------------------------------------------------------------------


def test_counts_have_quantile_bands_in_steps(X):
    upper, _ = profile(from_function(lambda X: Poisson(np.exp(X[:, 0] + 0.5))), X, "a")
    x, mean = lines(upper)["mean"]
    np.testing.assert_allclose(mean, np.exp(x + 0.5), rtol=1e-12)
    points = next(c for c in upper.collections if c.get_label() == "95 %").get_paths()[0].vertices
    assert set(points[:, 1]) <= set(range(100))
    highest = stats.poisson.ppf(0.9772498680518208, mean[-1])
    assert points[points[:, 0] == x[-1], 1].max() == highest


def test_student_t_without_moments_has_a_median(X):
    cauchy = from_function(lambda X: StudentT(X[:, 0], 1.0 + X[:, 0] ** 2, 1.0))
    upper, lower = profile(cauchy, X, "a")
    drawn(upper)
    x, median = lines(upper)["median"]
    np.testing.assert_allclose(median, x, rtol=1e-12, atol=1e-12)
    scale = np.sqrt(1.0 + x**2)
    low, high = np.array(list(band(upper, "95 %").values())).T
    np.testing.assert_allclose((high - low) / scale, 2.0 * stats.cauchy.ppf(0.9772498680518208), rtol=1e-9)
    # One deviation of a normal is where the 84.13 % quantile is; without a deviation that quantile stands for it.
    typical = np.median(scale) * stats.cauchy.ppf(0.8413447460685429)
    np.testing.assert_allclose(lines(lower)["|derivative| / typical sd"][1], X["a"].std(ddof=0) / typical, rtol=1e-6)
    assert np.ptp(upper.get_ylim()) < (high - low).max() * 4.0  # the widest band would need nineteen times as much


def test_vectors_have_a_line_and_a_band_per_output(X):
    def predict(X: np.ndarray) -> MultivariateNormal:
        covariance = np.zeros((len(X), 2, 2))
        covariance[:, 0, 0], covariance[:, 1, 1] = 0.25, 1.0 + X[:, 0] ** 2
        return MultivariateNormal(np.column_stack([X[:, 0], np.cos(X[:, 0])]), covariance)

    upper, lower = profile(from_function(predict), X, "a")
    found = lines(upper)
    np.testing.assert_allclose(found["y1"][1], np.cos(found["y1"][0]), rtol=1e-12)
    first, _ = upper.collections
    points = first.get_paths()[0].vertices
    assert points[:, 1].max() == pytest.approx(X["a"].max() + 0.5)
    assert {"prediction (mean)", "uncertainty (covariance)"} <= set(lines(lower))


def test_a_derivative_too_large_for_float64_is_an_error(X):
    class Steep:
        def derivatives(self, X: pd.DataFrame, order: int) -> Derivatives:
            family = Normal(np.zeros(len(X)), np.full(len(X), 1e-100)).checked()
            return Derivatives(family, np.full((len(X), 2, 3), 1e300), None)

    with pytest.raises(InputError, match=r"R-sens is .* at row 0, column 'a'"):
        profile(Steep(), X, "a")
    assert plt.get_fignums() == []


# ---- looks and manners --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variable": "z"}, "variable must be a column of X, by name or position; got 'z'. X has a, b and c"),
        ({"variable": -1}, "got -1"),
        ({"at": "mode"}, "at must be 'median', the"),
        ({"at": 40}, "at must be a row of X, from 0 to 39; got 40"),
        ({"at": {"z": 1.0}}, "at names columns that X does not have: 'z'"),
        ({"at": {"b": "high"}}, r"at\['b'\] must be numbers"),
        ({"at": {"b": np.nan}}, r"at\['b'\] must be finite"),
        ({"grid": 1}, "grid must be a whole number of at least 2; got 1"),
        ({"grid": [1.0]}, "at least two points"),
        ({"levels": (0,)}, "levels must be"),
        ({"scale": "iqr"}, "scale must be 'sd', 'raw' or a number greater than 0; got 'iqr'"),
        ({"y": [1.0]}, r"y must have shape \(40,\)"),
        ({"ax": "here"}, "ax must be two Axes, upper and lower; got str"),
    ],
)
def test_wrong_arguments_are_errors_and_leave_no_figure(model, X, options, message):
    with pytest.raises(InputError, match=message):
        profile(model, X, options.pop("variable", "a"), **options)
    assert plt.get_fignums() == []


def test_a_constant_column_has_no_range(model, X):
    constant = X.assign(a=2.0)
    with pytest.raises(InputError, match=r"'a' is 2 in all rows of X, so it has no range\. Give the points"):
        profile(model, constant, "a")
    with pytest.raises(InputError, match=r"'a' does not vary in X.*Give scale='raw'"):
        profile(model, constant, "a", grid=[0.0, 1.0])
    assert len(lines(profile(model, constant, "a", grid=[0.0, 1.0], scale="raw")[1])["R-sens"][0]) == 2
