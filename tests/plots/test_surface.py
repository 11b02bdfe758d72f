"""Surfaces near the rows: the joint accumulated local effect of two variables, and nothing where there are no rows."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from rsens._errors import InputError
from rsens._explain import Explanation, explain
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import rsens2
from rsens.plots import pair_surface, surface
from tests.plots import explained
from tests.plots.looks import below, drawn, marks


def explanation_of(mean, X, **options):
    model = from_function(lambda Z: Normal(mean(Z), 0.3 + 0.0 * Z[:, 0]))
    return explain(model, X, intervals=False, **options)


def standard(n: int, r: float = 0.0, seed: int = 0) -> np.ndarray:
    x = np.random.default_rng(seed).standard_normal((n, 3))
    x[:, 1] = r * x[:, 0] + np.sqrt(1.0 - r**2) * x[:, 1]
    return x


def values_at(found, f) -> tuple[np.ndarray, np.ndarray]:
    """The surface and a function of the two variables where the surface is, both with mean 0."""
    inside = np.isfinite(found.prediction)
    expected = f(*np.meshgrid(found.first, found.second, indexing="ij"))[inside]
    return found.prediction[inside] - found.prediction[inside].mean(), expected - expected.mean()


@pytest.mark.parametrize("unit", [1e-150, 1e200])
def test_the_units_of_columns_change_nothing(unit):
    """Squares of such columns do not fit float64, distances in deviations do."""
    X = standard(40, r=0.5)
    options = {"pairs": False, "scale": "sd"}
    here = pair_surface(explanation_of(lambda Z: Z[:, 0] * Z[:, 1], X, **options), "x0", "x1")
    rescaled = X * [unit, 1.0, 1.0]
    there = pair_surface(explanation_of(lambda Z: Z[:, 0] / unit * Z[:, 1], rescaled, **options), "x0", "x1")
    np.testing.assert_allclose(there.first, unit * here.first)
    np.testing.assert_allclose(there.prediction, here.prediction, atol=1e-9)


@pytest.mark.parametrize("r", [0.0, 0.9, 0.998])
def test_of_a_function_of_the_two_plus_others_it_is_that_function(r):
    result = explanation_of(lambda Z: np.sin(Z[:, 0]) * Z[:, 1] + Z[:, 2] ** 3, standard(150, r))
    found = pair_surface(result, 0, 1)
    ours, expected = values_at(found, lambda a, b: np.sin(a) * b)
    np.testing.assert_allclose(ours, expected, atol=1e-10)


def test_its_mean_over_the_rows_is_the_mean_prediction():
    X = standard(60)
    found = pair_surface(explanation_of(lambda Z: 5.0 + Z[:, 0] * Z[:, 1], X), 0, 1)
    cells = [np.abs(axis[:, None] - X[:, k]).argmin(axis=0) for k, axis in enumerate((found.first, found.second))]
    # The row's own cell is nearest to it in the plane too, but for ties in the metric.
    assert np.mean(found.prediction[cells[0], cells[1]]) == pytest.approx(np.mean(5.0 + X[:, 0] * X[:, 1]), abs=0.02)


def test_a_product_of_independent_columns_is_all_interaction():
    """No main effects (see the test of profiles), and the product as what is left of the surface."""
    X = np.random.default_rng(3).uniform(-1.0, 1.0, (500, 2))
    found = pair_surface(explanation_of(lambda Z: Z[:, 0] * Z[:, 1], X), 0, 1, n_grid=12)
    inside = np.isfinite(found.interaction)
    product = np.multiply.outer(found.first, found.second)
    assert inside.all()
    centred = [axis - axis.mean() for axis in (found.first, found.second)]  # what the range of 500 rows leaves of 0
    np.testing.assert_allclose(found.interaction, np.multiply.outer(*centred), atol=1e-9)
    np.testing.assert_allclose(found.interaction, product, atol=0.02)


def test_a_sum_has_no_interaction():
    found = pair_surface(explanation_of(lambda Z: Z[:, 0] ** 3 + np.exp(Z[:, 1]), standard(200, 0.8)), 0, 1)
    inside = np.isfinite(found.interaction)
    np.testing.assert_allclose(found.interaction[inside], 0.0, atol=1e-9)


def test_another_correlated_column_does_not_leak_in():
    """y = x₂ with x₂ near x₀: over x₀ and x₁ the surface is flat, though rows with a high x₀ have a high y."""
    X = standard(200)
    X[:, 2] = X[:, 0] + 0.1 * X[:, 2]
    found = pair_surface(explanation_of(lambda Z: Z[:, 2], X), 0, 1)
    assert np.nanmax(found.prediction) - np.nanmin(found.prediction) < 1e-10


def test_cells_without_rows_are_not_drawn():
    """With correlation 0.98 the corners are empty; cells that are drawn have a row inside or within 0.35 sd."""
    r = 0.98
    X = standard(300, r)
    result = explanation_of(lambda Z: Z[:, 0], X)
    found = pair_surface(result, 0, 1)
    for values in (found.prediction, found.interaction, found.sensitivity):
        np.testing.assert_array_equal(np.isnan(values), found.far)
    assert found.far.mean() > 0.7
    z = (X[:, :2] - X[:, :2].mean(axis=0)) / X[:, :2].std(axis=0)
    rho = np.mean(z[:, 0] * z[:, 1])
    inverse = np.linalg.inv([[1.0, rho], [rho, 1.0]])
    size = [axis[1] - axis[0] for axis in (found.first, found.second)]
    for i, j in np.argwhere(~found.far):
        apart = np.array([found.first[i], found.second[j]]) - X[:, :2]
        scaled = apart / X[:, :2].std(axis=0)
        mahalanobis = np.sqrt(np.einsum("nd,de,ne->n", scaled, inverse, scaled)).min()
        assert mahalanobis <= 0.3501 or (np.abs(apart) <= 0.5001 * np.array(size)).all(axis=1).any()
    ax = drawn(surface(result, 0, 1))
    (image,) = ax.images
    np.testing.assert_array_equal(np.ma.getmaskarray(image.get_array()), found.far.T)
    low, high = X[:, :2].min(axis=0), X[:, :2].max(axis=0)
    np.testing.assert_allclose(image.get_extent(), [low[0], high[0], low[1], high[1]], rtol=1e-12)
    assert ax.get_xlim() == pytest.approx((low[0], high[0]))


def test_two_islands_have_the_right_heights():
    X = np.concatenate([standard(80) * 0.3, standard(80, seed=1) * 0.3 + [4.0, 5.0, 0.0]])
    found = pair_surface(explanation_of(lambda Z: 2.0 * Z[:, 0] + Z[:, 0] * Z[:, 1], X), 0, 1)
    ours, expected = values_at(found, lambda a, b: 2.0 * a + a * b)
    np.testing.assert_allclose(ours, expected, atol=1e-9)
    assert found.far[10:20, 10:20].all()


def test_one_line_for_each_level_only_where_it_has_rows():
    data = explained.rows()
    result = explanation_of(lambda Z: np.sin(1.3 * Z[:, 0]) * (1.0 + Z[:, 3]) + Z[:, 4], data)
    found = pair_surface(result, "age", "city")
    for code, city in enumerate(found.labels[1]):
        ages = data.loc[data["city"] == city, "age"].to_numpy()
        near = np.abs(found.first[:, None] - ages).min(axis=1)
        reach = max(0.35 * data["age"].std(ddof=0), 0.51 * (found.first[1] - found.first[0]))
        assert (near[np.isfinite(found.prediction[:, code])] <= reach + 1e-9).all()
        values = found.prediction[:, code]
        expected = (code + 1) * np.sin(1.3 * found.first)
        apart = (values - expected)[np.isfinite(values)]
        np.testing.assert_allclose(apart, apart[0], atol=1e-10)
    ax = drawn(surface(result, "age", "city"))
    assert len([line for line in ax.lines if line.get_linestyle() != "None" and len(line.get_xdata())]) == 3
    assert below(ax) == "age"


def test_a_table_is_empty_where_no_row_has_the_two():
    result = explained.levels()
    found = pair_surface(result, "city", "sold")
    assert np.isnan(found.prediction).tolist() == [[False, False], [False, False], [False, True]]
    ax = drawn(surface(result, "city", "sold"))
    assert "empty: no such row" in below(ax)
    assert len(marks(ax)) == 5
    assert not any("nan" in text.get_text() for text in marks(ax))


def test_r_sens_2_is_an_average_over_the_rows_near_by():
    X = standard(150)
    model = from_function(lambda Z: Normal(np.sin(Z[:, 0]) * Z[:, 1], 0.2 + 0.1 * Z[:, 0] ** 2))
    result = explain(model, X, intervals=False, scale="raw")
    found = pair_surface(result, 0, 1)
    local = rsens2(model, X)[:, 0, 1]
    inside = found.sensitivity[~found.far]
    assert local.min() <= inside.min()
    assert inside.max() <= local.max()
    # where R-sens₂ is the same in all rows, so is its average
    flat = pair_surface(explanation_of(lambda Z: Z[:, 0] * Z[:, 1], X), 0, 1)
    np.testing.assert_allclose(flat.sensitivity[~flat.far], flat.sensitivity[~flat.far][0], rtol=1e-5)


def test_rows_with_weight_0_do_not_count():
    X = standard(100)
    weights = (X[:, 0] < 0.0).astype(float)
    found = pair_surface(explanation_of(lambda Z: Z[:, 0], X, weights=weights), 0, 1)
    assert found.first.max() < 0.0
    assert len(found.data) == int(weights.sum())


def test_units_are_those_of_the_explanation():
    one, other = explained.numbers(scale="raw"), explained.numbers(scale={"age": 2.0, "body mass": 0.5, "c": 7.0})
    raw, found = (pair_surface(each, "age", "body mass", n_grid=5) for each in (one, other))
    np.testing.assert_allclose(found.sensitivity, 2.0 * 0.5 * raw.sensitivity, rtol=1e-12)
    assert (raw.unit, found.unit) == ("per unit × unit", "per given unit × given unit")
    assert (found.names, found.labels) == (("age", "body mass"), (None, None))
    turned = pair_surface(other, 1, 0, n_grid=5)
    np.testing.assert_allclose(turned.sensitivity.T, found.sensitivity, rtol=1e-5, atol=1e-6)  # differences


def test_the_output_that_changes_most_or_the_one_asked_for():
    result = explained.classes()
    every = [pair_surface(result, "age", "c", n_grid=5, output=k) for k in range(3)]
    total = sum(found.prediction for found in every)
    np.testing.assert_allclose(total[np.isfinite(total)], 1.0, rtol=1e-12)
    most = max(every, key=lambda found: np.ptp(found.prediction[~found.far]))
    chosen = pair_surface(result, "age", "c", n_grid=5)
    assert chosen.output == most.output
    np.testing.assert_array_equal(chosen.prediction, most.prediction)
    assert pair_surface(result, "age", "c", n_grid=5, output="class 1").output == "class 1"
    for wrong in (3, -1, "class 9", True, 1.0):
        with pytest.raises(InputError, match="output must be one of 'class 0'"):
            pair_surface(result, "age", "c", output=wrong)


@pytest.fixture(scope="module")
def numbers() -> Explanation:
    return explained.numbers()


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_no_interaction_is_one_line_of_the_legend(numbers):
    assert legend(drawn(surface(numbers, "age", "c", n_grid=10)))[0] == "R-sens₂ 0 everywhere"
    X = np.random.default_rng(1).normal(size=(40, 2))
    product = explain(from_function(lambda Z: Normal(Z[:, 0] * Z[:, 1], 4.0 + 0.0 * Z[:, 0])), X, scale="raw")
    assert legend(drawn(surface(product, 0, 1, n_grid=10)))[0] == "R-sens₂ 0.5 everywhere"


def test_of_many_levels_the_frequent_ones_have_lines():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=200), "level": rng.choice(list("abcdefghijkl"), 200)})
    result = explain(from_function(lambda Z: Normal(Z[:, 0] * Z[:, 1], 1.0 + 0.0 * Z[:, 0])), X, intervals=False)
    ax = drawn(surface(result, "x", "level", n_grid=5))
    assert set(legend(ax)[1:]) == set(X["level"].value_counts(sort=True).sort_index().nlargest(7).index)
    assert "5 less frequent levels not shown" in below(ax)


def test_wrong_arguments_are_errors_before_anything_is_drawn(numbers):
    for options, text in (
        ({"quantity": "variance"}, "quantity must be one of 'prediction', 'interaction'"),
        ({"second": "body mas"}, "second names the column 'body mas'"),
        ({"second": 0}, "two different variables; got 'age' twice"),
        ({"n_grid": 1}, "n_grid must be a whole number of at least 2"),
        ({"X": np.zeros((3, 2))}, "X must have the columns that were explained"),
    ):
        with pytest.raises(InputError, match=text):
            surface(numbers, "age", **{"second": "c"} | options)
    with pytest.raises(InputError, match="'x0' is 0 in all rows of X, so it has no range"):
        surface(explanation_of(lambda Z: Z[:, 0], np.zeros((1, 2)), scale="raw"), 0, 1)
    assert plt.get_fignums() == []
