"""Columns that go with the others as the real one does, and have nothing to do with y."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from rsens._explain._probes import MOST_EXPLAINED, assign, gumbel_given, sources_of


def singles(d: int) -> tuple[tuple[int, ...], ...]:
    return tuple((k,) for k in range(d))


def correlated(n: int, d: int, rho: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1.0 - rho) * rng.normal(size=(n, d))


def drawn(source, n: int, count: int, seed: int = 1) -> np.ndarray:
    """Many probes of a single column, (count, n)."""
    rng = np.random.default_rng(seed)
    return np.stack([source.probe(rng)[:, 0] for _ in range(count)])


def test_without_collinearity_a_probe_is_a_shuffled_column():
    X = np.array(np.meshgrid([0.0, 1.0, 2.0], [0.0, 1.0], [5.0, 7.0, 11.0])).reshape(3, -1).T  # orthogonal
    for source, x in zip(sources_of(X, singles(3), ()), X.T, strict=True):
        assert source.explained == 0.0
        assert source.inflation == 1.0
        probe = source.probe(np.random.default_rng(0))[:, 0]
        assert sorted(probe) == sorted(x)
        assert list(probe) != list(x)


def test_the_mean_of_probes_is_what_the_others_explain():
    """By another route: scikit-learn's regression, and the textbook formula of adjusted R²."""
    n, d = 60, 4
    X = correlated(n, d, 0.7)
    X[:, 1] *= 1e3
    source = sources_of(X, singles(d), ())[0]
    others, x = X[:, 1:], X[:, 0]
    h = LinearRegression().fit(others, x).predict(others)
    r2 = np.var(h) / np.var(x)
    a = 1.0 - (1.0 - r2) * (n - 1) / (n - d)
    assert source.explained == pytest.approx(a, rel=1e-10)
    assert source.inflation == pytest.approx(1.0 / (1.0 - a), rel=1e-10)
    probes = drawn(source, n, 4000)
    shrunk = x.mean() + np.sqrt(a / r2) * (h - h.mean())
    np.testing.assert_allclose(probes.mean(axis=0), shrunk, atol=5.0 * np.sqrt((1.0 - a) * np.var(x) / 4000))
    assert np.mean(np.var(probes, axis=1)) == pytest.approx(np.var(x), rel=0.01)


def test_chance_correlations_with_few_rows_are_not_taken_for_collinearity():
    """R² of 15 independent columns on 30 rows is about ½; adjusted it is about 0."""
    explained = [
        sources_of(np.random.default_rng(k).normal(size=(30, 16)), ((0,),), ())[0].explained for k in range(60)
    ]
    assert np.mean(explained) < 0.2
    assert np.mean(np.array(explained) == 0.0) > 0.35


DESIGNS = {
    "sum": lambda X: np.column_stack([X, X.sum(axis=1)]),
    "copy": lambda X: np.column_stack([X, 5.0 * X[:, 0] + 2.0]),
    "wide": lambda X: correlated(20, 50, 0.5),
    "constant": lambda X: X * [1.0, 0.0, 1.0] + 4.0,
    "one row": lambda X: X[:1],
    "two rows": lambda X: X[:2],
    "huge": lambda X: X * 1e200,
    "tiny": lambda X: X * 1e-200,
}


@pytest.mark.parametrize("case", DESIGNS)
def test_designs_without_full_rank(case):
    X = DESIGNS[case](np.random.default_rng(0).normal(size=(30, 3)))
    sources = sources_of(X, singles(X.shape[1]), ())
    for source, x in zip(sources, X.T, strict=True):
        assert 0.0 <= source.explained <= MOST_EXPLAINED
        probe = source.probe(np.random.default_rng(1))[:, 0]
        assert np.isfinite(probe).all()
        scale = np.abs(x).max()
        assert np.std(probe / scale) <= 2.0 * np.std(x / scale)
    if case in ("sum", "copy"):
        assert sources[0].explained == pytest.approx(MOST_EXPLAINED, abs=1e-9)
    if case == "wide":  # the common factor is found, though there are more columns than rows
        assert np.mean([source.explained for source in sources]) == pytest.approx(0.5, abs=0.15)


