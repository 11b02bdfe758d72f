"""The parts of a model as plain JSON values and back: kernels, likelihoods, labels, codings, parameters.

Every `…_from…` accepts only names from our lists, text, numbers and truth values, and passes numbers through the
constructors that check them. Whatever is wrong is a TypeError, a ValueError or an `InputError` that says what.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._coding import Coding, Levels
from rsens._errors import Argument, InputError
from rsens._files import label, number, or_none, text, truth, tuple_of, whole
from rsens._labels import plain
from rsens.kernels import ALL_KERNELS, Composed, Kernel, Product, Sum
from rsens.likelihoods import ALL_LIKELIHOODS, Likelihood
from rsens.models._optimize import check_priors

#: Types of arrays of classes: truth values, whole numbers, numbers, text, and Python objects (text in pandas).
CLASS_TYPES = "biufUO"
#: Nobody writes kernels of kernels of … that are nested more deeply than this.
DEEPEST = 50


# ---- kernels and likelihoods -----------------------------------------------------------------------------------------


def kernel_to_dict(kernel: Kernel) -> dict[str, Any]:
    """The name of the kernel and its fields; the parts of a sum or product in the same way."""
    kind = _known(kernel, (*ALL_KERNELS, Sum, Product), "kernel", "rsens.kernels")
    if isinstance(kernel, Composed):
        return {"kernel": kind, "parts": [kernel_to_dict(part) for part in kernel.parts]}
    return {"kernel": kind} | {name: _listed(getattr(kernel, name)) for name in _arguments(type(kernel))}


def kernel_from_dict(content: Any, depth: int = 0) -> Kernel:
    """The kernel that `kernel_to_dict` described."""
    kind, arguments = _named(content, "kernel", (*ALL_KERNELS, Sum, Product))
    if depth > DEEPEST:
        raise ValueError("a kernel is nested too deeply")
    if issubclass(kind, Composed):
        same_keys(arguments, ["parts"], kind.__name__)
        parts = tuple_of(lambda part: kernel_from_dict(part, depth + 1))(arguments["parts"])
        return kind(parts)
    same_keys(arguments, _arguments(kind), kind.__name__)
    dims = {"dims": or_none(tuple_of(whole))(arguments.pop("dims"))} if "dims" in arguments else {}
    return kind(**{name: _one_or_more(value) for name, value in arguments.items()}, **dims)


def likelihood_to_dict(likelihood: Likelihood) -> dict[str, Any]:
    """The name of the likelihood and its fields."""
    kind = _known(likelihood, ALL_LIKELIHOODS, "likelihood", "rsens.likelihoods")
    return {"likelihood": kind} | {name: getattr(likelihood, name) for name in _arguments(type(likelihood))}


def likelihood_from_dict(content: Any) -> Likelihood:
    """The likelihood that `likelihood_to_dict` described."""
    kind, arguments = _named(content, "likelihood", ALL_LIKELIHOODS)
    same_keys(arguments, _arguments(kind), kind.__name__)
    return kind(**{name: number(value) for name, value in arguments.items()})


def _arguments(kind: type) -> list[str]:
    """The arguments of the constructor of a dataclass."""
    return [field.name for field in fields(kind) if field.init]


def _known(value: Any, kinds: Collection[type], what: str, where: str) -> str:
    """The name of the class of a value."""
    if type(value) not in kinds:
        raise InputError(f"a {what} of type {type(value).__name__} cannot be stored; only those of {where} can.")
    return type(value).__name__


def _named(content: Any, what: str, kinds: Iterable[type]) -> tuple[Any, dict[str, Any]]:
    """The class that a dict names, and its other entries."""
    arguments = dict(mapping(content))
    name = arguments.pop(what, None)
    kind = next((each for each in kinds if each.__name__ == name), None)
    if kind is None:
        raise ValueError(f"{name!r:.40} is not a {what}")
    return kind, arguments


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _one_or_more(value: Any) -> float | tuple[float, ...]:
    return tuple_of(number)(value) if isinstance(value, list) else number(value)


# ---- labels and codings ----------------------------------------------------------------------------------------------


def label_to_plain(value: Any, what: str) -> Any:
    """Text, a number or a truth value. JSON has no place for others, such as the intervals of pandas.cut."""
    value = plain(value)
    if isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise InputError(
        f"{what} has the label {value!r}, of type {type(value).__name__}; only text, finite numbers and truth values "
        "can be stored. Make them text before the fit, for example with .astype(str)."
    )


def coding_to_dict(coding: Coding | None) -> dict[str, Any] | None:
    """Names, levels and frequencies."""
    if coding is None:
        return None
    columns = [
        {
            "position": column.position,
            "labels": [label_to_plain(each, f"column {column.name!r}") for each in column.labels],
            "frequencies": column.frequencies.tolist(),
        }
        for column in coding.columns
    ]
    return {"names": list(coding.names), "columns": columns}


def coding_from_dict(content: Any) -> Coding | None:
    """The coding that `coding_to_dict` described."""
    if content is None:
        return None
    same_keys(content, ["names", "columns"], "coding")
    names = tuple_of(text)(content["names"])
    columns = tuple(_levels_from(column, names) for column in tuple_of(mapping)(content["columns"]))
    positions = [column.position for column in columns]
    if positions != sorted(set(positions)):
        raise ValueError("categorical columns are not in order, each once")
    return Coding(names, columns)


def _levels_from(content: Mapping[str, Any], names: tuple[str, ...]) -> Levels:
    same_keys(content, ["position", "labels", "frequencies"], "a categorical column")
    position, labels = whole(content["position"]), tuple_of(label)(content["labels"])
    frequencies = np.array(tuple_of(number)(content["frequencies"]))
    if position >= len(names):
        raise ValueError(f"there is no column {position}")
    if not labels or len(set(labels)) != len(labels) or len(frequencies) != len(labels):
        raise ValueError(f"the levels of column {position} are not all different with one frequency each")
    if (frequencies < 0.0).any() or abs(frequencies.sum() - 1.0) > 1e-9:
        raise ValueError(f"the frequencies of column {position} do not add up to 1")
    return Levels(position, names[position], labels, frequencies)


def classes_to_dict(classes: NDArray[Any]) -> dict[str, Any]:
    """The labels of the classes, and the type of their array."""
    if classes.dtype.kind not in CLASS_TYPES:
        raise InputError(f"classes of type {classes.dtype} cannot be stored. Use text, numbers or truth values as y.")
    kind = "U" if classes.dtype.kind == "U" else classes.dtype.str  # text is as long as the longest label
    return {"type": kind, "labels": [label_to_plain(each, "y") for each in classes.tolist()]}


def classes_from_dict(content: Any) -> NDArray[Any]:
    """The array that `classes_to_dict` described."""
    same_keys(content, ["type", "labels"], "classes")
    dtype = np.dtype(text(content["type"]))
    labels = list(tuple_of(label)(content["labels"]))
    if dtype.kind not in CLASS_TYPES or (dtype.kind == "U" and dtype.itemsize):
        raise ValueError(f"classes cannot be of type {dtype}")
    if len(labels) < 2 or len(set(labels)) != len(labels):
        raise ValueError("there must be two classes or more, all different")
    classes = np.array(labels, dtype=dtype)
    if classes.shape != (len(labels),) or classes.tolist() != labels:
        raise ValueError(f"the classes are not of type {dtype}")
    return classes


# ---- parameters of estimators ----------------------------------------------------------------------------------------


def parameter_to_plain(name: str, value: Any) -> Any:
    """A parameter of an estimator; `random_state` is None unless it is a whole number."""
    value = plain(value)
    if isinstance(value, Kernel):
        return kernel_to_dict(value)
    if isinstance(value, Likelihood):
        return likelihood_to_dict(value)
    if name == "categorical":
        return _categorical_to_plain(value)
    if name == "priors" and isinstance(value, Mapping):
        return {"priors": {field: list(prior) for field, prior in (check_priors(value) or {}).items()}}
    if name == "random_state":
        return value if isinstance(value, int) else None
    if isinstance(value, float) and math.isinf(value):
        return {"infinite": value > 0.0}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError(
        "the parameter ", Argument(name, value), f" cannot be stored; a {type(value).__name__} is not a plain value."
    )


def parameter_from_plain(name: str, value: Any) -> Any:
    """The parameter that `parameter_to_plain` described."""
    if name == "categorical":
        return _categorical_from_plain(value)
    if isinstance(value, Mapping):
        if "kernel" in value:
            return kernel_from_dict(value)
        if "likelihood" in value:
            return likelihood_from_dict(value)
        if "priors" in value:
            same_keys(value, ["priors"], name)
            return check_priors({field: tuple_of(number)(prior) for field, prior in mapping(value["priors"]).items()})
        same_keys(value, ["infinite"], name)
        return math.inf if truth(value["infinite"]) else -math.inf
    return None if value is None else label(value)


def _categorical_to_plain(value: Any) -> Any:
    """None, a coding, a list of columns, or pairs of a column and its levels (None if the levels were not given)."""
    if value is None:
        return None
    if isinstance(value, Coding):
        return {"coding": coding_to_dict(value)}
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(
            "the parameter ", Argument("categorical", value), " cannot be stored; it is not a list of columns."
        )
    if isinstance(value, Mapping):
        given = {label_to_plain(column, "categorical"): levels for column, levels in value.items()}
        return {
            "levels": [
                [column, None if levels is None else [label_to_plain(each, repr(column)) for each in levels]]
                for column, levels in given.items()
            ]
        }
    return {"columns": [label_to_plain(column, "categorical") for column in value]}


def _categorical_from_plain(value: Any) -> Any:
    if value is None:
        return None
    match dict(mapping(value)):
        case {"coding": coding, **others} if not others:
            return coding_from_dict(coding)
        case {"columns": columns, **others} if not others:
            return list(tuple_of(label)(columns))
        case {"levels": pairs, **others} if not others:
            both = [tuple_of(lambda entry: entry)(pair) for pair in tuple_of(lambda pair: pair)(pairs)]
            if any(len(pair) != 2 for pair in both):
                raise ValueError("levels must be pairs of a column and its levels")
            return {label(column): None if levels is None else list(tuple_of(label)(levels)) for column, levels in both}
    raise ValueError("categorical is neither columns nor levels")


# ---- checks ----------------------------------------------------------------------------------------------------------


def mapping(value: Any) -> Mapping[str, Any]:
    """The value, if it is a JSON object: names with values."""
    if not isinstance(value, dict):
        raise TypeError(f"expected names with values, got {type(value).__name__}")
    return value


def same_keys(content: Any, names: Iterable[str], what: str) -> Mapping[str, Any]:
    """The content, if it is a JSON object with exactly these names."""
    if mapping(content).keys() != set(names):
        raise ValueError(f"{what} has the entries {sorted(content)!r:.200}, expected {sorted(names)}")
    return content
