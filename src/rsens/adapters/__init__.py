"""Objects that can be explained: one file per kind of object, and one line in `ADAPTERS`."""

from rsens.adapters._adapter import Adapter as Adapter
from rsens.adapters._bambi import from_bambi as from_bambi
from rsens.adapters._door import ADAPTERS as ADAPTERS
from rsens.adapters._door import as_model as as_model
from rsens.adapters._door import classes_of as classes_of
from rsens.adapters._door import coding_of as coding_of
from rsens.adapters._door import read_for as read_for
from rsens.adapters._ensemble import from_ensemble as from_ensemble
from rsens.adapters._gpytorch import from_gpytorch as from_gpytorch
from rsens.adapters._numpyro import from_numpyro as from_numpyro
from rsens.adapters._pymc import from_pymc as from_pymc
from rsens.adapters._sklearn import widened as widened
from rsens.adapters._statsmodels import from_statsmodels as from_statsmodels
from rsens.adapters._torch_module import from_dropout as from_dropout
from rsens.adapters._two_valued import as_contrasts as as_contrasts
from rsens.adapters._two_valued import read_numeric as read_numeric
from rsens.adapters._two_valued import two_valued as two_valued
from rsens.adapters._two_valued import two_valued_columns as two_valued_columns
