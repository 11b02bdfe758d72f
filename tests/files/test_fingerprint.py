"""Digests of values: equal for equal values, in any process and on any day."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rsens._errors import InputError
from rsens._files import fingerprint
from rsens.kernels import EQ, Linear
from rsens.models import GPRegressor


@dataclass(frozen=True)
class Setting:
    a: float
    b: object = None


class Plain:
    def __init__(self, a):
        self.a = a


def adds(k):
    return lambda x: x + k


def frame(**changes):
    columns = {"a": [1.0, 2.0], "b": ["x", "y"], "c": pd.Categorical(["u", "u"], ["u", "v"])}
    return pd.DataFrame(columns | changes)


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


#: Each call makes its value again; all of them differ from each other.
MAKERS = [
    lambda: None,
    lambda: True,
    lambda: 1,
    lambda: 1.0,
    lambda: "1",
    lambda: b"1",
    lambda: [1, 2],
    lambda: (1, 2),
    lambda: [[1], 2],
    lambda: {"a": 1, "b": 2},
    lambda: {"a": 1, "b": 3},
    lambda: {3, 1, 2},
    lambda: np.arange(3.0),
    lambda: np.arange(3),
    lambda: np.arange(3.0)[np.newaxis],
    lambda: np.array(["a", "b"]),
    lambda: np.array(["a", 1], dtype=object),
    frame,
    lambda: frame(a=[1.0, 3.0]),
    lambda: frame(b=["x", "z"]),
    lambda: frame(c=pd.Categorical(["u", "u"], ["u", "w"])),
    lambda: frame(c=["u", "u"]),
    lambda: frame().rename(columns={"a": "aa"}),
    lambda: frame()["a"],
    lambda: pd.Timestamp("2020-01-01"),
    lambda: Setting(1.0),
    lambda: Setting(2.0),
    lambda: Setting(1.0, (Setting(3.0),)),
    lambda: Plain(1),
    lambda: Plain(2),
    lambda: adds(1),
    lambda: adds(2),
    lambda: lambda X: X[..., 0],
    lambda: lambda X: X[..., 1],
    lambda: partial(adds, 2),
    lambda: np.sum,
    lambda: np.exp,
    lambda: len,
    lambda: Plain,
    lambda: GPRegressor(),
    lambda: GPRegressor(n_restarts=0),
    lambda: GPRegressor(kernel=EQ(1.0, (1.0, 2.0))),
    lambda: GPRegressor(kernel=EQ(1.0, (1.0, 3.0))),
    lambda: GPRegressor(kernel=EQ(1.0, (1.0, 2.0)) + Linear(1.0)),
    lambda: GPRegressor(random_state=np.random.RandomState(0)),
    lambda: GPRegressor(random_state=np.random.RandomState(1)),
    lambda: np.random.default_rng(0),
    lambda: make_pipeline(StandardScaler(), RandomForestRegressor(max_depth=2)),
    lambda: make_pipeline(StandardScaler(), RandomForestRegressor(max_depth=3)),
]


def test_fingerprints_are_equal_for_equal_values_only():
    fingerprints = [fingerprint(make()) for make in MAKERS]
    assert fingerprints == [fingerprint(make()) for make in MAKERS]
    assert len(set(fingerprints)) == len(fingerprints)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (np.float64(0.5), 0.5),
        (np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3))),
        (np.arange(6.0)[::2], np.array([0.0, 2.0, 4.0])),
        (np.arange(3.0), read_only([0.0, 1.0, 2.0])),
        (frame(), frame().set_axis(["r", "s"])),
        (["ab", "ab"], ["ab", "".join(["a", "b"])]),
        (GPRegressor(), GPRegressor().fit([[0.0], [1.0]], [0.0, 1.0])),
    ],
)
def test_fingerprints_do_not_see_how_a_value_is_stored(one, other):
    assert fingerprint(one) == fingerprint(other)


def test_tables_of_any_library():
    """Equal for equal columns of any library; names count."""
    pandas = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    one, other, renamed = pl.from_pandas(pandas), pl.DataFrame({"a": [1.0, 3.0], "b": ["x", "y"]}), pandas[["b", "a"]]
    assert fingerprint(one) == fingerprint(one.to_arrow()) == fingerprint(pandas)
    assert len({fingerprint(table) for table in (one, other, renamed, pl.from_pandas(renamed))}) == 3
    assert fingerprint(one["a"]) == fingerprint(pandas["a"]) != fingerprint(other["a"])


def test_cycles_end():
    loop, other = Plain(1), Plain(1)
    loop.me, other.me = [loop], [other]
    assert fingerprint(loop) == fingerprint(other)


CODE = """
from rsens._files import fingerprint
class Estimator:
    def get_params(self, deep):
        return {"b": {"p", "q", "r"}, "a": (1.0, None)}
def function(x, y=("a", "b")):
    inner = lambda z: z in {"p", "q", "r"}
    return inner(x)
printed = fingerprint(Estimator(), {"a", "b", "c"}, function)
"""


def test_the_same_in_another_process():
    """With another hash seed: nothing may depend on the order of sets, or on addresses."""
    here = {"__name__": "__main__"}
    exec(CODE, here)
    found = subprocess.run(
        [sys.executable, "-c", f"{CODE}print(printed)"],
        env=os.environ | {"PYTHONHASHSEED": "1"}, capture_output=True, check=True, text=True,
    )  # fmt: skip
    assert found.stdout.strip() == here["printed"]


def test_what_cannot_be_taken_apart_is_an_error():
    with pytest.raises(InputError, match=r"^folder: .*generator.* Run without folder, or use") as error:
        fingerprint(x for x in ())
    assert error.value.argument == "folder"
