"""What happens to rows before a model sees them: z(x), the inputs of the model, with derivatives in x."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array


@dataclass(frozen=True, eq=False)
class Inner:
    """Derivatives of the L inputs z(x) of a model in the D columns of x, at n rows.

    `first[i, l, d]` is ∂z_l/∂x_d, with n = 1 if it is the same at all rows; `second` (n, L, D, D) is None where all
    second derivatives are 0, or were not asked for.
    """

    first: Array
    second: Array | None = None

    @property
    def n_columns(self) -> int:
        """D, the number of columns of x."""
        return self.first.shape[2]

    def rows(self, rows: slice) -> Inner:
        """The same at some of the rows."""
        first = self.first if len(self.first) == 1 else self.first[rows]
        second = self.second if self.second is None or len(self.second) == 1 else self.second[rows]
        return Inner(first, second)

    def chain(self, outer_first: Array, outer_second: Array | None) -> tuple[Array, Array | None]:
        """Derivatives of λ(z(x)) in x, (n, M, D) and (n, M, D, D), from derivatives of λ in z (n, M, L), (n, M, L, L).

        ∂λ = λ_z ∂z and ∂²λ = ∂zᵀ λ_zz ∂z + λ_z ∂²z; a second derivative that is None is 0, in λ_zz and in ∂²z.
        """
        J, H = self.first[:, None], self.second
        first = np.matmul(outer_first, self.first)
        second = None
        if outer_second is not None:
            second = np.matmul(np.matmul(J.swapaxes(-1, -2), outer_second), J)
        if H is not None:
            L, D = self.first.shape[1:]
            bent = np.matmul(outer_first, H.reshape(len(H), L, D * D)).reshape(*first.shape[:2], D, D)
            second = bent if second is None else second + bent
        return first, second

    def into(self, outer: Inner) -> Inner:
        """The derivatives of w(z(x)), where `outer` has those of w in z."""
        return Inner(*self.chain(outer.first, outer.second))
