"""Base class of the families in 60 digits."""

from __future__ import annotations

from typing import Any

from tests.distributions.precision import exact, mp

#: Distances from a centre, in standard deviations, at which an integrator should look: it would overlook the rest
#: of a narrow peak at the edge of a wide panel.
STEPS = (-20, -15, -10, -6, -3, -1, 0, 1, 3, 6, 10, 15, 20)


class Exact:
    """One distribution. `support` is the set of y: line, positive, unit, counts, or a finite list of values."""

    support: Any
    parameters: tuple[str, ...]

    def log_prob(self, y: Any) -> Any: ...

    def score(self, y: Any) -> list[Any]: ...

    def information(self) -> Any: ...

    def where(self) -> list[Any]:
        """Values of y around which the distribution has its mass."""

    def norm(self, u: list[float]) -> Any:
        """sqrt(uᵀ I u)."""
        vector = mp.matrix([exact(x) for x in u])
        return mp.sqrt((vector.T * self.information() * vector)[0])
