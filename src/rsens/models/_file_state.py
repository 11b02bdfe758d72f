"""Takes a fitted model apart into plain values and arrays, and puts it together again.

We store the posterior itself, not the data to compute it from: a loaded model is exact on any machine, and needs no
factorisation. Whatever follows from the posterior (coefficients, kernels in the units of the data) is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.linalg import lapack

from rsens._files import number, or_none, text, truth, tuple_of, whole
from rsens._typing import Array
from rsens.models._archive import Arrays
from rsens.models._file_values import (
    kernel_from_dict,
    kernel_to_dict,
    likelihood_from_dict,
    likelihood_to_dict,
    same_keys,
)
from rsens.models._gp import GPClassifier, GPRegressor, Standard
from rsens.models._inference import FittedGP
from rsens.models._linear import BayesianLinearRegression
from rsens.models._weights import Columns, Features, WeightPosterior
from rsens.posteriors import DenseRoot, LatentPosterior, Root, ScaledTriangularRoot, TriangularRoot

#: Plain values for the header, and arrays by name.
State = tuple[dict[str, Any], dict[str, Array]]


# ---- Gaussian processes ----------------------------------------------------------------------------------------------


def gp_state(model: GPRegressor | GPClassifier) -> State:
    """Units, and the posterior of each GP."""
    units = model._units
    arrays = {"unit_mean": units.input_mean, "unit_scale": units.input_scale}
    gps = []
    for i, gp in enumerate(model._gps):
        root, root_arrays = _root_state(gp.posterior.root)
        own = {"weights": gp.posterior.weights, **root_arrays}
        if gp.inducing is not None:
            own["inducing"] = gp.inducing
        arrays |= {f"gp{i}_{name}": array for name, array in own.items()}
        gps.append(
            {
                "kernel": kernel_to_dict(gp.kernel),
                "likelihood": likelihood_to_dict(gp.likelihood),
                "root": root,
                "inducing": None if gp.inducing is None else len(gp.inducing),
                "mean": gp.posterior.mean,
                "jitter": gp.jitter,
                "steps": int(gp.steps),
                "log_marginal_likelihood": gp.log_marginal_likelihood,
            }
        )
    values = {"output_mean": units.output_mean, "output_scale": units.output_scale, "gps": gps}
    return values | {"log_marginal_likelihood": model.log_marginal_likelihood_}, arrays


def restore_gp(model: GPRegressor | GPClassifier, content: Any, arrays: Arrays, n_posteriors: int) -> None:
    """Set what `fit` sets, from the result of `gp_state`; inputs and classes are set already."""
    same_keys(content, ["output_mean", "output_scale", "gps", "log_marginal_likelihood"], "the state")
    D = model.training_inputs_.shape[1]
    output_scale = number(content["output_scale"])
    if output_scale <= 0.0:
        raise ValueError("the scale of the output is not positive")
    units = Standard(
        arrays("unit_mean", D), arrays.positive("unit_scale", D), number(content["output_mean"]), output_scale
    )
    inputs = units.inputs(model.training_inputs_)
    gps = tuple(
        _gp(entry, f"gp{i}_", arrays, inputs) for i, entry in enumerate(tuple_of(lambda entry: entry)(content["gps"]))
    )
    classes = isinstance(model, GPClassifier)
    if len(gps) != n_posteriors or any((gp.likelihood.target == "classes") != classes for gp in gps):
        raise ValueError("the Gaussian processes do not fit this kind of model")
    model._keep_fitted(gps, units, number(content["log_marginal_likelihood"]))


def _gp(content: Any, prefix: str, arrays: Arrays, inputs: Array) -> FittedGP:
    names = ("kernel", "likelihood", "root", "inducing", "mean", "jitter", "steps", "log_marginal_likelihood")
    same_keys(content, names, "a Gaussian process")
    kernel, likelihood = kernel_from_dict(content["kernel"]), likelihood_from_dict(content["likelihood"])
    n_inducing = or_none(whole)(content["inducing"])
    inducing = None if n_inducing is None else arrays(f"{prefix}inducing", n_inducing, inputs.shape[1])
    seen = inputs if inducing is None else inducing
    kernel(seen[:1])  # an error if the kernel needs other columns
    posterior = LatentPosterior(
        kernel,
        seen,
        arrays(f"{prefix}weights", len(seen)),
        _root(text(content["root"]), prefix, arrays, len(seen)),
        number(content["mean"]),
        number(content["jitter"]),
    )
    value = number(content["log_marginal_likelihood"])
    return FittedGP(kernel, likelihood, posterior, value, posterior.jitter, inducing, whole(content["steps"]))


def _root_state(root: Root) -> tuple[str, dict[str, Array]]:
    """The kind of root and its arrays; a triangular matrix is stored as its triangle, which halves the file."""
    match root:
        case TriangularRoot(L):
            return "triangular", {"root": _packed(L)}
        case ScaledTriangularRoot(L, s):
            return "scaled triangular", {"root": _packed(L), "root_scale": s}
        case DenseRoot(R):
            return "dense", {"root": R}
    raise TypeError(f"unknown root {type(root).__name__}")


def _root(kind: str, prefix: str, arrays: Arrays, n: int) -> Root:
    if kind == "dense":
        return DenseRoot(np.asfortranarray(arrays(f"{prefix}root", n, n)))
    L, _ = lapack.dtpttr(n, arrays(f"{prefix}root", n * (n + 1) // 2), uplo="L")
    if not (np.diagonal(L) > 0.0).all():
        raise ValueError("the diagonal of a triangular factor is not positive")
    if kind == "triangular":
        return TriangularRoot(L)
    if kind == "scaled triangular":
        return ScaledTriangularRoot(L, arrays(f"{prefix}root_scale", n))
    raise ValueError(f"{kind!r:.40} is not a kind of root")


def _packed(L: Array) -> Array:
    packed, _ = lapack.dtrttp(L, uplo="L")
    return np.asarray(packed)


# ---- models that are linear in x -------------------------------------------------------------------------------------


def weights_state(model: Any) -> State:
    """The posterior of the weights, one per class if there are classes; and the noise, if the model has any."""
    posteriors = model._posteriors
    columns = posteriors[0].columns
    values = {
        "features": [
            [name, int(column), None if np.isnan(level) else int(level)]
            for name, column, level in zip(
                columns.features.names, columns.features.columns, columns.features.levels, strict=True
            )
        ],
        "intercept": bool(columns.intercept),
        "posteriors": len(posteriors),
        "noise_variance": getattr(model, "noise_variance_", None),
        "degrees_of_freedom": getattr(model, "degrees_of_freedom_", None),
    }
    arrays: dict[str, Array] = {}
    for i, posterior in enumerate(posteriors):
        own = {"centre": posterior.columns.centre, "scale": posterior.columns.scale}
        own |= {"mean": posterior.mean, "root": posterior.root}
        arrays |= {f"weights{i}_{name}": array for name, array in own.items()}
    return values, arrays


def restore_weights(model: Any, content: Any, arrays: Arrays, n_posteriors: int) -> None:
    """Set what `fit` sets, from the result of `weights_state`; inputs, coding and classes are set already."""
    same_keys(content, ["features", "intercept", "posteriors", "noise_variance", "degrees_of_freedom"], "the state")
    if content["posteriors"] != n_posteriors:
        raise ValueError("the number of posteriors does not fit this kind of model")
    features = _features(content["features"], model)
    posteriors = [_weights(f"weights{i}_", arrays, features, truth(content["intercept"])) for i in range(n_posteriors)]
    if isinstance(model, BayesianLinearRegression):
        model.noise_variance_ = number(content["noise_variance"])
        model.degrees_of_freedom_ = whole(content["degrees_of_freedom"])
        if model.noise_variance_ <= 0.0 or model.degrees_of_freedom_ < 1:
            raise ValueError("the noise variance or the degrees of freedom are not positive")
    model._keep_posteriors(posteriors)


def _features(content: Any, model: Any) -> Features:
    """The features; numbers must belong to continuous columns, and indicators to levels that exist."""
    entries = [tuple_of(lambda entry: entry)(entry) for entry in tuple_of(lambda entry: entry)(content)]
    if not entries or any(len(entry) != 3 for entry in entries):
        raise ValueError("each feature must have a name, a column and a level")
    names, columns, levels = zip(*entries, strict=True)
    D = model.training_inputs_.shape[1]
    most: Mapping[int, int] = {} if model.coding_ is None else {c.position: len(c) for c in model.coding_.columns}
    for column, level in zip(map(whole, columns), map(or_none(whole), levels), strict=True):
        if column >= D or (level is None) != (column not in most) or (level or 0) >= most.get(column, 1):
            raise ValueError(f"there is no column {column} with a level {level}")
    codes = np.array([np.nan if level is None else float(level) for level in levels])
    return Features(tuple(map(text, names)), np.array(columns, dtype=np.intp), codes, D)


def _weights(prefix: str, arrays: Arrays, features: Features, intercept: bool) -> WeightPosterior:
    P = len(features)
    columns = Columns(features, arrays(f"{prefix}centre", P), arrays.positive(f"{prefix}scale", P), intercept)
    size = P + int(intercept)
    return WeightPosterior(columns, arrays(f"{prefix}mean", size), arrays(f"{prefix}root", size, size))
