"""A run that is stopped and taken up again gives what it would have given."""

from pathlib import Path

import pandas as pd
import pytest

from rsens._errors import InputError, RsensWarning
from rsens._stability import stability
from rsens.models import BayesianLinearRegression
from tests.stability.models import LeastSquares, linear_data

X, Y = linear_data()
OPTIONS = {"methods": ["rsens", "pfi"], "random_state": 4}


def fits(log: Path) -> int:
    return len(list(log.iterdir()))


@pytest.fixture
def log(tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    return folder


def same(one, other):
    pd.testing.assert_frame_equal(one.ranks, other.ranks, check_exact=True)
    pd.testing.assert_frame_equal(one.failures, other.failures)
    pd.testing.assert_series_equal(one.entropy, other.entropy, check_exact=True)


class Stop(BaseException):
    """Neither an error of a fit nor one that is caught."""


class StopsAt(LeastSquares):
    """Raises in the fit that would be the third."""

    stops = True

    def fit(self, X, y):
        if self.stops and fits(Path(self.log)) == 3:
            raise Stop
        return super().fit(X, y)


def test_stopped_half_way(tmp_path, log, monkeypatch):
    estimator = StopsAt(log=str(log))
    with pytest.raises(Stop):
        stability(estimator, X, Y, n_boot=7, folder=tmp_path / "kept", **OPTIONS)
    assert fits(log) == 3
    monkeypatch.setattr(StopsAt, "stops", False)
    resumed = stability(estimator, X, Y, n_boot=7, folder=tmp_path / "kept", **OPTIONS)
    assert fits(log) == 7
    same(resumed, stability(LeastSquares(), X, Y, n_boot=7, **OPTIONS))


def test_a_function_is_known_by_its_code(tmp_path):
    def refit_with(precision):
        return lambda rows, y: BayesianLinearRegression(prior_precision=precision).fit(rows, y)

    options = {"n_boot": 2, "folder": tmp_path / "kept", **OPTIONS}
    one = stability(refit_with(1.0), X, Y, **options)
    same(stability(refit_with(1.0), X, Y, **options), one)
    with pytest.raises(InputError, match="estimator was"):
        stability(refit_with(2.0), X, Y, **options)


def test_a_larger_n_boot_adds_to_a_folder(tmp_path, log):
    estimator = LeastSquares(log=str(log))
    stability(estimator, X, Y, n_boot=3, folder=tmp_path / "kept", **OPTIONS)
    more = stability(estimator, X, Y, n_boot=5, folder=tmp_path / "kept", **OPTIONS)
    assert fits(log) == 5
    fewer = stability(estimator, X, Y, n_boot=2, folder=tmp_path / "kept", **OPTIONS)
    assert fits(log) == 5
    same(more, stability(LeastSquares(), X, Y, n_boot=5, **OPTIONS))
    same(fewer, stability(LeastSquares(), X, Y, n_boot=2, **OPTIONS))


def test_failures_are_kept(tmp_path, log):
    options = OPTIONS | {"n_boot": 8, "methods": ["ard", "rsens"]}
    estimator = LeastSquares(fails=1.0, log=str(log))
    with pytest.warns(RsensWarning):
        whole = stability(estimator, X, Y, folder=tmp_path / "kept", **options)
    with pytest.warns(RsensWarning):
        resumed = stability(estimator, X, Y, folder=tmp_path / "kept", **options)
    assert fits(log) == 8
    assert set(whole.failures["method"]) == {None, "ard"}
    same(resumed, whole)


def test_a_new_seed_is_kept_in_the_folder(tmp_path):
    options = {"methods": "rsens", "n_boot": 2}
    one = stability(LeastSquares(), X, Y, folder=tmp_path / "kept", **options)
    same(stability(LeastSquares(), X, Y, folder=tmp_path / "kept", **options), one)
    other = stability(LeastSquares(), X, Y, folder=tmp_path / "other", **options)
    assert (other.ranks["value"] != one.ranks["value"]).any()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"X": X + 1e-12}, "X was"),
        ({"estimator": LeastSquares(fails=9.0)}, "estimator was"),
        ({"methods": ["rsens"]}, "methods was"),
        ({"replace": False}, "n_rows was 60"),
        ({"random_state": 5}, "random_state was"),
    ],
)
def test_a_folder_of_another_question_is_refused(tmp_path, change, text):
    arguments = {"estimator": LeastSquares(), "X": X, "y": Y, "n_boot": 1, "folder": tmp_path / "kept"} | OPTIONS
    stability(**arguments)
    with pytest.raises(InputError, match=text):
        stability(**(arguments | change))
