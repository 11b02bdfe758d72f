import numpy as np
import pytest
from matplotlib import pyplot as plt

from rsens._errors import InputError
from rsens.plots import heatmap
from tests.plots.looks import below
from tests.plots.pictured import NAMES, in_doubt, pictured


def cells(ax) -> dict[frozenset[str], float]:
    """Every coloured cell, by the two names it lies between."""
    values = ax.collections[0].get_array().reshape(len(ax.get_yticks()), -1)
    rows = [label.get_text() for label in ax.get_yticklabels()]
    columns = [label.get_text() for label in ax.get_xticklabels()]
    shown = np.argwhere(~np.ma.getmaskarray(np.ma.masked_invalid(values)))
    return {frozenset({rows[i], columns[j]}): float(values[i, j]) for i, j in shown}


def test_each_pair_is_one_cell_below_the_diagonal():
    explanation = pictured(NAMES)
    ax = heatmap(explanation)
    assert cells(ax) == {frozenset(pair): value for pair, value in explanation.pairs.items()}
    values = ax.collections[0].get_array().reshape(7, 7)
    assert np.ma.getmaskarray(np.ma.masked_invalid(values))[np.triu_indices(7, 1)].all()
    low, high = ax.get_ylim()
    assert low > high  # the first row is the uppermost


def marked(ax, hollow) -> set[frozenset[str]]:
    """The pairs with a dot, or with a hollow one."""
    found = [line for line in ax.lines if (line.get_markerfacecolor() == "none") == hollow]
    at = {(int(y), int(x)) for line in found for x, y in zip(*line.get_data(), strict=True)}
    return {frozenset({ax.get_yticklabels()[i].get_text(), ax.get_xticklabels()[j].get_text()}) for i, j in at}


def test_dots_mark_the_pairs_that_the_test_marks():
    explanation = in_doubt(pictured(NAMES))
    above = explanation.inference.pair_above.copy()
    above.iloc[::2] = False  # whatever the values
    ax = heatmap(explanation.but(pair_above=above))
    assert marked(ax, hollow=False) == {frozenset(pair) for pair in above.index[above]}
    assert marked(ax, hollow=True) == {frozenset(p) for p in above.index[explanation.inference.pair_unclear]} != set()
    assert "● the data contradict a model in which these two add up on the scale of y (5 % per pair)" in below(ax)
    assert "○ inconclusive" in below(ax)


def test_the_note_says_why_nothing_is_marked():
    explanation = pictured(NAMES)
    none = explanation.inference.pair_above & False
    assert below(heatmap(explanation.but(pair_above=none))) == "no interaction found by the test"
    additive = explanation.but(pair_above=none, pair_additive=~none, test_scale="logit")
    ax = heatmap(additive)
    assert not ax.lines
    assert below(ax) == "the model adds up on the logit scale by construction"


def test_top_keeps_the_variables_of_the_largest_pairs():
    explanation = pictured(NAMES)
    ax = heatmap(explanation, top=4)
    strongest = {name: max(v for pair, v in explanation.pairs.items() if name in pair) for name in NAMES}
    kept = set(sorted(NAMES, key=lambda name: -strongest[name])[:4])
    assert set().union(*cells(ax)) == kept
    assert len(cells(ax)) == 6
    assert "4 more variables not shown" in below(ax)
    assert cells(heatmap(explanation, top=50)) == cells(heatmap(explanation))


def test_less_than_two_variables_are_an_error():
    with pytest.raises(InputError, match="at least two variables; got one"):
        heatmap(pictured(["only"]))
    with pytest.raises(InputError, match="at least two variables; got top=1"):
        heatmap(pictured(NAMES), top=1)
    assert plt.get_fignums() == []
