"""What part of a pair is interaction of the prediction, and ranking by it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens import Normal, explain, from_function
from rsens._errors import InputError
from rsens._explain import Explanation
from rsens._explain._tables import UNCERTAINTY_ONLY
from rsens.distributions import Gamma, LogNormal, MultivariateNormal, NegativeBinomial, StudentT
from tests.explain.models import Linear, Logistic, Softmax

RNG = np.random.default_rng(11)
N = 40
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(size=N),
        "city": RNG.choice(["Bergen", "Oslo", "Tromsø"], size=N, p=[0.5, 0.3, 0.2]),
        "z": RNG.normal(size=N),
        "sold": RNG.random(N) < 0.4,
        "w": RNG.normal(size=N),
    }
)
MEAN, SLOPE = np.array([0.0, 1.0, 3.0]), np.array([1.0, -0.5, 2.0])


def moments(Z):
    """A centre and a spread in which every kind of pair interacts: numbers, levels and both."""
    city, sold = Z[:, 1].astype(int), Z[:, 3]
    centre = MEAN[city] * (1.0 + sold) + SLOPE[city] * Z[:, 0] + np.sin(Z[:, 0] * Z[:, 2]) + 0.3 * Z[:, 2] * Z[:, 4]
    spread = np.exp(0.2 * Z[:, 2] * Z[:, 4] + 0.3 * sold * city - 0.1 * Z[:, 0] * city)
    return centre, spread


def covariance(s):
    off = 0.2 * s
    return np.stack([np.stack([1.0 + s, off], -1), np.stack([off, 1.0 + s], -1)], -1)


FAMILIES = {
    "Normal": lambda m, s: Normal(m, s),
    "StudentT": lambda m, s: StudentT(m, s, 5.0),
    "LogNormal": lambda m, s: LogNormal(m, s),
    "Gamma": lambda m, s: Gamma(np.exp(0.2 * m), s),
    "NegativeBinomial": lambda m, s: NegativeBinomial(np.exp(0.2 * m), s),
    "MultivariateNormal": lambda m, s: MultivariateNormal(np.stack([m, np.cos(m)], -1), covariance(s)),
}


ONE_GROUP, TWO_GROUPS = {"xz": ["x", "z"]}, {"xz": ["z", "x"], "just w": ["w"]}


@pytest.mark.parametrize("groups", [None, ONE_GROUP, TWO_GROUPS], ids=["columns", "one group", "two groups"])
@pytest.mark.parametrize("family", FAMILIES)
def test_parts_of_pairs_add_up(family, groups):
    model = from_function(lambda Z: FAMILIES[family](*moments(Z)))
    weights = np.linspace(0.0, 2.0, 20)
    asked = {"groups": groups, "weights": weights, "intervals": False}
    result = explain(model, FRAME.head(20), **asked)
    assert list(result.pair_parts.columns) == list(result.parts.columns)
    assert result.pair_parts.index.equals(result.pairs.index)
    np.testing.assert_allclose(result.pair_parts.sum(axis=1), result.pairs, rtol=1e-12, atol=1e-14)
    assert (result.pair_parts.to_numpy() > 1e-9).mean() > 0.5  # both blocks bend in most pairs
    frame = result.to_frame(2)
    assert [f"part_{name}" for name in result.parts.columns] == [c for c in frame.columns if c.startswith("part_")]


def test_a_normal_by_hand():
    """q_mean = (∂²m)²/v and q_variance = (∂²v)²/(2v²), each over R₂."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = from_function(lambda X: Normal(X[:, 0] * X[:, 1], np.exp(0.4 * X[:, 0] * X[:, 1])))
    result = explain(model, X, scale="raw", intervals=False)
    product = X.prod(axis=1)
    v = np.exp(0.4 * product)
    of_mean, of_variance = 1.0 / v, (0.4 * (1.0 + 0.4 * product)) ** 2 / 2.0
    R = np.sqrt(of_mean + of_variance)
    np.testing.assert_allclose(result.pair_parts["mean"], (of_mean / R).mean(), rtol=1e-6)  # differences
    np.testing.assert_allclose(result.pair_parts["variance"], (of_variance / R).mean(), rtol=1e-6)


