"""Digests of values: equal for equal values, in any process and on any day."""

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


def makers():
    """Values that are made again at each call; all of them differ from each other."""
    plain = [None, True, 1, 1.0, "1", b"1", [1, 2], (1, 2), [[1], 2], {"a": 1, "b": 2}, {"a": 1, "b": 3}, {3, 1, 2}]
    arrays = [np.arange(3.0), np.arange(3), np.arange(3.0)[np.newaxis], np.array(["a", "b"])]
    frames = [
        frame(), frame(a=[1.0, 3.0]), frame(b=["x", "z"]), frame(c=pd.Categorical(["u", "u"], ["u", "w"])),
        frame(c=["u", "u"]), frame().rename(columns={"a": "aa"}), frame()["a"], pd.Timestamp("2020-01-01"),
    ]  # fmt: skip
    objects = [Setting(1.0), Setting(2.0), Setting(1.0, (Setting(3.0),)), Plain(1), Plain(2), Plain]
    functions = [adds(1), adds(2), lambda X: X[..., 0], lambda X: X[..., 1], partial(adds, 2), np.sum, np.exp, len]
    processes = [GPRegressor(kernel=kernel) for kernel in (None, EQ(1.0, (1.0, 2.0)), EQ(1.0, (1.0, 3.0)))]
    processes += [GPRegressor(kernel=EQ(1.0, (1.0, 2.0)) + Linear(1.0)), GPRegressor(n_restarts=0)]
    random = [GPRegressor(random_state=np.random.RandomState(seed)) for seed in (0, 1)]
    pipelines = [make_pipeline(StandardScaler(), RandomForestRegressor(max_depth=depth)) for depth in (2, 3)]
    mixed = np.array(["a", 1], dtype=object)
    generators = [np.random.default_rng(0)]
    return [*plain, *arrays, mixed, *frames, *objects, *functions, *processes, *random, *generators, *pipelines]


def test_fingerprints_are_equal_for_equal_values_only():
    fingerprints = [fingerprint(value) for value in makers()]
    assert fingerprints == [fingerprint(value) for value in makers()]
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
