"""Explanations as JSON files."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsens._errors import InputError
from rsens._explain import Explanation, explain
from rsens.measures import rsens
from tests.explain.cases import text_of
from tests.explain.models import BayesianLinear, Heteroscedastic, Linear, Softmax

NAMES = ['<script>alert("x")</script>', "überraschend, 'quoted' \\ \n\t", "🚲" * 50 + " \x00"]
TABLES = (
    "main", "pairs", "direction", "consistency", "effects", "parts", "pair_parts", "intervals", "pair_intervals",
    "null", "by", "extrapolation", "local_main", "scale",
)  # fmt: skip
PLAIN = ("names", "groups", "level", "family", "n", "order", "scale_kind")


@cache
def explanations() -> dict[str, Explanation]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(40, 3)), columns=NAMES, index=pd.Index([f"row {i}" for i in range(40)], name="id")
    )
    y = X.iloc[:, 0].to_numpy() + rng.normal(size=40)
    numbered = pd.DataFrame(rng.normal(size=(6, 2)), index=[3, 1, 4, 1, 5, 9])
    return {
        "everything": explain(
            BayesianLinear().fit(X, y), X, y, keep_local="pairs", by=rng.integers(0, 3, size=40), random_state=0,
            groups={"🎿 & <b>": NAMES[:2]}, intervals=("auto", 0.9), scale=[0.1, 1 / 3, 1e-300],
        ),
        "little": explain(Linear([1.0, 2.0]), rng.normal(size=(5, 2)), pairs=False, intervals=False),
        "labels": explain(Linear([1.0, 2.0]), numbered, by=["a", "b"] * 3),
        "classes": explain(Softmax(rng.normal(size=(2, 3))), rng.normal(size=(20, 2))),
        "one row": explain(Linear([1.0, 2.0, 3.0]), [[1.0, 2.0, 3.0]], scale="raw"),
        "one column": explain(Linear([1.0]), [[1.0], [2.0]]),
    }  # fmt: skip


@pytest.mark.parametrize("case", ["everything", "little", "labels", "classes", "one row", "one column"])
def test_round_trip_is_exact(case, tmp_path):
    path = tmp_path / "explanation.json"
    saved = explanations()[case]
    saved.save(path)
    loaded = Explanation.load(path)
    for name in PLAIN:
        assert getattr(loaded, name) == getattr(saved, name)
    for name in TABLES:
        before, after = getattr(saved, name, None), getattr(loaded, name, None)
        assert type(after) is type(before)
        if isinstance(before, pd.DataFrame):
            pd.testing.assert_frame_equal(after, before, check_exact=True)
        elif before is not None:
            pd.testing.assert_series_equal(after, before, check_exact=True)
    if case == "everything":
        np.testing.assert_array_equal(loaded.local_pairs, saved.local_pairs)
    assert repr(loaded) == repr(saved)
    assert loaded._repr_html_() == saved._repr_html_()
    again = tmp_path / "again.json"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_the_largest_and_the_smallest_numbers(tmp_path):
    units = [5e-324, 1.7976931348623157e308, 0.1 + 0.2]
    explain(Linear([0.0, 0.0, 0.0]), np.eye(3), scale=units, pairs=False).save(tmp_path / "x.json")
    assert Explanation.load(tmp_path / "x.json").scale.tolist() == units


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(), min_size=2, max_size=3, unique=True))
def test_any_column_names(names):
    rows = np.arange(4.0 * len(names)).reshape(4, -1)
    result = explain(
        Linear(np.ones(len(names))), pd.DataFrame(rows, columns=pd.Index(names, dtype=object)), intervals=False
    )
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "x.json")
        loaded = Explanation.load(Path(folder) / "x.json")
    assert loaded.names == tuple(names)
    assert list(loaded.pairs.index) == list(result.pairs.index)
    assert repr(loaded) == repr(result)
    assert loaded._repr_html_() == result._repr_html_()


@cache
def saved() -> str:
    return text_of(explanations()["everything"])


@pytest.fixture
def content():
    return json.loads(saved())


def load(tmp_path, content):
    text = content if isinstance(content, bytes) else json.dumps(content).encode()
    (tmp_path / "bad.json").write_bytes(text)
    return Explanation.load(tmp_path / "bad.json")


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["content"].pop("setup"),
        lambda content: content["content"]["setup"].update(level="high"),
        lambda content: content["content"]["values"]["main"]["values"].reverse(),
        lambda content: content["content"]["values"]["main"].update(shape=[1]),
        lambda content: content["content"].update(surprise=1),
        lambda content: content.update(surprise=1),
        lambda content: content.pop("sha256"),
    ],
)
def test_a_changed_file_is_damaged(tmp_path, content, change):
    assert load(tmp_path, content).n == 40
    change(content)
    with pytest.raises(InputError, match=r"bad\.json is damaged.*Write it again with Explanation\.save"):
        load(tmp_path, content)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture
def X():
    return pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=["a", "b", "c"])


@pytest.mark.parametrize(("variable", "scale", "unit"), [("c", "raw", 1.0), (2, {"a": 1.0, "b": 1.0, "c": 5.0}, 5.0)])
def test_a_profile_is_in_the_units_of_the_explanation(X, scale, unit, variable):
    result = explain(Heteroscedastic(), X, scale=scale)
    axes = result.plot_profile(variable, at=3)
    grid = np.repeat(X.to_numpy()[[3]], 101, axis=0)
    grid[:, 2] = np.linspace(X["c"].min(), X["c"].max(), 101)
    expected = unit * rsens(Heteroscedastic(), grid)[:, 2]
    lines = [line.get_ydata() for line in axes[1].get_lines()]
    assert any(len(line) == 101 and np.allclose(line, expected, rtol=1e-12) for line in lines)


def test_the_file_is_plain_json_with_row_labels_as_text(tmp_path):
    explanations()["everything"].save(tmp_path / "x.json")
    content = json.loads((tmp_path / "x.json").read_text(encoding="ascii"))
    assert content["format"].startswith("rsens explanation")
    assert content["content"]["setup"]["columns"] == NAMES
    X = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.to_datetime(["2020-01-01", "2020-01-02"]))
    explain(Linear([1.0]), X).save(tmp_path / "x.json")
    labels = Explanation.load(tmp_path / "x.json").local_main.index.tolist()
    assert labels == ["2020-01-01 00:00:00", "2020-01-02 00:00:00"]


def test_plots_in_axes_and_after_loading(X, tmp_path):
    result = explain(Heteroscedastic(), X)
    _, ax = plt.subplots()
    assert result.plot_surface("a", 1, ax=ax, n_grid=5) is ax
    result.save(tmp_path / "x.json")
    loaded = Explanation.load(tmp_path / "x.json")
    assert (loaded.model, loaded.data) == (None, None)
    with pytest.raises(InputError, match="Give both to plot_surface, as model and X"):
        loaded.plot_surface("a", "b")
    with pytest.raises(InputError, match="Give both to plot_profile, as model and X"):
        loaded.plot_profile("a", model=Heteroscedastic())
    assert len(loaded.plot_profile("a", model=Heteroscedastic(), X=X)) == 2
    loaded.plot_bars()
    loaded.plot_pairs()
    drawn, again = (e.plot_surface("a", "b", model=Heteroscedastic(), X=X, n_grid=5) for e in (result, loaded))
    np.testing.assert_array_equal(drawn.images[0].get_array(), again.images[0].get_array())