# ---- levels ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_levels", [2, 3, 6])
def test_levels_keep_their_counts_and_follow_the_other_columns(n_levels):
    n = 300
    rng = np.random.default_rng(2)
    z = rng.normal(size=n)
    level = np.digitize(0.6 * z + rng.normal(size=n), np.linspace(-0.8, 1.3, n_levels - 1)).astype(float)
    X = np.column_stack([level, z, rng.normal(size=n)])
    source = sources_of(X, singles(3), (0,))[0]
    assert 0.04 < source.explained < 0.5
    probes = drawn(source, n, 400)
    for probe in probes[:50]:
        np.testing.assert_array_equal(np.bincount(probe.astype(int)), np.bincount(level.astype(int)))
    # How often a row has a level, against the regressions of the indicators.
    p = np.stack([LinearRegression().fit(X[:, 1:], level == k).predict(X[:, 1:]) for k in range(n_levels)], axis=1)
    p = np.clip(p, 0.001, 0.999)
    p /= p.sum(axis=1, keepdims=True)
    for k in np.flatnonzero(p.std(axis=0) > 0.04):
        often = np.mean(probes == k, axis=0)
        assert np.corrcoef(often, p[:, k])[0, 1] > 0.9
        assert np.polyfit(p[:, k], often, 1)[0] == pytest.approx(1.0, abs=0.1)
    assert np.mean(probes == level) < 0.7


def test_categories_explain_numbers():
    rng = np.random.default_rng(4)
    level = rng.integers(3, size=90).astype(float)
    X = np.column_stack([np.array([0.0, 5.0, 1.0])[level.astype(int)] + rng.normal(size=90), level])
    assert sources_of(X, singles(2), (1,))[0].explained > 0.7
    assert sources_of(X, singles(2), ())[0].explained < 0.3  # as a number, 5 in the middle is no line


def test_gumbel_noise_given_the_level():
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(4), size=5000)
    codes = np.array([rng.choice(4, p=row) for row in p])
    noise = gumbel_given(codes, np.log(p), rng)
    np.testing.assert_array_equal((np.log(p) + noise).argmax(axis=1), codes)
    for k in range(4):  # over levels drawn from p it is what it was before they were known
        assert stats.kstest(noise[:, k], stats.gumbel_r.cdf).pvalue > 0.01
    assert abs(np.corrcoef(noise.T)[np.triu_indices(4, 1)]).max() < 0.05


def test_levels_are_assigned_to_the_largest_utility_where_counts_allow_it():
    utility = np.log(np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.7, 0.2, 0.1]]))
    assert assign(utility, np.array([2, 1, 1])).tolist() == [0, 1, 2, 0]
    assert assign(utility, np.array([4, 0, 0])).tolist() == [0, 0, 0, 0]
    two = np.random.default_rng(6).gumbel(size=(50, 2))
    largest = np.argsort(two[:, 0] - two[:, 1])[:12]
    np.testing.assert_array_equal(np.flatnonzero(assign(two, np.array([38, 12])) == 1), np.sort(largest))


# ---- groups ----------------------------------------------------------------------------------------------------------


def test_the_columns_of_a_group_move_together():
    """Given a column that has nothing to do with them, rows are shuffled whole."""
    rng = np.random.default_rng(7)
    angle = np.repeat(rng.uniform(0.0, 2.0 * np.pi, size=20), 2)
    X = np.column_stack([np.sin(angle), np.tile([1.0, -1.0], 20), np.cos(angle)])
    source = sources_of(X, ((0, 2), (1,)), ())[0]
    assert source.explained == 0.0
    probe = source.probe(rng)
    assert probe.shape == (40, 2)
    np.testing.assert_allclose((probe**2).sum(axis=1), 1.0, rtol=1e-12)


