"""`study`: what comes out of a table, and what is said about it."""

import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import InputError, RsensWarning, study
from rsens._app.study import Settings, _model_table, analyse, explain_task
from tests.app.study.tables import classes, numbers, with_text

#: Without the parts that take long.
QUICK = {"cv": 0, "null": False}


@pytest.fixture(scope="module")
def whole():
    """A study with everything."""
    return study(numbers(), "y")


def kinds(result):
    return [note.kind for note in result.notes]


def test_the_known_answer(whole):
    """2a has the largest slope, d none, and b and c interact."""
    assert whole.explanation.main.idxmax() == "a"
    assert whole.explanation.main.idxmin() == "d"
    assert whole.explanation.pairs.idxmax() == ("b", "c")
    assert (whole.explanation.main > whole.explanation.null)[["a", "b", "c"]].all()
    assert whole.assessment.gain > 2 * whole.assessment.gain_error
    assert whole.likelihood.kind == "gaussian"
    assert isinstance(whole.model, rsens.GPRegressor)
    assert list(whole.X.columns) == list("abcd")
    assert whole.y.name == "y"


def test_the_same_seed_gives_the_same_numbers(whole):
    again = study(numbers(), "y")
    assert again.to_dict() == whole.to_dict()
    other = study(numbers(), "y", random_state=1)
    assert (other.explanation.null != whole.explanation.null).all()


def test_the_keys_of_the_summary(whole):
    """As docs/command-line.md lists them; the numbers are those of `to_frame`."""
    shared = {"rank", "value", "lower", "upper", "interval_kind", "above_null", "p_value", "discovery", "null_kind"}
    found, e = whole.to_dict(), whole.explanation
    variables, pairs = found["variables"], found["pairs"]
    more = {"name", "null", "familywise", "per", "direction", "consistency", "parts"}
    assert all(set(line) == shared | more for line in variables)
    more = {"first", "second", "parts", "uncertainty_only", "additive", "unclear"}
    assert all(set(line) == shared | more for line in pairs)
    assert found["intervals_hold"] is True
    for lines, order in ((variables, 1), (pairs, 2)):
        frame = e.to_frame(order)
        for key in sorted(shared):
            assert [line[key] for line in lines] == frame[key].tolist(), key
        assert [list(line["parts"].values()) for line in lines] == frame[["part_mean", "part_variance"]].values.tolist()
    assert variables[0]["interval_kind"] == "refits"
    assert (pairs[0]["first"], pairs[0]["second"], pairs[0]["above_null"], pairs[0]["additive"]) == (
        "b",
        "c",
        True,
        False,
    )


def test_settings_say_how_to_do_it_again(whole):
    settings = whole.settings
    assert settings["target"] == "y"
    assert settings["rows_in_data"] == settings["rows_used"] == 60
    assert settings["arguments"]["seed"] == 0
    assert settings["versions"]["rsens"] == rsens.__version__
    assert settings["fingerprint"] == study(numbers(), "y", **QUICK).settings["fingerprint"]
    assert settings["fingerprint"] != study(numbers(seed=1), "y", **QUICK).settings["fingerprint"]


@pytest.mark.parametrize(
    ("frame", "options", "model"),
    [
        (numbers(30), {"likelihood": "student_t"}, "GPRegressor"),
        (numbers(30).assign(y=lambda f: np.round(np.exp(f["y"] / 2))), {"likelihood": "poisson"}, "GPRegressor"),
        (classes(2, 30), {}, "GPClassifier"),
        (classes(3, 30), {}, "GPClassifier"),
        (numbers(30), {"model": "linear"}, "BayesianLinearRegression"),
        (classes(3, 30), {"model": "linear"}, "BayesianProbitRegression"),
    ],
)
def test_model_of_the_likelihood(frame, options, model):
    result = study(frame, "y", **options, **QUICK)
    assert type(result.model).__name__ == model
    assert result.explanation.main.idxmax() == "a"


def test_text_and_codes_are_categorical():
    result = study(with_text(), "y", categorical=["code"], **QUICK)
    assert set(result.explanation.categorical) == {"town", "code"}
    assert result.explanation.main["town"] > result.explanation.main["code"]


def test_two_numbers_are_compared_and_a_note_says_so():
    frame = numbers().assign(flag=lambda f: (np.arange(len(f)) % 4 == 0) * 1, d=lambda f: np.arange(len(f)) % 2)
    frame["y"] += 3.0 * frame["flag"]
    result = study(frame, "y", **QUICK)
    assert set(result.explanation._two_valued) == {"flag", "d"}
    note = next(note for note in result.notes if note.kind == "two_values")
    assert set(note.columns) == {"flag", "d"}
    assert "have two values and are compared between them, like a category" in note.text
    one = study(frame, "y", numeric=["d"], **QUICK)
    assert one.explanation._two_valued == ("flag",)
    assert one.settings["arguments"]["numeric"] == ["d"]
    assert "'flag' has two values" in next(note for note in one.notes if note.kind == "two_values").text
    assert "two_values" not in kinds(study(frame, "y", numeric=["d", "flag"], **QUICK))


