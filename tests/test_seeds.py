"""Every procedure has its own random numbers: switching one off does not change the numbers of the others."""

import numpy as np
import pandas as pd
import pytest

from rsens import GPRegressor, assess, compare, stability
from tests.explain.cases import text_of
from tests.few_probes import explain_with_probes

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(40, 3)), columns=["a", "b", "c"])
y = X["a"].to_numpy() + X["a"].to_numpy() * X["b"].to_numpy() + 0.2 * RNG.normal(size=40)


@pytest.fixture(scope="module")
def model():
    return GPRegressor(n_restarts=0, random_state=0).fit(X, y)


def same(one, other):
    pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), check_exact=True)


OPTIONS = {"random_state": 3, "n_probes": 6}


@pytest.fixture(scope="module")
def whole(model):
    return explain_with_probes(model, X, y, null=True, **OPTIONS)


def test_parts_of_explain_change_no_number_of_the_others(model, whole):
    alone = explain_with_probes(model, X, y, null=False, **OPTIONS)
    for name in ("main", "intervals", "pairs", "pair_intervals"):
        same(getattr(alone, name), getattr(whole, name))
    alone = explain_with_probes(model, X, y, null=True, pairs=False, **OPTIONS)
    same(alone.main, whole.main)
    np.testing.assert_allclose(alone.intervals, whole.intervals, rtol=1e-12)  # sums of another shape round differently
    np.testing.assert_allclose(alone.null, whole.null, rtol=1e-9)
    alone = explain_with_probes(model, X, y, null=True, **OPTIONS | {"intervals": False})
    np.testing.assert_array_equal(alone.null, whole.null)


def test_the_number_of_jobs_changes_no_byte(model, whole):
    """For `stability` and `select_interactions`, see their other tests."""
    assert text_of(explain_with_probes(model, X, y, null=True, n_jobs=2, **OPTIONS)) == text_of(whole)
    one, two = (assess(GPRegressor(n_restarts=0), X, y, random_state=3, n_jobs=jobs) for jobs in (None, 2))
    same(one.to_frame(), two.to_frame())


def test_a_method_does_not_depend_on_the_others(model):
    several, alone = (compare(model, X, y, methods=m, random_state=1) for m in (["apc", "pfi", "var"], ["pfi"]))
    values = [frame[frame["method"] == "pfi"]["value"].to_numpy() for frame in (several, alone)]
    np.testing.assert_array_equal(*values)


def test_a_sample_depends_on_neither_their_number_nor_the_methods():
    def ranks(methods, n):
        found = stability(GPRegressor(n_restarts=0), X, y, methods=methods, n_boot=n, random_state=1)
        frame = found.ranks
        return frame[(frame["method"] == "pfi") & (frame["sample"] < 3)].reset_index(drop=True)

    same(ranks(["rsens", "pfi"], 5), ranks(["pfi", "apc"], 3))
