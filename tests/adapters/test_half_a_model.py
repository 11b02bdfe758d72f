"""A Bayesian program without its draws, or draws without their program: the error shows the line that joins them."""

import pytest

import rsens
from rsens import InputError

#: Classes as they are called in libraries that are not installed here, and the line to write.
HALVES = {
    "pymc.model.core.Model": r'from_pymc\(model, posterior, data="X"\)',
    "bambi.models.Model": r"from_bambi\(model, posterior\)",
    "xarray.core.datatree.DataTree": r"from_pymc\(model, posterior\) or from_bambi.*from_draws\(fn, draws\)",
    "arviz.data.inference_data.InferenceData": r"from_pymc\(model, posterior\) or from_bambi",
    "cmdstanpy.stanfit.mcmc.CmdStanMCMC": r"from_draws\(fn, fit\.stan_variables\(\)\)",
    "numpyro.infer.mcmc.MCMC": r"from_numpyro\(model, mcmc\)",
    "numpyro.infer.autoguide.AutoGuide": r"guide\.sample_posterior",
}


@pytest.mark.parametrize("name", HALVES)
def test_the_error_shows_the_line_to_write(name):
    module, _, kind = name.rpartition(".")
    half = type(kind, (), {"__module__": module, "predict": lambda self, X: X})()
    for given in (half, (half, object())):
        with pytest.raises(InputError, match=rf"expected a model with its posterior draws; got {kind}.*{HALVES[name]}"):
            rsens.explain(given, [[0.0], [1.0]])


def test_other_functions_and_pairs_are_left_to_the_door():
    for other in (lambda X: X, (1, 2)):
        with pytest.raises(InputError, match=r"expected a model; got"):
            rsens.explain(other, [[0.0], [1.0]])
