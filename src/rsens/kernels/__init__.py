"""Covariance functions with derivatives in x, first and second, and in their hyperparameters."""

from rsens.kernels._base import ConstantDiagonal as ConstantDiagonal
from rsens.kernels._base import Kernel as Kernel
from rsens.kernels._base import KernelAt as KernelAt
from rsens.kernels._base import KernelOn as KernelOn
from rsens.kernels._base import Leaf as Leaf
from rsens.kernels._base import Term as Term
from rsens.kernels._categorical import Categorical as Categorical
from rsens.kernels._compose import Composed as Composed
from rsens.kernels._compose import Product as Product
from rsens.kernels._compose import Sum as Sum
from rsens.kernels._compose import additive as additive
from rsens.kernels._linear import Constant as Constant
from rsens.kernels._linear import Linear as Linear
from rsens.kernels._matern import Matern12 as Matern12
from rsens.kernels._matern import Matern32 as Matern32
from rsens.kernels._matern import Matern52 as Matern52
from rsens.kernels._periodic import Periodic as Periodic
from rsens.kernels._stationary import EQ as EQ
from rsens.kernels._stationary import RationalQuadratic as RationalQuadratic
from rsens.kernels._stationary import Stationary as Stationary

#: Every kernel that is not made of others. Each can be made without arguments.
ALL_KERNELS: list[type[Kernel]] = [
    EQ,
    Matern12,
    Matern32,
    Matern52,
    RationalQuadratic,
    Periodic,
    Linear,
    Constant,
    Categorical,
]


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