def test_a_group_is_conditional_on_the_other_columns_only():
    X = correlated(200, 4, 0.8)
    X[:, 1] = X[:, 0] + 0.01 * np.random.default_rng(8).normal(size=200)
    probe = sources_of(X, ((0, 1), (2,), (3,)), ())[0].probe(np.random.default_rng(9))
    assert np.corrcoef(probe.T)[0, 1] > 0.99  # as close as the two are
    assert np.corrcoef(probe[:, 0], X[:, 0])[0, 1] < 0.9  # a single column 0, given column 1, would stay itself
    assert np.corrcoef(probe[:, 0], X[:, 2])[0, 1] == pytest.approx(0.8, abs=0.12)


# ---- clusters --------------------------------------------------------------------------------------------------------


@pytest.fixture
def persons():
    """30 persons with 4 rows: age is fixed, weight nearly so, visits are numbered, sex and centre are levels."""
    rng = np.random.default_rng(10)
    person = np.repeat(np.arange(30), 4)
    age = rng.normal(size=30)[person]
    weight = age + rng.normal(size=30)[person] + 0.1 * rng.normal(size=120)
    visit = np.tile([1.0, 2.0, 3.0, 4.0], 30)
    sex = (age + rng.normal(size=30)[person] > 0.0).astype(float)
    noise = rng.normal(size=120)
    return person, np.column_stack([age, weight, visit, sex, noise])


def test_what_is_constant_within_clusters_stays_so(persons):
    person, X = persons
    sources = sources_of(X, singles(5), (3,), person)
    rng = np.random.default_rng(0)
    for d in (0, 3):
        for _ in range(5):
            by_person = sources[d].probe(rng)[:, 0].reshape(30, 4)
            assert (by_person == by_person[:, :1]).all()
    assert sources[0].explained > 0.1
    counts = [np.sum(sources[3].probe(rng) == 1.0) for _ in range(5)]
    assert counts == [np.sum(X[:, 3] == 1.0)] * 5


def test_residuals_of_a_cluster_move_together(persons):
    person, X = persons

    def within(*clusters):
        source = sources_of(X, singles(5), (3,), *clusters)[1]
        probes = [source.probe(np.random.default_rng(k))[:, 0].reshape(30, 4) for k in range(20)]
        return np.mean(np.var(probes, axis=2)) / np.var(X[:, 1])

    assert within(person) < 0.1
    assert within() > 0.2


def test_what_is_the_same_in_all_clusters_is_shuffled_within_them(persons):
    person, X = persons
    probe = sources_of(X[:, [2, 4]], singles(2), (), person)[0].probe(np.random.default_rng(0))[:, 0]
    assert not np.array_equal(probe, X[:, 2])
    assert abs(np.corrcoef(probe, X[:, 2])[0, 1]) < 0.3


def test_fewer_independent_rows_in_clusters(persons):
    """With 29 persons and 12 columns of persons, R² is high by chance; counting all rows would believe it."""
    rng = np.random.default_rng(11)
    person = np.repeat(np.arange(30), 4)
    explained = {"rows": [], "persons": []}
    for _ in range(20):
        X = rng.normal(size=(30, 12))[person] + 0.1 * rng.normal(size=(120, 12))
        explained["rows"].append(sources_of(X, ((0,),), ())[0].explained)
        explained["persons"].append(sources_of(X, ((0,),), (), person)[0].explained)
    assert np.mean(explained["rows"]) > 0.25
    assert np.mean(explained["persons"]) < 0.15


def test_clusters_of_different_sizes_and_levels_within_them():
    rng = np.random.default_rng(12)
    sizes = np.array([1, 2, 3, 4, 5, 6, 7, 8, 1, 1])
    cluster = np.repeat(np.arange(10), sizes)
    z = rng.normal(size=len(cluster))
    level = (z + rng.normal(size=10)[cluster] + 0.5 * rng.normal(size=len(cluster)) > 0.0).astype(float)
    X = np.column_stack([level, z])
    for source in sources_of(X, singles(2), (0,), cluster):
        for _ in range(20):
            assert np.isfinite(source.probe(rng)).all()
    assert set(sources_of(X, singles(2), (0,), cluster)[0].probe(rng)[:, 0]) == {0.0, 1.0}