@pytest.mark.parametrize(
    ("numeric", "match"),
    [
        (["flog"], "the table has no numeric column 'flog'"),
        ("code", "numeric must be a list"),
        (["town"], "numeric names the column 'town', which is categorical"),
    ],
)
def test_wrong_numeric_columns(numeric, match):
    with pytest.raises(InputError, match=match):
        study(with_text(), "y", numeric=numeric, **QUICK)


def test_row_labels_are_kept():
    frame = numbers(30).set_axis([f"row {i}" for i in range(30)], axis=0)
    frame.loc["row 4", "a"] = np.nan
    result = study(frame, "y", rows=10, **QUICK)
    assert set(result.X.index) < set(frame.index) - {"row 4"}
    assert "missing" in kinds(result)
    assert list(result.explanation.local_main.index) == list(result.X.index) == list(result.y.index)
    pd.testing.assert_frame_equal(result.X, frame.loc[result.X.index, list("abcd")])


def test_rows_are_drawn_and_a_note_says_so(monkeypatch):
    result = study(numbers(), "y", rows=25, **QUICK)
    assert len(result.X) == 25
    assert "25 of 60 rows" in next(note.text for note in result.notes if note.kind == "sample")
    monkeypatch.setattr(_model_table, "MOST_CELLS", 100)
    result = study(numbers(), "y", **QUICK)
    assert len(result.X) == 20
    assert "more may not fit in memory" in next(note.text for note in result.notes if note.kind == "sample")


@pytest.mark.parametrize("category", [RsensWarning, UserWarning])
def test_our_warnings_become_notes_each_once_and_others_stay(monkeypatch, category):
    fit = rsens.GPRegressor.fit

    def warn_and_fit(self, X, y):
        warnings.warn("a warning", category, stacklevel=2)
        return fit(self, X, y)

    monkeypatch.setattr(rsens.GPRegressor, "fit", warn_and_fit)
    with nullcontext() if category is RsensWarning else pytest.warns(UserWarning, match="a warning"):
        result = study(numbers(30), "y", cv=2, null=False)
    told = [note.text for note in result.notes if note.kind == "warning"]
    assert told == (["a warning"] if category is RsensWarning else [])


def test_no_more_folds_than_rows_and_a_note_says_so():
    result = study(numbers(12), "y", model="linear", cv=500, null=False, pairs=0)
    assert result.assessment.n_folds == 12
    assert any("one fold for each of the 12 rows" in str(note) for note in result.notes)


def test_many_columns_have_no_pairs_unless_asked_for():
    rng = np.random.default_rng(0)
    frame = numbers(40).join(pd.DataFrame(rng.normal(size=(40, 60))).add_prefix("z"))
    result = study(frame, "y", model="linear", **QUICK)
    assert result.explanation.order == 1
    assert "Pairs were not computed, as there are 64 columns; pairs=10 computes them." in [n.text for n in result.notes]
    assert study(frame, "y", model="linear", pairs=3, **QUICK).explanation.order == 2


def test_too_many_pairs_are_refused_before_the_first_fit(monkeypatch):
    monkeypatch.setattr("rsens._explain._context.MOST_COLUMNS_OF_PAIRS", 3)
    monkeypatch.setattr(rsens.GPRegressor, "fit", None)
    with pytest.raises(InputError, match=r"^pairs=2 asks for pairs, .* at most 3 columns; got 4 columns, 6 pairs"):
        study(numbers(30), "y", pairs=2)


def test_one_column():
    result = study(numbers(30)[["a", "y"]], "y", **QUICK)
    assert list(result.explanation.names) == ["a"]
    assert "pairs" not in result.text().lower().replace("strongest", "")


def test_inducing_inputs():
    settings = Settings(data=numbers(), target="y", inducing=15, **QUICK)
    result = analyse(settings, explain_task(settings))
    assert len(result.model.inducing_inputs_) == 15
    assert "Sparse Gaussian process" in result.text()
    with pytest.raises(InputError, match="a linear model has no inducing inputs"):
        Settings(data=numbers(), target="y", inducing=15, model="linear")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": None}, "target is missing.*'a', 'b'"),
        ({"target": "z"}, "no target column 'z'"),
        ({"model": "forest"}, "model must be one of"),
        ({"model": "linear", "likelihood": "student_t"}, "no student t likelihood"),
        ({"likelihood": "weibull"}, "likelihood must be one of"),
        ({"rows": 1}, "rows must be"),
        ({"pairs": -1}, "pairs must be"),
        ({"cv": 1}, "at least 2 folds"),
        ({"data": numbers(9), "cv": 5}, "only 9 rows, too few to check a model"),
        ({"drop": "a"}, "drop must be a list"),
        ({"drop": ["q"]}, "no column to drop 'q'"),
        ({"drop": list("abcd")}, "no columns are left"),
        ({"random_state": -1}, "random_state"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"data": numbers().to_numpy()}, "data must be a data frame or the path"),
    ],
)
def test_errors(options, message):
    with pytest.raises(InputError, match=message):
        study(**{"data": numbers(10), "target": "y", **options})