def test_levels_by_hand():
    """Each level's difference is split on its own, and averaged with the frequencies of the levels."""
    city = FRAME["city"].astype("category").cat.codes.to_numpy()
    x, share = FRAME["x"].to_numpy(), np.bincount(city) / N
    slopes, rates = np.array([0.0, 1.0, -2.0]), np.array([0.1, 0.1, 0.4])
    model = from_function(lambda Z: Normal(slopes[(c := Z[:, 1].astype(int))] * Z[:, 0], np.exp(rates[c] * Z[:, 0])))
    result = explain(model, FRAME[["x", "city"]], scale="raw", intervals=False)
    expected = np.zeros(2)
    for i, own in enumerate(city):
        v = np.exp(rates[own] * x[i])
        others = [level for level in range(3) if level != own]
        for level in others:
            there = np.exp(rates[level] * x[i])
            q = np.array(
                [(slopes[level] - slopes[own]) ** 2 / v, (rates[level] * there - rates[own] * v) ** 2 / (2 * v**2)]
            )
            expected += share[level] / share[others].sum() * q / np.sqrt(q.sum()) / N
    np.testing.assert_allclose(result.pair_parts.iloc[0], expected, rtol=1e-6)  # differences


def test_a_group_is_split_along_the_combination_that_bends_most():
    """a interacts with b in the mean and with c in the variance: whichever is stronger at a row is the group's part."""
    X = pd.DataFrame(np.random.default_rng(2).normal(size=(50, 3)), columns=list("abc"))

    def both(strong_mean):
        def fn(Z):
            return Normal(strong_mean * Z[:, 0] * Z[:, 1], 1.0 + 0.01 * (Z[:, 0] + 4.0) * (Z[:, 2] + 4.0))

        return explain(from_function(fn), X, groups={"bc": ["b", "c"]}, scale="raw", intervals=False)

    for strength, leading in ((5.0, "mean"), (1e-4, "variance")):
        result = both(strength)
        share = result.pair_parts.loc[("a", "bc")] / result.pairs[("a", "bc")]
        assert share[leading] > 0.999


def test_families_without_blocks():
    X = RNG.normal(size=(30, 3))
    whole = explain(Logistic([1.0, 0.2, -0.5]), X)
    assert whole.pair_parts is None
    joint = explain(Softmax(np.array([[1.0, 0.0, -1.0], [0.1, 0.3, 0.0], [2.0, 0.0, 1.0]])), X)
    assert list(joint.pair_parts.columns) == ["joint"]
    np.testing.assert_array_equal(joint.pair_parts["joint"], joint.pairs)
    for found in (whole, joint):
        assert "uncertainty_only" not in found.to_frame(2).columns
    with pytest.raises(InputError, match="not split into prediction and uncertainty"):
        whole.to_frame(2, by="prediction")


@pytest.fixture(scope="module")
def mixed() -> Explanation:
    """a:b bends the variance only, b:c the mean, a little."""
    X = pd.DataFrame(np.random.default_rng(3).normal(size=(60, 3)), columns=list("abc"))
    model = from_function(lambda Z: Normal(Z[:, 0] + 0.1 * Z[:, 1] * Z[:, 2], np.exp(0.7 * Z[:, 0] * Z[:, 1])))
    return explain(model, X, random_state=0)


def test_a_pair_of_the_uncertainty_is_named(mixed):
    frame = mixed.to_frame(2).set_index("term")
    assert frame["uncertainty_only"].dtype == bool
    assert frame["uncertainty_only"].to_dict() == {"a:b": True, "b:c": False, "a:c": False}
    assert ((frame["part_mean"] < UNCERTAINTY_ONLY * frame["value"]) == frame["uncertainty_only"]).all()
    nothing = explain(Linear([1.0, 2.0]), np.random.default_rng(0).normal(size=(9, 2)))
    assert (nothing.pairs == 0.0).all()
    assert not nothing.to_frame(2)["uncertainty_only"].any()


@pytest.mark.parametrize("by", ["mean", "prediction"])
def test_ranking_by_the_prediction(mixed, by):
    frame, plain = mixed.to_frame(2, by=by), mixed.to_frame(2)
    assert frame["term"][0] == "b:c"
    assert frame["part_mean"].is_monotonic_decreasing
    assert frame["rank"].tolist() == [1, 2, 3]
    assert plain["term"][0] == "a:b"
    same = ["value", "lower", "upper", "part_mean", "uncertainty_only"]
    pd.testing.assert_frame_equal(
        frame.set_index("term")[same].sort_index(), plain.set_index("term")[same].sort_index()
    )


@pytest.mark.parametrize("by", ["median", None, 2, ["mean"]])
def test_the_choices_are_named(mixed, by):
    for order in (1, 2):
        with pytest.raises(InputError, match="by must be one of 'value', 'mean', 'variance', 'prediction', 'unc"):
            mixed.to_frame(order, by=by)
