import io

import pandas as pd
import pytest
from scipy.stats import spearmanr

from rsens._errors import InputError
from rsens.plots import comparison
from tests.plots.compared import METHODS, PAIR_METHODS, compared, pairs, with_failure
from tests.plots.looks import below, drawn, marks
from tests.plots.pictured import NAMES


def cells(ax) -> dict[tuple[str, str], str]:
    """What is written in the table, by the labels of its line and column."""
    columns = [label.get_text() for label in ax.get_xticklabels()]
    lines = dict(zip(ax.get_yticks(), (label.get_text() for label in ax.get_yticklabels()), strict=True))
    written = [text for text in marks(ax) if text.get_text() != "rank by"]
    return {(lines[t.get_position()[1]], columns[int(t.get_position()[0])]): t.get_text() for t in written}


def test_every_rank_is_in_its_cell():
    df = compared(NAMES, METHODS)
    found = cells(drawn(comparison(df)))
    for row in df.itertuples():
        assert found[row.term, row.method] == str(row.rank)
    assert len(found) == len(df) + len(METHODS)


def test_the_terms_are_in_the_order_of_the_first_method():
    df = compared(NAMES, METHODS)
    shuffled = df.sample(frac=1.0, random_state=0).sort_values("method", key=lambda m: m.map(METHODS.index))
    for table in (df, shuffled):
        ax = comparison(table)
        assert [label.get_text() for label in ax.get_yticklabels()][:-1] == NAMES
        assert [label.get_text() for label in ax.get_xticklabels()] == METHODS
        low, high = ax.get_ylim()
        assert low > high  # the first is the uppermost


def test_correlations_are_spearmans_with_the_first_over_all_terms():
    df = compared(pairs(8), PAIR_METHODS, noise=1.5)
    found = cells(comparison(df, top=4))
    values = df.pivot(index="term", columns="method", values="value")
    for method in PAIR_METHODS:
        expected = spearmanr(values["rsens2"], values[method]).statistic
        assert float(found["correlation with rsens2", method].replace("−", "-")) == pytest.approx(expected, abs=0.005)


def test_methods_that_failed_are_named_below():
    df = with_failure(compared(NAMES, METHODS), "pfi", "y is None. Give y.")
    ax = drawn(comparison(with_failure(df, "rsens", "word " * 50)))
    assert "pfi" not in [label.get_text() for label in ax.get_xticklabels()]
    assert ax.get_yticklabels()[-1].get_text() == "correlation with ead"  # the first that answered
    caption = below(ax)
    assert "pfi gave no values: y is None. Give y." in caption.replace("\n", " ")
    assert "…" in caption
    assert below(comparison(compared(NAMES, METHODS))) == ""


@pytest.mark.parametrize(
    ("df", "text"),
    [
        (compared(NAMES, METHODS).drop(columns="rank"), "no column 'rank'"),
        ("table.csv", "df must be what rsens.compare returned"),
        (with_failure(compared(["a"], ["rsens"]), "rsens", "no"), "no method"),
        (pd.concat([compared(NAMES, METHODS)] * 2), "one comparison at a time"),
    ],
)
def test_wrong_input(df, text):
    with pytest.raises(InputError, match=text):
        comparison(df)


def test_from_a_csv_file():
    df = with_failure(compared(NAMES, METHODS), "pfi", "no")
    read = pd.read_csv(io.StringIO(df.to_csv(index=False)))
    assert cells(comparison(read)) == cells(comparison(df))
