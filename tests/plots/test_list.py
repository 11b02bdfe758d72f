"""The list of plots: every public one is in it, with what the report and the documentation say of it."""

import inspect

import pytest

from rsens import plots
from rsens.plots import PLOTS, Plot
from tests.app.study.test_figures import TOY


def test_every_function_that_draws_is_in_the_list_once():
    """What takes `ax` draws; `profile_of` is `profile` in the units of an explanation."""
    functions = {name: f for name, f in vars(plots).items() if inspect.isfunction(f)}
    draw = {name for name, function in functions.items() if "ax" in inspect.signature(function).parameters}
    assert draw - {"profile_of"} == {plot.name for plot in PLOTS}
    assert len(draw) - 1 == len(PLOTS) == len({plot.file for plot in PLOTS})


@pytest.mark.parametrize("plot", [*PLOTS, TOY], ids=lambda plot: plot.name)
def test_a_plot_takes_what_it_is_given_and_has_a_summary(plot: Plot):
    parameters = inspect.signature(plot.draw).parameters
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    assert takes_all or {"ax", *plot.takes, *plot.options} <= set(parameters)
    assert plot.summary.endswith((".", ":"))
    assert "\n" not in plot.summary
