"""All plots: they draw into the Axes that they are given, change nothing else, and refuse wrong options first."""

import inspect

import matplotlib
import pandas as pd
import pytest
from matplotlib import pyplot as plt

from rsens import Explanation, plots
from rsens._errors import InputError
from tests.assess.made import drawn_numbers
from tests.plots import explained
from tests.plots.compared import METHODS, compared
from tests.plots.effects_and_rows import mixed_columns, with_names
from tests.plots.pictured import NAMES, divided, pictured
from tests.select_interactions.made import made
from tests.stability.results import noisy

#: What each plot of one panel is given.
ARGUMENTS = {
    "bars": lambda: (pictured(NAMES),),
    "beeswarm": lambda: (pictured(NAMES),),
    "calibration": lambda: (drawn_numbers(),),
    "comparison": lambda: (compared(NAMES, METHODS),),
    "effects": lambda: (mixed_columns(),),
    "heatmap": lambda: (pictured(NAMES),),
    "rank_stability": lambda: (noisy(NAMES),),
    "row": lambda: (with_names(["a", "b"]).row(0),),
    "selection": lambda: (made(),),
    "subgroups": lambda: (divided(NAMES, ["north", "south"]),),
    "surface": lambda: (explained.levels(), "age", "city"),
}

every_plot = pytest.mark.parametrize("name", ARGUMENTS)


@pytest.fixture(autouse=True)
def no_figure_of_another_test():
    plt.close("all")


def draw(name: str, **options):
    return getattr(plots, name)(*ARGUMENTS[name](), **options)


@every_plot
def test_given_axes_are_used_and_nothing_global_changes(name):
    figure, (given, other) = plt.subplots(1, 2)
    before, current = dict(matplotlib.rcParams), plt.gca()
    assert draw(name, ax=given) is given
    assert plt.get_fignums() == [figure.number]
    assert plt.gca() is current
    assert dict(matplotlib.rcParams) == before
    assert not other.has_data()
    assert figure.axes[:2] == [given, other]  # and a colour bar


@every_plot
def test_without_axes_there_is_one_new_figure(name):
    ax = draw(name)
    assert plt.get_fignums() == [ax.figure.number]
    assert ax.figure.axes[0] is ax


@every_plot
def test_wrong_arguments_are_errors_and_leave_no_figure(name):
    plot = getattr(plots, name)
    with pytest.raises(InputError, match=r"ax must be matplotlib Axes or None; got str"):
        draw(name, ax="here")
    for top in (0, 2.0) if "top" in inspect.signature(plot).parameters else ():
        with pytest.raises(InputError, match="top must be a whole number of at least 1"):
            draw(name, top=top)
    for wrong in (
        (pd.DataFrame({"a": [1.0]}), Explanation) if name != "comparison" else ()
    ):  # any table with its columns
        with pytest.raises(InputError, match=f"{name} draws what .* returned; got {type(wrong).__name__}"):
            plot(wrong, *ARGUMENTS[name]()[1:])
    assert plt.get_fignums() == []
