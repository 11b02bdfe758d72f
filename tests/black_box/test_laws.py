"""What holds for every method of single variables, under every budget."""

from dataclasses import replace

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.black_box import BLACK_BOX, BUDGETS

from .functions import correlated, curved, linear, of_levels, predictor_of, with_levels

METHODS = [method for method in BLACK_BOX.values() if method.order == 1]
CASES = [(method, budget) for method in METHODS for budget in BUDGETS.values()]
each = pytest.mark.parametrize(("method", "budget"), CASES, ids=lambda case: case.name)


def values(method, budget, x, f, *, coding=None, seed=0):
    """With targets f(x) + noise and the log density of N(f, 1)."""
    y = f(x).reshape(len(x), -1)[:, 0] + np.random.default_rng(1).normal(size=len(x))

    def log_densities(blocks):
        return -0.5 * (y - np.asarray(f(blocks)).reshape(*blocks.shape[:-1], -1)[..., 0]) ** 2

    predictor = predictor_of(x, f, coding=coding, log_densities=log_densities)
    return method.value(predictor, budget, np.random.default_rng(seed)), predictor


@each
def test_a_linear_function_is_ranked_by_slope(method, budget):
    x = np.random.default_rng(0).normal(size=(60, 5))
    found, _ = values(method, budget, x, linear([2.0, 0.0, -8.0, 4.0, -1.0]))
    assert found.shape == (5,)
    assert list(np.argsort(found)) == [1, 4, 0, 3, 2]


@each
def test_a_variable_that_the_model_ignores_and_a_constant_column_get_nothing(method, budget):
    x = correlated(40)
    found, _ = values(method, budget, x, lambda blocks: np.sin(blocks[..., 0]) * blocks[..., 2])
    assert abs(found[1]) < 1e-10 * found.max()
    assert found.min() > -1e-12
    x[:, 1] = 0.1
    found, _ = values(method, budget, x, linear([1.0, 1.0, 1.0]))
    assert found[1] == 0.0
    assert (found[[0, 2]] > 0.0).all()


ROWS = correlated(40)
#: Columns that determine each other, fewer rows than columns, two rows, rows that repeat as in bootstrap samples.
HARD = [
    np.column_stack([ROWS, ROWS[:, 0] - 2.0 * ROWS[:, 1], ROWS[:, 2]]),
    correlated(4, D=8),
    correlated(2),
    np.repeat(correlated(10), 3, axis=0),
]


@each
def test_hard_tables(method, budget):
    for x in HARD:
        kept = x.copy()
        found, _ = values(method, budget, x, linear(np.ones(x.shape[1])))
        assert np.isfinite(found).all()
        np.testing.assert_array_equal(x, kept)


@each
@pytest.mark.parametrize("unit", [1e-150, 1e9])
def test_units(method, budget, unit):
    """In another unit a column has the same value; a difference quotient is divided by the unit."""
    x = correlated(30)
    f = linear([1.0, 2.0, 3.0])
    factors = np.array([1.0, unit, 1.0])
    before, _ = values(method, budget, x, f)
    after, _ = values(method, budget, x * factors, lambda blocks: f(blocks / factors))
    np.testing.assert_allclose(after * (factors if method.scaled else 1.0), before, rtol=1e-6)


@each
def test_one_row_is_not_enough(method, budget):
    with pytest.raises(InputError, match=f"{method.name} compares the rows .* at least two"):
        values(method, budget, correlated(1), linear([1.0, 2.0, 3.0]))


@each
def test_categorical_columns(method, budget):
    x, coding = with_levels(60)
    found, _ = values(method, budget, x, of_levels, coding=coding)
    assert found[2] == pytest.approx(0.0, abs=1e-12)
    assert (found[:2] > 0.05).all()


@each
def test_outputs_add_up(method, budget):
    """Permutation importance looks at one log density, whatever the outputs."""
    if method.name == "pfi":
        return
    x = correlated(30)
    one, two = linear([1.0, 2.0, 0.0]), linear([0.0, -1.0, 3.0])
    both, _ = values(method, budget, x, lambda blocks: np.stack([one(blocks), two(blocks)], axis=-1))
    alone = values(method, budget, x, one)[0] + values(method, budget, x, two)[0]
    np.testing.assert_allclose(both, alone, rtol=1e-9, atol=1e-12)


@each
def test_a_seed_gives_the_same_again_and_nothing_global_is_touched(method, budget):
    x = correlated(60, D=8)
    f = linear(np.arange(8.0))
    state = np.random.get_state()  # noqa: NPY002
    first, _ = values(method, budget, x, f, seed=3)
    for before, after in zip(state, np.random.get_state(), strict=True):  # noqa: NPY002
        np.testing.assert_array_equal(before, after)
    np.testing.assert_array_equal(values(method, budget, x, f, seed=3)[0], first)


#: N = 20 rows, D = 3 columns: the table of costs in the supplement of the paper, with nine nodes for VAR.
EVALUATIONS = {"apc": 2 * 19 * 3, "shap": 2 * 20 * 3, "pd": 9 * 20 * 3, "pfi": 20 * (3 + 1), "var": 9 * 20 * 3}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_budget_of_the_paper(method):
    """What is asked costs what the paper says. A model with random errors has one draw in every question, a block."""
    questions = []

    def f(blocks):
        questions.extend(blocks.shape[:-2] or (1,))
        return blocks.sum(axis=-1)

    y = np.zeros(20)
    predictor = predictor_of(correlated(20), f, log_densities=lambda blocks: -np.abs(y - f(blocks)))
    method.value(predictor, BUDGETS["paper"], np.random.default_rng(0))
    assert predictor.evaluations == EVALUATIONS[method.name]
    assert sum(questions) == {"apc": 6, "shap": 6, "pd": 27, "pfi": 4, "var": 60}[method.name]


#: Sampled rows, the size of the budget that asks about them, and their noise: 5 to 10 %, twice.
SAMPLED = {"apc": ("rows", 200, 0.2), "pd": ("average", 300, 0.2), "var": ("average", 300, 0.35)}


@pytest.mark.parametrize("name", SAMPLED)
def test_sampled_rows_come_near_all_rows(name):
    size, count, tolerance = SAMPLED[name]
    predictor = predictor_of(correlated(500), curved)
    budgets = (replace(BUDGETS["standard"], **{size: chosen}) for chosen in (count, None))
    some, every = (BLACK_BOX[name, 1].value(predictor, each, np.random.default_rng(0)) for each in budgets)
    np.testing.assert_allclose(some, every, rtol=tolerance)
    assert (some != every).all()
