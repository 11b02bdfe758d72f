"""What counts as a model, and what is asked of it; how rows are read; adapters of other packages."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import rsens
from rsens import InputError, Normal, _coding, _table, from_function
from rsens.adapters import _door, as_model, read_for
from rsens.derivatives import Model
from tests.adapters.objects import Estimator, Plain, record_at
from tests.derivatives.sources import rows


@pytest.mark.parametrize("make", [lambda: Estimator().fit(rows()), Plain], ids=["estimator", "plain"])
def test_anything_with_derivatives_is_a_model(make):
    model = as_model(make())
    assert isinstance(model, Model)
    np.testing.assert_array_equal(model.derivatives(rows(), 2).second, record_at(rows(), 2).second)
    np.testing.assert_array_equal(model.predict_distribution(rows()).mean, rows()[:, 0] ** 2)
    assert model.prepared(rows()) is model


def test_an_estimators_own_prediction_is_used():
    model = Plain()
    model.predict_distribution = lambda X: Normal(np.full(len(X), 7.0), 1.0)
    assert as_model(model).predict_distribution(rows()).mean[0] == 7.0
    model.predict_distribution = lambda X: X
    with pytest.raises(InputError, match="rsens family; got ndarray"):
        as_model(model).predict_distribution(rows())


WRONG_MODELS = {
    "function": (lambda X: Normal(X[:, 0], 1.0), r"got function.*from_function\(fn\)"),
    "foreign estimator": (LinearRegression(), "got LinearRegression.*from_function"),
    "class": (Estimator, r"got the class Estimator. Make one: Estimator\(…\)"),
    "not fitted": (Estimator(), "Estimator is not fitted"),
}


@pytest.mark.parametrize("name", WRONG_MODELS)
def test_what_is_no_model(name):
    model, text = WRONG_MODELS[name]
    with pytest.raises(InputError, match=text) as error:
        read_for(model, rows())
    assert error.value.argument == (None if name == "not fitted" else "model")


WRONG_RECORDS = {
    "another type": (lambda X, order: np.zeros(3), 1, "must return Derivatives; got ndarray"),
    "other rows": (lambda X, order: record_at(X[:-1], order), 1, r"got first of shape \(6, 2, 3\)"),
    "other columns": (lambda X, order: record_at(X[:, :2], order), 1, r"got first of shape \(7, 2, 2\)"),
    "no second": (lambda X, order: record_at(X, 1), 2, "second derivatives for order 2; got None"),
}


@pytest.mark.parametrize("name", WRONG_RECORDS)
def test_wrong_records(name):
    function, order, text = WRONG_RECORDS[name]
    model = Plain()
    model.derivatives = function
    with pytest.raises(InputError, match=text):
        as_model(model).derivatives(rows(), order)


def test_the_door_gives_a_model_and_its_rows():
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0], "city": ["Oslo", "Bergen", "Oslo"]})
    model = from_function(lambda X: Normal(X[:, 0] + X[:, 1], 1.0))
    coded, table = read_for(model, X)
    assert table.names == ("size", "city")
    assert table.values.tolist() == [[1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]
    assert table.coding is coded.coding
    assert coded.coding.categorical == (1,)
    assert model.coding is None  # only the rows can tell
    again, same = read_for(model, table)  # rows that have been read are not read again
    assert same is table
    assert again.coding is table.coding
    _, weighted = read_for(model, X, [1.0, 2.0, 1.0])
    assert weighted.coding[1].frequencies.tolist() == [0.5, 0.5]
    with pytest.raises(InputError, match="X has no rows") as error:
        read_for(model, np.zeros((0, 2)))
    assert error.value.argument == "X"


# ---- rows are read once at the door, and once more by an estimator's public method -----------------------------------

RNG = np.random.default_rng(0)
ARRAY = RNG.normal(size=(40, 3))
FRAME = pd.DataFrame(ARRAY, columns=["a", "b", "c"])


@pytest.fixture
def reads(monkeypatch):
    """Counts how many rows are read as numbers."""
    counted = []
    read_columns = _table.read_columns

    def counting(X, *arguments, **options):
        counted.append(len(X))
        return read_columns(X, *arguments, **options)

    for module in (_table, _coding):
        monkeypatch.setattr(module, "read_columns", counting)
    return counted


def numpy_normal(X):
    return Normal(np.sin(X[:, 0]) * X[:, 1], np.exp(X[:, 2]))


@pytest.mark.parametrize("given", [FRAME, FRAME.assign(c=["x", "y"] * 20)], ids=["numbers", "levels"])
def test_a_function_reads_once(reads, given, monkeypatch):
    monkeypatch.setattr("rsens.derivatives._differences.ROWS_PER_CALL", 7)  # chunks are not read again
    rsens.rsens(from_function(numpy_normal), given)
    assert reads == [40]


# ---- adapters of other packages, by their entry points ---------------------------------------------------------------

#: The toy package of docs/models/own-package.md.
MODULE = """
class Line:
    def __init__(self, slope):
        self.slope = slope


