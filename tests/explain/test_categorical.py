"""Categorical columns through `explain`: values, units, tables, files, the null level and plots."""

import numpy as np
import pandas as pd
import pytest

from rsens import BayesianLinearRegression, explain
from rsens._coding import Coding
from rsens._errors import InputError, RsensWarning
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import rsens, rsens2
from tests.few_probes import explain_with_probes

RNG = np.random.default_rng(5)
N = 60
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(size=N),
        "city": RNG.choice(["Bergen", "Oslo", "Tromsø"], size=N, p=[0.5, 0.3, 0.2]),
        "z": RNG.normal(size=N),
        "sold": RNG.random(N) < 0.4,
    }
)
MEAN, SLOPE, SPREAD = np.array([0.0, 1.0, 3.0]), np.array([1.0, -0.5, 2.0]), np.array([1.0, 1.5])


def normal(Z):
    city, sold = Z[:, 1].astype(int), Z[:, 3].astype(int)
    return Normal(MEAN[city] + SLOPE[city] * Z[:, 0] + Z[:, 2] + sold * city, SPREAD[sold])


MODEL = from_function(normal)
QUICK = {"random_state": 0}
#: √(P(two random rows differ)/2), counted over all pairs of rows.
CITY, SOLD = (
    float(np.sqrt((FRAME[name].to_numpy()[:, None] != FRAME[name].to_numpy()).mean() / 2)) for name in ("city", "sold")
)


@pytest.fixture(scope="module")
def explanation():
    return explain(MODEL, FRAME, **QUICK)


def test_values_are_those_of_the_measures(explanation):
    units = np.array([FRAME["x"].std(ddof=0), CITY, FRAME["z"].std(ddof=0), SOLD])
    np.testing.assert_allclose(explanation.scale, units, rtol=1e-14)
    np.testing.assert_allclose(explanation.local_main, rsens(MODEL, FRAME) * units, rtol=1e-12)
    pairs = (rsens2(MODEL, FRAME) * np.outer(units, units)).mean(axis=0)[np.triu_indices(4, 1)]
    np.testing.assert_allclose(explanation.pairs, pairs, rtol=1e-12)
    assert explanation.categorical == ("city", "sold")
    np.testing.assert_allclose(explanation.parts.sum(axis=1), explanation.main, rtol=1e-12)
    assert explanation.parts.loc["city", "variance"] == 0.0
    assert explanation.parts.loc["sold", "variance"] > 0.0


def test_a_group_of_continuous_columns_beside_categorical_ones():
    """The pair of a category and a group: the largest change of slope along a direction within the group."""
    result = explain(MODEL, FRAME, groups={"both": ["x", "z"]}, scale="raw", keep_local="pairs", **QUICK)
    assert result.names == ("both", "city", "sold")
    np.testing.assert_allclose(result.local_main[["city", "sold"]], rsens(MODEL, FRAME)[:, [1, 3]], rtol=1e-12)
    # z has the same slope at every level, so the direction that matters is x alone.
    np.testing.assert_allclose(result.local_pairs[:, 0, 1], rsens2(MODEL, FRAME)[:, 0, 1], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(result.local_pairs[:, 1, 2], rsens2(MODEL, FRAME)[:, 1, 3], rtol=1e-12)
    with pytest.raises(InputError, match="'g' has the categorical column 'city'"):
        explain(MODEL, FRAME, groups={"g": ["x", "city"]})


def test_a_column_of_one_level_is_constant():
    with pytest.warns(RsensWarning, match="Constant columns .* 'city'"):
        result = explain(MODEL, FRAME[FRAME["city"] == "Oslo"].assign(z=1.0), **QUICK)
    assert result.main["city"] == 0.0


def test_extrapolation_looks_at_continuous_columns():
    far = pd.concat([FRAME, FRAME.iloc[[0]].assign(x=50.0)], ignore_index=True)
    flags = explain(MODEL, far, **QUICK).extrapolation
    assert flags.iloc[-1]
    assert not flags.iloc[:-1].any()
    only = explain(from_function(lambda Z: Normal(MEAN[Z[:, 0].astype(int)], 1.0)), FRAME[["city"]], **QUICK)
    assert not only.extrapolation.any()


def test_subgroups_by_a_categorical_column(explanation):
    by_frame = explain(MODEL, FRAME, by="city", **QUICK).by
    assert list(by_frame.index) == ["Bergen", "Oslo", "Tromsø"]
    array = FRAME.to_numpy(dtype=object)
    by_array = explain(from_function(normal, categorical=[1, 3]), array, by="x1", **QUICK).by
    assert list(by_array.index) == ["Bergen", "Oslo", "Tromsø"]
    np.testing.assert_allclose(by_array, by_frame, rtol=1e-12)


def test_tables_say_what_is_counted_per_switch(explanation):
    assert set(explanation.to_frame()["per"]) == {"sd"}
    assert "switch" not in repr(explanation)
    raw = explain(MODEL, FRAME, scale="raw", **QUICK)
    per = raw.to_frame().set_index("term")["per"].to_dict()
    assert per == {"x": "unit", "city": "switch", "z": "unit", "sold": "switch"}
    for text in (repr(raw), raw._repr_html_()):
        assert "per unit (categorical columns: per switch)" in text
    given = explain(MODEL, FRAME, scale={"x": 1.0, "city": 0.5, "z": 1.0, "sold": 2.0}, **QUICK)
    assert set(given.to_frame()["per"]) == {"given"}
    np.testing.assert_allclose(given.main, raw.main * [1.0, 0.5, 1.0, 2.0], rtol=1e-12)
    assert "per" not in explain(from_function(lambda Z: Normal(Z[:, 0], 1.0)), FRAME[["x"]], **QUICK).to_frame()


class Watched(BayesianLinearRegression):
    """Remembers what it was fitted to."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y):
        self.seen.append(X)
        return super().fit(X, y)


@pytest.mark.parametrize("as_array", [False, True])
def test_null_level(as_array):
    rng = np.random.default_rng(0)
    y = normal(Coding.of(FRAME).read(FRAME).values).mean + rng.normal(size=N)
    X = FRAME.to_numpy(dtype=object) if as_array else FRAME
    model = Watched(categorical=[1, 3] if as_array else None).fit(X, y)
    Watched.seen.clear()
    names = ["x1", "x3"] if as_array else ["city", "sold"]
    # the slope of x differs between cities
    with pytest.warns(RsensWarning, match=rf"interactions that it cannot hold: {'x0:x1' if as_array else 'x:city'} "):
        result = explain_with_probes(model, X, y, n_probes=6, intervals=False, **QUICK)
    assert result.categorical == tuple(names)
    assert result.main[names[0]] > result.null[names[0]]
    assert result.null.notna().all()
    assert len(Watched.seen) == 3  # three probes of numbers, three of each category, three at a time
    for frame in Watched.seen:
        assert len(frame.columns) > 4
        for name in frame.columns[4:]:
            same = [c for c in names if sorted(frame[name].astype(str)) == sorted(frame[c].astype(str))]
            assert bool(Coding.of(frame[[name]])) == bool(same)  # categories keep their counts
            if same and not as_array:
                assert frame[name].dtype == FRAME[same[0]].dtype
    probed = result.inference.probe_values.index
    assert set(probed) >= set(names)
    assert probed.isin(names).sum() >= 6
