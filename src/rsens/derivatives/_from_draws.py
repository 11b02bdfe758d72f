"""`from_draws`: posterior draws and a function of one draw, as a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._table import positive_per_column
from rsens.derivatives._differences import DifferenceModel
from rsens.derivatives._draws import Draws
from rsens.derivatives._draws_differences import DrawDifferences
from rsens.derivatives._draws_jax import jax_matched, jax_mixture
from rsens.derivatives._draws_model import DrawsModel
from rsens.derivatives._draws_torch import torch_matched, torch_mixture
from rsens.derivatives._jax import from_jax
from rsens.derivatives._model import Model
from rsens.derivatives._torch import from_torch
from rsens.distributions import Distribution


def from_draws(
    fn: Callable[[dict[str, Any], Any], Distribution],
    draws: Mapping[str, Any],
    *,
    backend: Literal["numpy", "jax", "torch"] = "numpy",
    second: Literal["matched", "stacked"] = "matched",
    weights: ArrayLike | None = None,
    categorical: Any = None,
    step: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> DrawsModel:
    """A model from posterior draws: the predictive is the mixture of what the function gives for each draw.

    R-sens is exact for the mixture: it sees what the draws disagree on, also where they form two modes. R-sens₂ depends
    on parameters λ, and a mixture has thousands; it is taken of one distribution that stands for the mixture
    (`Mixture.matched`): real y with the mean and variance of the mixture, counts with the mean rate, classes and events
    exactly.

    Args:
        fn: A function fn(parameters, X) of one draw, a dict of arrays without the axis of draws, and rows X (n, D). It
            returns a family, each row of it from the same row of X only.
        draws: Maps names of parameters to arrays with the draws on the first axis, chains stacked: (S, …).
        backend: What the function is written in. "numpy" takes central differences, "jax" and "torch" differentiate.
        second: What R-sens₂ looks at: "matched", as above, or "stacked", the parameters of all draws side by side, in
            which draws that are linear in x do not interact.
        weights: Weights of the draws, (S,); equal by default.
        categorical: Columns that are categorical, as in `from_function`.
        step: How far differences move each column, as in `from_function`; "numpy" only.
        scale: The unit of each column, as in `from_function`; "numpy" only.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        Two draws of a slope, +2 and −2. At 0 the prediction does not depend on x; further out the two part.

        >>> from rsens import Normal, from_draws, rsens
        >>> model = from_draws(lambda p, X: Normal(p["b"] * X[:, 0], 0.09), {"b": [2.0, -2.0]})
        >>> rsens(model, [[0.0], [1.5]]).round(2).tolist()
        [[0.0], [6.67]]
    """
    read = Draws.read(fn, draws, weights, "from_draws")
    if second not in ("matched", "stacked"):
        raise InputError("from_draws: ", Argument("second"), f' must be "matched" or "stacked"; got {second!r}.')
    if backend == "numpy":
        step = None if step is None else positive_per_column(step, None, "step")
        scale = None if scale is None else positive_per_column(scale, None, "scale")
        predictive: Model = DrawDifferences(read, step, scale, categorical)
        matched: Model = DifferenceModel(read.matched, step, scale, categorical)
    elif backend in ("jax", "torch"):
        if step is not None or scale is not None:
            raise InputError(
                "from_draws: ",
                Argument("step"),
                " and ",
                Argument("scale"),
                f' are for differences, backend="numpy"; {backend} differentiates exactly. Leave them out.',
            )
        source, mixture, standing = {
            "jax": (from_jax, jax_mixture, jax_matched),
            "torch": (from_torch, torch_mixture, torch_matched),
        }[backend]
        predictive = source(partial(mixture, read), categorical=categorical)
        matched = source(partial(standing, read), categorical=categorical)
    else:
        raise InputError("from_draws: ", Argument("backend"), f' must be "numpy", "jax" or "torch"; got {backend!r}.')
    return DrawsModel(predictive, matched if second == "matched" else None, 2 * len(read))
