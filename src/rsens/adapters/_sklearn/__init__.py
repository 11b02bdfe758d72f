"""scikit-learn: fitted estimators and pipelines, as they are."""

from rsens.adapters._sklearn._adapt import SCIKIT_LEARN
from rsens.adapters._sklearn._pipeline import widened
