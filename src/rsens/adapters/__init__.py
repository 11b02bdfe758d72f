"""Objects that can be explained: one file per kind of object, and one line in `ADAPTERS`."""

from rsens.adapters._adapter import Adapter
from rsens.adapters._bambi import from_bambi
from rsens.adapters._door import (
    ADAPTERS,
    as_contrasts,
    as_model,
    classes_of,
    read_for,
    read_numeric,
    two_valued,
    two_valued_columns,
)
from rsens.adapters._ensemble import from_ensemble
from rsens.adapters._gpytorch import from_gpytorch
from rsens.adapters._numpyro import from_numpyro
from rsens.adapters._pymc import from_pymc
from rsens.adapters._pytorch import from_dropout
from rsens.adapters._sklearn import widened
from rsens.adapters._statsmodels import from_statsmodels
