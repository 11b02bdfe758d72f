"""A method that fails is one row with the reason; the others come back. Defects of rsens are not hidden."""

import numpy as np
import pytest

from rsens._compare import compare
from rsens._errors import InputError
from rsens.derivatives import Derivatives
from rsens.measures import Measure
from tests.compare.models import noisy
from tests.explain.models import Linear

X = np.random.default_rng(0).standard_normal((25, 2))
MODEL = noisy(lambda X: X[:, 0] + X[:, 0] * X[:, 1])


class Sulky:
    """Answers about the rows that it knows, and about no others."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def derivatives(self, rows, order) -> Derivatives:
        return Linear([1.0, 2.0]).derivatives(rows, order)

    def predict_distribution(self, rows):
        if not np.isin(np.asarray(rows)[:, 0], X[:, 0]).all() or len(rows) != 1:
            raise self.error
        return self.derivatives(rows, 1).distribution


@pytest.mark.parametrize("error", [TypeError("not\n  this way"), MemoryError()])
def test_errors_of_the_users_model(error):
    table = compare(Sulky(error), X, methods=["rsens", "pd"], budget="paper")
    assert (table["status"][table["method"] == "rsens"] == "ok").all()
    text = " ".join(str(error).split())
    assert table["status"].iloc[-1] == (f"{type(error).__name__}: {text}" if text else type(error).__name__)


def test_without_targets():
    table = compare(MODEL, X, methods=["pfi", "rsens"])
    assert list(table["method"]) == ["pfi", "rsens", "rsens"]
    failed = table.iloc[0]
    assert failed[["term", "value", "rank"]].isna().all()
    assert "y is None. Give y" in failed["status"]
    assert failed["evaluations"] == 0
    with pytest.raises(InputError, match=r"No method could answer\. pfi: this method compares"):
        compare(MODEL, X, methods=["pfi", "ard"])


def test_numbers_beyond_float64():
    """The variance of 1e200·x does not fit; its slope does."""
    table = compare(noisy(lambda X: 1e200 * X[:, 0]), X, methods=["rsens", "ead", "var"])
    assert list(table["status"]) == ["ok"] * 4 + ["the value for 'x0' is not a finite number."]


def test_values_are_checked(monkeypatch):
    monkeypatch.setattr(Measure, "importance", lambda *_, **__: np.array([1.0, np.inf]))
    with pytest.raises(InputError, match="value for 'x1' is not a finite number"):
        compare(MODEL, X, methods="rsens")
    monkeypatch.setattr(Measure, "importance", lambda *_, **__: np.array([[1.0, np.inf], [np.inf, 1.0]]))
    with pytest.raises(InputError, match="value for 'x0:x1' is not a finite number"):
        compare(MODEL, X, methods="rsens2", order=2)


@pytest.mark.parametrize(
    ("options", "text"),
    [({"scale": "SD"}, "'sd', 'raw'"), ({"budget": "cheap"}, "budget must be"), ({"y": [1.0]}, "25 rows")],
)
def test_arguments(options, text):
    with pytest.raises(InputError, match=text):
        compare(**{"model": MODEL, "X": X, **options})
