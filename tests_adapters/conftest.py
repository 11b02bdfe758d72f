"""Tests of libraries that have an environment of their own (`make test-adapters`): PyMC, bambi, ArviZ, skpro."""

import logging
import warnings

import matplotlib
import numpy as np
import pytest

with warnings.catch_warnings():  # they warn while they are imported, and nothing of ours can avoid it
    warnings.simplefilter("ignore")
    import bambi  # noqa: F401
    import pymc  # noqa: F401

matplotlib.use("Agg")
logging.getLogger("pymc").setLevel(logging.ERROR)

#: NUTS without compiling: PyTensor's default mode takes minutes to compile what then runs for a second.
QUICK = {
    "draws": 60,
    "tune": 60,
    "chains": 2,
    "cores": 1,
    "progressbar": False,
    "random_seed": 0,
    "compile_kwargs": {"mode": "FAST_COMPILE"},
    "compute_convergence_checks": False,
}


def pytest_configure(config: pytest.Config) -> None:
    """Warnings are errors, but for those that the libraries raise about themselves."""
    for library in ("pymc", "pytensor", "bambi", "arviz", "formulae", "skpro", "xarray"):
        for kind in ("DeprecationWarning", "FutureWarning", "RuntimeWarning"):
            config.addinivalue_line("filterwarnings", f"ignore::{kind}:{library}.*")


@pytest.fixture(scope="session")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(30, 3))
