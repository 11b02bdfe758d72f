"""No number where second differences are jumps, rounding or kinks; a warning where they are so in part."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor

import rsens
from rsens import InputError, Normal, RsensWarning, explain, from_function
from rsens.derivatives import NoSecondDerivativesError
from tests.derivatives.sources import rows

X = rows(150, columns=3)
NOTHING = "second differences of the function are not"


def smooth(Z):
    return np.sin(Z[:, 0]) * Z[:, 1]


def model(mean, **options):
    return from_function(lambda Z: Normal(mean(Z), 0.01), **options)


@pytest.fixture(scope="module")
def trees():
    y = smooth(X) + 0.1 * rows(150, columns=1, seed=1)[:, 0]
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    return {"forest": forest.predict, "boosting": GradientBoostingRegressor(random_state=0).fit(X, y).predict}


ABSURD = {
    "one digit": lambda Z: np.round(smooth(Z), 1),
    "one of two terms rounded": lambda Z: np.round(smooth(Z), 3) + Z[:, 2],
    "one of two terms rounded to six digits": lambda Z: np.round(smooth(Z), 6) + Z[:, 2],
    "one of two terms in float32": lambda Z: smooth(Z).astype(np.float32).astype(float) + Z[:, 2],
    "a step": lambda Z: (Z[:, 0] > 0.0) + (Z[:, 1] > 0.0) * (Z[:, 2] > 0.0),
    "few digits left": lambda Z: 1e9 + Z[:, 0],
    "kinks at rows": lambda Z: np.abs(Z[:, 0] - X[7, 0]) + Z[:, 1],
}


@pytest.mark.parametrize("name", ABSURD)
def test_rounding_jumps_and_kinks_are_refused(name):
    with pytest.raises(NoSecondDerivativesError, match=NOTHING + r".*pairs=False.*step=0\.3") as error:
        rsens.rsens2(model(ABSURD[name]), X)
    assert error.value.argument == "pairs"


@pytest.mark.parametrize("decimals", range(1, 13))
def test_no_number_is_far_off_in_silence(decimals, recwarn):
    """However many decimals are kept: right to a tenth of the largest, or a warning or an error."""
    recwarn.clear()
    exact = rsens.rsens2(model(smooth), X).mean(axis=0)
    for step in (None, 1e-3, 0.02, 0.1):
        recwarn.clear()
        try:
            got = rsens.rsens2(model(lambda Z: np.round(smooth(Z), decimals), step=step), X).mean(axis=0)
        except InputError:
            continue
        if not recwarn.list:
            assert np.abs(got - exact).max() < 0.1 * exact.max(), step


@pytest.mark.parametrize("sd", 10.0 ** np.arange(-14, 1))
def test_noise_is_small_or_seen(sd, recwarn):
    """A random function: right to 2 % of the largest value, pairs to a tenth, or a warning or an error."""
    rng = np.random.default_rng(0)
    noisy = model(lambda Z: smooth(Z) + sd * rng.normal(size=len(Z)))
    for measure, tolerance in ((rsens.rsens, 0.02), (rsens.rsens2, 0.1)):
        exact = measure(model(smooth), X).mean(axis=0)
        recwarn.clear()
        try:
            got = measure(noisy, X).mean(axis=0)
        except InputError:
            continue
        if not recwarn.list:
            assert np.abs(got - exact).max() < tolerance * exact.max()


@pytest.mark.parametrize("name", ["forest", "boosting"])
class TestTrees:
    def test_narrow_steps_are_refused(self, trees, name):
        with pytest.raises(NoSecondDerivativesError, match="piecewise constant"):
            rsens.rsens2(model(trees[name]), X)
        with pytest.raises(InputError):
            rsens.rsens2(model(trees[name], step=0.02), X)

    def test_a_wide_step_warns_about_pairs_only(self, trees, name):
        with pytest.warns(RsensWarning, match="jumps or bends within the step.*rough averages"):
            rsens.rsens2(model(trees[name], step=0.3), X)
        rsens.rsens(model(trees[name], step=0.3), X)

    def test_beside_a_smooth_term(self, trees, name):
        """The smooth term changes everywhere, so not all differences are 0; still the others say nothing."""
        both = model(lambda Z: trees[name](Z) + Z[:, 2] ** 2)
        with pytest.warns(RsensWarning, match="does not change in 'x0', 'x1' over the step"):
            rsens.rsens(both, X)
        with pytest.raises(NoSecondDerivativesError):
            rsens.rsens2(both, X)


def test_explain_leaves_pairs_out():
    with pytest.warns(RsensWarning, match="no pairs: " + NOTHING):
        found = explain(model(ABSURD["few digits left"]), X)
    assert not hasattr(found, "pairs")
    np.testing.assert_allclose(found.main.to_numpy()[0], 10.0 * X[:, 0].std(), rtol=1e-3)


SILENT = {
    "smooth": smooth,
    "linear": lambda Z: Z @ [1.0, -2.0, 0.5],
    "an irrelevant column": lambda Z: np.exp(0.3 * Z[:, 0]),
    "a narrow bump": lambda Z: np.exp(-0.5 * ((Z[:, 0] - 0.3) / 0.02) ** 2) + Z[:, 1],
    "a soft kink": lambda Z: np.logaddexp(0.0, 50.0 * Z[:, 0]) / 50.0,
    "steep": lambda Z: np.tanh(100.0 * Z[:, 0]) + Z[:, 1] * Z[:, 2],
    "flat in most rows": lambda Z: np.maximum(Z[:, 0] - 1.5, 0.0) ** 3 + Z[:, 1],
}


@pytest.mark.parametrize("name", SILENT)
def test_smooth_functions_are_silent(name):
    rsens.rsens2(model(SILENT[name]), X)


def test_a_wide_step_sees_kinks():
    """|x| bends by 2 at 0: the average second difference over a step h tends to 2 p(0), here of a uniform column."""
    Z = np.linspace(-1.0, 1.0, 2001)[:, None]
    with pytest.warns(RsensWarning, match="depend on the step"):
        got = rsens.rsens2(from_function(lambda Z: Normal(np.abs(Z[:, 0]), 1.0), step=0.3), Z).mean()
    assert got == pytest.approx(2.0 * 0.5, rel=0.01)
