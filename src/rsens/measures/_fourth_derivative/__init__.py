"""The full fourth derivative of the Rényi divergence, which the supplement compares R-sens₂ with.

Nothing else in rsens needs this folder.
"""

from rsens.measures._fourth_derivative._fourth_derivative import fourth_chunks as fourth_chunks
from rsens.measures._fourth_derivative._fourth_derivative import fourth_derivative as fourth_derivative
