"""Profiles near the rows: accumulated local effects, their bands, and R-sens of the rows themselves."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy import stats
from scipy.special import expit

from rsens._errors import InputError
from rsens._explain import explain
from rsens.derivatives import Derivatives, from_function
from rsens.distributions import Bernoulli, MultivariateNormal, Normal, Poisson, StudentT
from rsens.measures import rsens
from rsens.models import BayesianLinearRegression, GPClassifier, GPRegressor
from rsens.plots import profile, profile_values
from tests.plots.pictured import THREE_SD, LinearModel


def collinear(n: int, correlation: float, seed: int = 0) -> np.ndarray:
    """Two standard normal columns with this correlation, and a third on its own."""
    x = np.random.default_rng(seed).standard_normal((n, 3))
    x[:, 1] = correlation * x[:, 0] + np.sqrt(1.0 - correlation**2) * x[:, 1]
    return x


def normal(mean, variance=0.3):
    """A model with this mean, known exactly."""
    return from_function(lambda X: Normal(mean(X), variance + 0.0 * X[:, 0]))


def effect_of(found) -> tuple[np.ndarray, np.ndarray]:
    return found.values, found.prediction[:, 0]


def lines(ax) -> dict[str, np.ndarray]:
    return {line.get_label(): np.array(line.get_data()) for line in ax.lines if not line.get_label().startswith("_")}


@pytest.mark.parametrize("n", [12, 150])
def test_of_a_sum_it_is_the_component_whatever_the_correlation(n):
    """Steep, few rows, correlation 0.97: exact all the same, as differences telescope."""
    X = collinear(n, 0.97)
    model = normal(lambda X: np.tanh(8.0 * X[:, 0]) + X[:, 1] ** 3 + X[:, 2])
    for d, component in enumerate((lambda x: np.tanh(8.0 * x), lambda x: x**3, lambda x: x)):
        found = profile_values(model, X, d)
        x, effect = effect_of(found)
        expected = component(x)
        np.testing.assert_allclose(effect - effect[0], expected - expected[0], atol=1e-12)
        assert np.isin(x, X[:, d]).all()  # nowhere but where rows are
        assert (x[0], x[-1]) == (X[:, d].min(), X[:, d].max())


def test_its_mean_over_the_rows_is_the_mean_prediction():
    X = collinear(40, 0.9)  # so few that all of them are knots
    x, effect = effect_of(profile_values(normal(lambda X: np.sin(X[:, 0]) * X[:, 1]), X, 0))
    assert np.mean(np.interp(X[:, 0], x, effect)) == pytest.approx(np.mean(np.sin(X[:, 0]) * X[:, 1]), abs=1e-12)


def test_against_the_bins_of_apley_and_zhu():
    """Their estimate, written out with bins of its own: both converge to ∫ E[∂f/∂x₀ | x₀] dx₀ = ∫ 2r·x₀ dx₀ = r·x₀²."""
    r = 0.8
    X = collinear(6000, r)
    x, effect = effect_of(profile_values(normal(lambda X: 2.0 * X[:, 0] * X[:, 1]), X, 0))
    edges = np.quantile(X[:, 0], np.linspace(0.0, 1.0, 41))
    k = np.clip(np.searchsorted(edges, X[:, 0]), 1, 40)
    steps = 2.0 * (edges[k] - edges[k - 1]) * X[:, 1]
    binned = np.concatenate([[0.0], np.cumsum([steps[k == j].mean() for j in range(1, 41)])])
    inner = np.abs(x) < 2.0
    ours = effect[inner] - np.interp(0.0, x, effect)
    theirs = np.interp(x[inner], edges, binned) - np.interp(0.0, edges, binned)
    np.testing.assert_allclose(ours, theirs, atol=0.35)
    np.testing.assert_allclose(ours, r * x[inner] ** 2, atol=0.35)  # of 3.2


def test_no_row_is_moved_far():
    """Every question is a row with another value of the column, at most a step and 5 % of the range away."""
    X = np.linspace(0.0, 1.0, 200)[:, None] + 0.02 * np.random.default_rng(0).standard_normal((200, 2))
    asked = []

    def mean(Z):
        asked.append(Z.copy())
        return Z[:, 0]

    found = profile_values(normal(mean), X, 0)
    questions = np.concatenate(asked)
    questions = questions[np.isin(questions[:, 0], found.values) & np.isin(questions[:, 1], X[:, 1])]
    assert len(questions) > 500
    own = X[np.argsort(X[:, 1])[np.searchsorted(np.sort(X[:, 1]), questions[:, 1])], 0]
    furthest = np.diff(found.values).max() + 0.05 * np.ptp(X[:, 0])
    assert np.abs(questions[:, 0] - own).max() <= furthest + 1e-12
    assert furthest < 0.1 * np.ptp(X[:, 0])


@pytest.mark.parametrize("family", ["Normal", "Poisson", "Bernoulli"])
def test_nothing_is_drawn_in_a_gap_or_beyond_the_ends(family):
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(0.0, 1.0, 60), rng.uniform(2.0, 3.0, 60)])
    families = {
        "Normal": lambda X: Normal(np.sin(X[:, 0]), 0.2 + 0.0 * X[:, 0]),
        "Poisson": lambda X: Poisson(np.exp(X[:, 0])),
        "Bernoulli": lambda X: Bernoulli(expit(X[:, 0])),
    }
    for ax in profile(from_function(families[family]), np.column_stack([x, rng.standard_normal(120)]), 0):
        drawn_lines = [line.get_xydata() for line in ax.lines if line.get_marker() == "None"]
        bands = [path.vertices for collection in ax.collections for path in collection.get_paths()]
        assert drawn_lines
        assert all(np.nanmin(points[:, 0]) >= x.min() for points in [*drawn_lines, *bands])
        for points in drawn_lines:  # NaN is a gap
            assert not ((points[:-1, 0] < 1.5) & (points[1:, 0] > 1.5)).any()
        for points in bands:
            assert points[:, 0].max() < 1.1 or points[:, 0].min() > 1.9


def test_the_effect_goes_on_after_a_gap():
    """Between two clusters the difference is asked of the rows on both sides, so the levels are right."""
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.uniform(0.0, 1.0, 60), rng.uniform(2.0, 3.0, 60)])
    found = profile_values(normal(lambda X: 3.0 * X[:, 0]), np.column_stack([x, rng.standard_normal(120)]), 0)
    at, effect = effect_of(found)
    np.testing.assert_allclose(effect - 3.0 * at, effect[0] - 3.0 * at[0], atol=1e-12)
    assert found.gaps.sum() == 1
    assert np.ptp(at[[int(found.gaps.argmax()), int(found.gaps.argmax()) + 1]]) > 0.9


@pytest.fixture
def towns() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    town = rng.choice(["Aalto", "Bergen", "Cork", "Delft"], 300, p=[0.5, 0.3, 0.15, 0.05])
    warmth = pd.Series(town).map({"Aalto": 3.0, "Bergen": 0.0, "Cork": 1.0, "Delft": 2.0}) + 0.3 * rng.normal(size=300)
    return pd.DataFrame({"warmth": warmth, "town": pd.Categorical(town)})


def test_levels_of_a_sum_are_exact(towns):
    height = np.array([0.0, 5.0, -1.0, 2.0])
    model = normal(lambda Z: height[Z[:, 1].astype(int)] + Z[:, 0])
    found = profile_values(model, towns, "town")
    assert found.labels == ("Aalto", "Bergen", "Cork", "Delft")
    effect = found.prediction[:, 0]
    np.testing.assert_allclose(effect - effect[0], height, atol=1e-12)
    shares = towns["town"].value_counts(normalize=True).sort_index().to_numpy()
    codes = towns["town"].cat.codes.to_numpy()
    assert shares @ effect == pytest.approx(np.mean(height[codes] + towns["warmth"].to_numpy()))


def test_levels_are_compared_with_those_whose_rows_are_alike(towns):
    """Bergen, Cork, Delft, Aalto by warmth: no row of Bergen is asked about Aalto, the other end."""
    asked = []

    def mean(Z):
        asked.append(Z.copy())
        return Z[:, 0] * (1.0 + Z[:, 1])

    from rsens._accumulated import accumulated_effect, path_along
    from rsens.adapters import read_for
    from rsens.derivatives import prepare
    from rsens.plots._predictions import predict_with

    model = normal(mean)
    source, table = read_for(model, towns)
    weights = np.full(300, 1.0 / 300.0)
    path = path_along(table, 1, weights, 61)
    assert path.knots.tolist() in ([1.0, 2.0, 3.0, 0.0], [0.0, 3.0, 2.0, 1.0])
    prepared = prepare(source, table)
    here = prepared.predict_point(towns)
    asked.clear()
    accumulated_effect(predict_with(prepared, table, median=False), table, 1, path, weights, here)
    questions = np.concatenate(asked)
    cold, warm = questions[questions[:, 0] < -0.2], questions[questions[:, 0] > 3.2]
    assert set(cold[:, 1]) <= {1.0, 2.0}
    assert set(warm[:, 1]) <= {0.0, 3.0}


def test_two_values_are_levels_too():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"flag": rng.integers(0, 2, 60).astype(float), "x": rng.standard_normal(60)})
    result = explain(normal(lambda Z: 2.0 * Z[:, 0] + Z[:, 1]), X, intervals=False)
    assert result._two_valued == ("flag",)
    upper, lower = result.plot_profile("flag", y=rng.standard_normal(60))
    assert [label.get_text() for label in lower.get_xticklabels()] == ["0", "1"]
    effect = next(line for line in upper.lines if line.get_label() == "effect").get_ydata()
    assert np.diff(effect) == pytest.approx(2.0)
    shown = next(line for line in lower.lines if line.get_label() == "R-sens").get_ydata()
    local = result.local_main["flag"].to_numpy()
    np.testing.assert_allclose(shown, [local[X["flag"] == k].mean() for k in (0.0, 1.0)], rtol=1e-9)


def test_below_are_averages_of_the_rows():
    X = collinear(150, 0.9)
    model = from_function(lambda X: Normal(np.sin(X[:, 0]) * X[:, 1], 0.2 + 0.1 * X[:, 0] ** 2))
    found = profile_values(model, X, 0, scale="raw")
    local = rsens(model, X)[:, 0]
    assert (found.rsens >= local.min()).all()
    assert (found.rsens <= local.max()).all()
    np.testing.assert_allclose(sum(found.parts.values()), found.rsens, rtol=1e-12)
    # In the middle of the data, near means within a few ranks: about the mean of the 12 rows around each knot.
    ranks = np.argsort(np.argsort(X[:, 0]))
    for knot, value in zip(found.values, found.rsens, strict=True):
        if abs(knot) < 0.8:
            rank = ranks[X[:, 0] == knot][0]
            around = local[np.abs(ranks - rank) <= 18]
            assert around.min() <= value <= around.max()


def test_of_few_values_they_are_the_means_at_each():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, 5, 400).astype(float) * 10.0, rng.standard_normal(400)])
    model = normal(lambda X: X[:, 0] * X[:, 1])
    found = profile_values(model, X, 0, scale="raw")
    local = rsens(model, X)[:, 0]
    np.testing.assert_allclose(found.rsens, [local[X[:, 0] == k].mean() for k in range(0, 50, 10)], rtol=1e-9)


def test_with_constant_uncertainty_the_naive_line_is_r_sens():
    numbers = profile_values(normal(lambda X: np.sin(X[:, 0]) + X[:, 1]), collinear(80, 0.5), 0)
    np.testing.assert_allclose(numbers.naive, numbers.rsens, rtol=1e-7)


def test_the_blue_band_holds_the_observations_near_here():
    """y = x₁ with x₁ near x₀: the effect of x₀ is flat, the observations rise, and 50 and 90 % are in the bands."""
    X = collinear(500, 0.95)
    rng = np.random.default_rng(5)
    model = normal(lambda X: 2.0 * X[:, 1], 0.25)
    found = profile_values(model, X, 0)
    x, effect = effect_of(found)
    np.testing.assert_allclose(effect, effect[0], atol=1e-12)
    known = np.isfinite(found.bands[:, 0, 0, 0])
    y = 2.0 * X[:, 1] + 0.5 * rng.standard_normal(500)
    for k, share in enumerate((0.5, 0.9)):
        low, high = (np.interp(X[:, 0], x[known], found.bands[known, k, side, 0]) for side in (0, 1))
        inside = np.mean((y > low) & (y < high))
        assert inside == pytest.approx(share, abs=0.06)  # 500 rows: ± 0.045 is two standard errors of 0.5
    middle = found.bands[known, 0, :, 0].mean(axis=1)
    assert middle[-1] - middle[0] > 6.0


def test_rows_that_are_the_same_give_their_own_quantiles():
    X = np.column_stack([np.repeat([0.0, 1.0, 2.0, 3.0], 5), np.zeros(20)])
    found = profile_values(from_function(lambda X: Normal(X[:, 0], 1.0 + 0.0 * X[:, 0])), X, 0, levels=(0.5, 0.9))
    assert found.values.tolist() == [0.0, 1.0, 2.0, 3.0]
    for k, share in enumerate((0.5, 0.9)):
        half = stats.norm.ppf(0.5 + 0.5 * share)
        # nodes are 0.045 standard deviations apart, and each of five rows has the same
        np.testing.assert_allclose(np.diff(found.bands[:, k, :, 0])[:, 0], 2.0 * half, atol=0.045)


def test_the_band_of_a_function_is_over_rows():
    """Its width is what other rows would change: of 40 samples, the effect over its sd has a spread of 1."""
    model = normal(lambda X: X[:, 0] * X[:, 1])  # independent columns: the true effect is 0
    at, scores = np.array([-1.5, -0.7, 0.7, 1.5]), []
    for seed in range(40):
        X = np.random.default_rng(seed).standard_normal((150, 2))
        found = profile_values(model, X, 0)
        assert not found.from_fit
        x, effect = effect_of(found)
        sd = (found.curve[:, 1, 0] - effect) / stats.norm.ppf(0.95)
        scores.append(np.interp(at, x, (effect - np.mean(X[:, 0] * X[:, 1])) / sd))
    assert np.std(scores) == pytest.approx(1.0, abs=0.25)  # 40 samples whose four points hang together
    upper, _ = profile(model, X, 0)
    assert "its 90 % band over rows" in [text.get_text() for text in upper.get_legend().get_texts()]


def test_a_linear_model_knows_its_band():
    """The effect is β(x − x̄), so its sd is |x − x̄| times the sd of β; other rows would change nothing else but x̄."""
    X = collinear(100, 0.95)
    y = X[:, 0] + 0.5 * np.random.default_rng(8).standard_normal(100)
    model = BayesianLinearRegression().fit(X, y)
    found = profile_values(model, X, 1)
    x, effect = effect_of(found)
    centre = X[:, 1].mean()
    np.testing.assert_allclose(effect, model.predict(X).mean() + model.coef_[1] * (x - centre), atol=1e-9)
    nu = model.degrees_of_freedom_
    fit = model.coef_scale2_[1, 1] * nu / (nu - 2.0) * (x - centre) ** 2
    rows = model.coef_[1] ** 2 * X[:, 1].var() / 100.0
    half = found.curve[:, 1, 0] - effect
    np.testing.assert_allclose((half / stats.norm.ppf(0.95)) ** 2, fit + rows, rtol=1e-6)
    assert found.from_fit


def test_with_collinear_columns_the_true_effects_are_in_the_bands():
    """y = sin 2x₀ + noise, x₁ ≈ x₀ (correlation 0.96) without an effect."""
    X = collinear(150, 0.96, seed=4)
    y = np.sin(2.0 * X[:, 0]) + 0.3 * np.random.default_rng(4).standard_normal(150)
    model = GPRegressor(n_restarts=0, random_state=0).fit(X, y)
    mean = model.predict(X).mean()
    found, flat = (profile_values(model, X, d) for d in (0, 1))
    true = np.sin(2.0 * found.values) - np.sin(2.0 * X[:, 0]).mean() + mean
    low, high = found.curve[:, :, 0].T
    assert np.mean((low < true) & (true < high)) > 0.85
    assert found.from_fit
    assert np.ptp(found.prediction) > 1.2  # of 2
    low, high = flat.curve[:, :, 0].T
    assert np.mean((low < mean) & (mean < high)) > 0.9
    assert np.ptp(flat.prediction) < 0.4


def test_without_a_mean_the_effect_is_on_the_median():
    X = collinear(60, 0.5)
    cauchy = from_function(lambda X: StudentT(np.sin(X[:, 0]), 1.0 + X[:, 1] ** 2, 1.0))
    x, effect = effect_of(profile_values(cauchy, X, 0))
    np.testing.assert_allclose(effect - effect[0], np.sin(x) - np.sin(x[0]), atol=1e-9)
    upper, _ = profile(cauchy, X, 0)
    assert "effect on the median" in lines(upper)


@pytest.mark.parametrize("classes", [2, 3])
def test_classifiers_know_their_bands(classes):
    X = collinear(70, 0.9)
    y = np.digitize(X[:, 0] + 0.3 * X[:, 2], [0.0] if classes == 2 else [-0.6, 0.6])
    found = profile_values(GPClassifier(optimize=False).fit(X, y), X, 0)
    assert found.from_fit
    assert found.curve.shape == (len(found.values), 2, 1 if classes == 2 else 3)
    assert np.isfinite(found.curve).all()
    assert (np.diff(found.curve, axis=1) > 0.0).mean() > 0.95


def test_weights_count_rows():
    """A weight of 2 is the row twice, and a weight of 0 is the row left out."""
    X = collinear(40, 0.8)
    counts = np.random.default_rng(0).integers(0, 3, 40)
    model = normal(lambda X: X[:, 0] * X[:, 1])
    kept = counts > 0
    weighted = profile_values(model, X, 0, weights=counts, scale="raw")
    alone = profile_values(model, X[kept], 0, weights=counts[kept], scale="raw")
    np.testing.assert_allclose(weighted.prediction, alone.prediction, rtol=1e-12)
    np.testing.assert_array_equal(weighted.values, np.unique(X[kept, 0]))
    repeated = np.repeat(X, counts, axis=0)
    mean = np.mean(np.interp(repeated[:, 0], *effect_of(weighted)))
    assert mean == pytest.approx(np.mean(repeated[:, 0] * repeated[:, 1]), abs=1e-12)


def test_a_weighted_explanation_uses_its_weights():
    X = collinear(60, 0.8)
    weights = np.where(X[:, 0] < 0.5, 1.0, 0.0)
    model = normal(lambda X: X[:, 0] * X[:, 1])
    result = explain(model, X, weights=weights, intervals=False)
    upper, _ = result.plot_profile("x0")
    assert np.nanmax(lines(upper)["effect"][0]) < 0.5
    np.testing.assert_array_equal(result.weights, weights)
    assert explain(model, X, intervals=False).weights is None


def test_order_of_rows_makes_no_difference():
    X = np.round(collinear(120, 0.9), 1)  # with ties
    model = normal(lambda X: X[:, 0] * X[:, 1])
    shuffled = X[np.random.default_rng(0).permutation(120)]
    one, other = (profile_values(model, rows, 0) for rows in (X, shuffled))
    np.testing.assert_allclose(one.prediction, other.prediction, atol=1e-9)
    np.testing.assert_allclose(one.curve, other.curve, atol=1e-9)
    np.testing.assert_allclose(one.rsens, other.rsens, rtol=1e-6)


def test_huge_and_tiny_values():
    X = collinear(60, 0.9)
    for size in (1e-150, 1e150):
        found = profile_values(normal(lambda X, size=size: X[:, 0] / size), X * size, 0)
        x, effect = effect_of(found)
        np.testing.assert_allclose(np.diff(effect), np.diff(x) / size, rtol=1e-6, atol=1e-12)


@pytest.fixture
def X() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(2).standard_normal((40, 3)), columns=["a", "b", "c"])


@pytest.fixture
def model():
    return from_function(lambda X: Normal(np.sin(X[:, 0]) + X[:, 0] * X[:, 1], 0.2 + 0.1 * X[:, 0] ** 2))


def test_a_slice_has_the_numbers_of_the_model(model, X):
    found = profile_values(model, X, "a", at="median", levels=THREE_SD)
    x, b = found.values, np.sort(X["b"])[19]
    np.testing.assert_allclose(x, np.linspace(X["a"].min(), X["a"].max(), 101))
    rows = pd.DataFrame({"a": x, "b": b, "c": np.sort(X["c"])[19]})
    unit, sd = X["a"].std(ddof=0), np.sqrt(0.2 + 0.1 * x**2)
    # differences with steps from other rows agree to their accuracy
    np.testing.assert_allclose(found.rsens, rsens(model, rows)[:, 0] * unit, rtol=1e-7)
    np.testing.assert_allclose(found.naive, np.abs(np.cos(x) + b) * unit / np.median(sd), rtol=1e-7)
    np.testing.assert_allclose(found.prediction[:, 0], np.sin(x) + x * b, rtol=1e-12)
    for k in range(3):
        ends = found.prediction + np.outer(sd, [-k - 1.0, k + 1.0])
        np.testing.assert_allclose(found.bands[:, k, :, 0], ends, rtol=1e-8)
    assert found.others == " (others at the median)"
    _, lower = profile(model, X, "a", at="median", scale=5.0)
    assert (lower.get_xlabel(), lower.get_ylabel()) == ("a (others at the median)", "R-sens per 5")
    np.testing.assert_allclose(lines(lower)["R-sens"][1], 5.0 / unit * found.rsens, rtol=1e-9)


def test_the_paper_linear_model_gives_its_equation_5():
    linear = LinearModel.simulated()
    values = np.linspace(-3.0, 3.0, 31)
    for d in (0, 1):
        rows = np.zeros((31, 2))
        rows[:, d] = values
        first, second = linear.summands(rows, d)
        whole = np.sqrt(first + second)
        at = {"x0": 0.0, "x1": 0.0}
        found = profile_values(linear.model(), linear.X, d, at=at, grid=values, scale="raw")
        # central differences are right to about 1e-10 of the values; the parts of x₂ are small differences of them
        np.testing.assert_allclose(found.rsens, whole, rtol=1e-7)
        np.testing.assert_allclose(found.parts["location"], first / whole, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(found.parts["scale2"], second / whole, rtol=1e-6, atol=1e-9)


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
    found = profile_values(linear, X, "a", at=at)
    np.testing.assert_allclose(found.prediction, b, rtol=1e-12)
    assert found.others == f" (others {label})"


def test_vectors_have_a_line_and_a_band_per_output(X):
    def predict(X: np.ndarray) -> MultivariateNormal:
        covariance = np.zeros((len(X), 2, 2))
        covariance[:, 0, 0], covariance[:, 1, 1] = 0.25, 1.0 + X[:, 0] ** 2
        return MultivariateNormal(np.column_stack([X[:, 0], np.cos(X[:, 0])]), covariance)

    found = profile_values(from_function(predict), X, "a", at="median", levels=THREE_SD)
    np.testing.assert_allclose(found.prediction[:, 1], np.cos(found.values), rtol=1e-12)
    np.testing.assert_allclose(found.bands[:, 0, 1, 0], found.values + 0.5, rtol=1e-9)
    assert {"prediction (mean)", "uncertainty (covariance)"} <= set(lines(profile(from_function(predict), X, "a")[1]))


def test_a_derivative_too_large_for_float64_is_an_error(X):
    class Steep:
        def derivatives(self, X: pd.DataFrame, order: int) -> Derivatives:
            family = Normal(np.zeros(len(X)), np.full(len(X), 1e-100)).checked()
            return Derivatives(family, np.full((len(X), 2, 3), 1e300), None)

    with pytest.raises(InputError, match=r"R-sens is .* at row 0, column 'a'"):
        profile(Steep(), X, "a")
    assert plt.get_fignums() == []


CONSTANT = {"X": pd.DataFrame({"a": 2.0, "b": np.arange(40.0), "c": 0.0})}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variable": "z"}, "variable names the column 'z'"),
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
        (CONSTANT, r"'a' is 2 in all rows of X, so it has no range\. Give the points"),
        (CONSTANT | {"grid": [0.0, 1.0]}, r"'a' does not vary in X.*Give scale='raw'"),
        ({"at": None, "grid": 1}, "grid must be a whole number of at least 2"),
        ({"at": None, "weights": [1.0]}, "weights: expected one number for each of the 40 rows"),
        ({"at": None, "weights": -np.ones(40)}, "weights must be finite, at least 0"),
        ({"at": None, "weights": np.eye(40)[0]}, "the same in all rows that count"),
        (CONSTANT | {"at": None}, "'a' is the same in all rows that count"),
    ],
)
def test_wrong_arguments_are_errors_and_leave_no_figure(model, X, options, message):
    with pytest.raises(InputError, match=message):
        profile(**{"model": model, "X": X, "variable": "a", "at": "median"} | options)
    assert plt.get_fignums() == []