class Other:
    pass
"""
ADAPTER = """
import rsens
from toyline import Line


def adapt(obj):
    if isinstance(obj, Line):
        return rsens.from_function(lambda X: rsens.Normal(obj.slope * X[:, 0], 0.25))
    return None
"""
BROKEN = {
    "import": ("import toyline_extras", "failed .*toyline_extras.*uninstall"),
    "no such function": ("adopt = None", "failed .*adapt"),
    "another result": ("def adapt(obj): return 3.0", r"failed .*must return an rsens\.Model.*got float"),
    "an error": ("def adapt(obj): raise OSError('no file')", "failed .*OSError: no file"),
}  # fmt: skip


@pytest.fixture
def toyline(tmp_path, monkeypatch):
    """Installs a package `toyline` whose distribution `rsens-toyline` offers an adapter with this source."""

    def install(source=ADAPTER):
        (tmp_path / "toyline.py").write_text(MODULE, encoding="utf-8")
        (tmp_path / "toyline_rsens.py").write_text(source, encoding="utf-8")
        folder = tmp_path / "rsens_toyline-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: rsens-toyline\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text("[rsens.adapters]\ntoyline = toyline_rsens:adapt\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        for name in ("toyline", "toyline_rsens"):
            monkeypatch.delitem(sys.modules, name, raising=False)
        _door.offered_adapters.cache_clear()
        import toyline

        return toyline

    yield install
    _door.offered_adapters.cache_clear()
    for name in ("toyline", "toyline_rsens"):
        sys.modules.pop(name, None)


def test_an_installed_package_brings_its_adapter(toyline):
    package = toyline()
    found = rsens.rsens(package.Line(3.0), ARRAY)
    np.testing.assert_allclose(found, np.tile([6.0, 0.0, 0.0], (40, 1)), atol=1e-8)
    subclass = type("Mine", (package.Line,), {})  # in the user's own module
    np.testing.assert_array_equal(rsens.rsens(subclass(3.0), ARRAY), found)


def test_an_adapter_is_loaded_for_objects_of_its_package_only(toyline):
    package = toyline()
    rsens.rsens(from_function(numpy_normal), ARRAY)
    with pytest.raises(InputError, match="got object"):
        rsens.rsens(object(), ARRAY)
    assert "toyline_rsens" not in sys.modules
    with pytest.raises(InputError, match="got Other"):  # an object that it does not know
        rsens.rsens(package.Other(), ARRAY)
    assert "toyline_rsens" in sys.modules


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_adapter_is_one_sentence(toyline, name):
    source, text = BROKEN[name]
    package = toyline(source)
    with pytest.raises(InputError, match=f"toyline_rsens:adapt of rsens-toyline {text}"):
        rsens.rsens(package.Line(3.0), ARRAY)
    rsens.rsens(from_function(numpy_normal), ARRAY)  # others are not concerned
