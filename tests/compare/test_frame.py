"""The table of `compare` is a data frame with a view of its own."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from rsens._compare import ComparisonFrame, compare
from rsens._errors import InputError
from rsens.derivatives import from_function
from rsens.distributions import Normal
from tests.compare.models import noisy
from tests.pages import harmless

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def table():
    model = from_function(lambda X: Normal(X[:, 0] + 2.0 * X[:, 1], 1.0 + X[:, 2] ** 2))
    return compare(model, X, methods=["ead", "pd", "ard", "rsens"], random_state=0)


def test_parts_and_pickles_are_comparisons(table):
    assert type(table[table["method"] == "ead"]) is type(table.sort_values("value")) is ComparisonFrame
    again = pickle.loads(pickle.dumps(table))
    pd.testing.assert_frame_equal(again, table)
    assert again.attrs == table.attrs == {"order": 1, "scale": "sd", "budget": "standard"}


# ---- wide ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["value", "rank"])
def test_wide_has_terms_by_methods(table, what):
    wide = table.wide(what)
    assert type(wide) is pd.DataFrame
    assert list(wide.columns) == ["ead", "pd", "rsens"]  # ard could not answer
    assert list(wide.index) == ["b", "a", "c"]  # by the ranks of the first
    for _, row in table[table["status"] == "ok"].iterrows():
        assert wide.loc[row["term"], row["method"]] == row[what]
    assert wide.shape == (3, 3)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (lambda t: pd.concat([t, t]), "two rows for one term"),
        (lambda t: t.rename(columns={"term": "x"}), "no column 'term'"),
    ],
    ids=["two", "renamed"],
)
def test_what_is_no_comparison_any_more(table, part, text):
    other = part(table)
    with pytest.raises(InputError, match=text):
        other.wide()
    assert "dataframe" in other._repr_html_()  # as pandas shows it


def test_wide_takes_value_or_rank(table):
    with pytest.raises(InputError, match="what must be"):
        table.wide("seconds")


# ---- views -----------------------------------------------------------------------------------------------------------


def test_the_view_has_ranks_values_meanings_and_reasons(table):
    text = " ".join("".join(harmless(table._repr_html_()).texts).split())
    assert text.startswith("All 3 methods put b first.")
    value = table.wide().loc["b", "ead"]
    assert f"1 ({value:.2f}"[:7] in text
    assert "mean size of the slope" in text
    assert "ard could not answer: ard reads the length-scales" in text


def test_the_view_of_many_terms_and_of_none(table):
    many = compare(noisy(lambda X: X[:, 0]), rng.normal(size=(20, 40)), methods="ead")
    assert "… and 10 more in wide()" in "".join(harmless(many._repr_html_()).texts)
    failed = table[table["status"] != "ok"]
    assert "dataframe" in failed._repr_html_()  # as pandas shows it
