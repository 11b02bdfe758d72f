"""Where the latent mean and variance come from, with their derivatives in the columns of X."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from rsens._typing import Array
from rsens.derivatives import Finding
from rsens.posteriors import Latent


class LatentSource(ABC):
    """The Gaussian f(x) of a model at rows X (n, D), in the scale on which the model works."""

    #: How derivatives are made, in words.
    way: ClassVar[str]

    @abstractmethod
    def moments(self, X: Array) -> Latent:
        """Mean and variance."""

    @abstractmethod
    def derivatives(self, X: Array, order: int) -> Latent:
        """The same, with first (order 1) or first and second derivatives."""

    @abstractmethod
    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """How many rows `derivatives` can take at once."""

    def checks(self, X: Array) -> Iterator[Finding]:
        """What can be checked about this way to the moments."""
        yield from ()
