"""A digest of data, estimators and functions: equal for equal values, in any process and on any day.

The bytes of `pickle` depend on which parts of a value are one object, and it cannot write functions made on the spot.
"""

from __future__ import annotations

import dataclasses
import hashlib
from functools import partial
from types import CellType, CodeType, EllipsisType, FunctionType, MethodType
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._frames import as_pandas, is_pandas
from rsens._table import is_frame

PLAIN = (type(None), bool, int, float, complex, str, bytes, EllipsisType)
#: Functions and their parts, and the attributes that they are made of.
CODE: dict[type, tuple[str, ...]] = {
    FunctionType: ("__code__", "__defaults__", "__kwdefaults__", "__closure__"),
    CellType: ("cell_contents",),
    CodeType: ("co_code", "co_names", "co_varnames", "co_consts"),
    MethodType: ("__func__", "__self__"),
    partial: ("func", "args", "keywords"),
}
#: The modules of pandas 2 for classes that pandas 3 has at its top: a digest is the same in both.
WITHIN_PANDAS = ("pandas.core.", "pandas._libs.")


def fingerprint(*values: Any) -> str:
    """Hash values to a text of 16 characters; row labels of tables do not count."""
    digest = hashlib.sha256()
    for value in values:
        _add(digest, value, ())
    return digest.hexdigest()[:16]


def _add(digest: Any, value: Any, within: tuple[int, ...]) -> None:
    """Hash a value; `within` are the objects that it is a part of, by identity."""
    if id(value) in within:  # a cycle: the position of the object that occurs again is enough
        digest.update(f"cycle {within.index(id(value))};".encode())
        return
    kind, parts = _parts(value)
    digest.update(f"{kind} {len(parts)}:".encode("utf-8", "surrogatepass"))
    for part in parts:
        if isinstance(part, memoryview):
            digest.update(part)
        else:
            _add(digest, part, (*within, id(value)))
    digest.update(b";")


def _parts(value: Any) -> tuple[str, list[Any]]:
    """The kind of a value and its parts, which are values or, as a memoryview, bytes to hash."""
    value = as_pandas(value, "table")
    if isinstance(value, np.generic):
        value = value.item()  # a number is a number
    module = type(value).__module__
    kind = f"{'pandas' if module.startswith(WITHIN_PANDAS) else module}.{type(value).__qualname__}"
    if isinstance(value, PLAIN):
        return kind, [memoryview(repr(value).encode("utf-8", "surrogatepass"))]
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return f"array {value.shape}", value.ravel().tolist()
        return f"array {value.shape} {value.dtype.str}", [memoryview(value.tobytes())]
    if isinstance(value, dict):
        return kind, [part for item in sorted(value.items(), key=lambda item: repr(item[0])) for part in item]
    if isinstance(value, set | frozenset):
        return kind, sorted(value, key=repr)
    if isinstance(value, list | tuple):
        return kind, list(value)
    if is_frame(value):
        return kind, [part for label in value.columns for part in (str(label), *_parts(value[label])[1])]
    if is_pandas(value) and hasattr(value, "dtype"):  # a column, with categories written out
        categories = list(value.cat.categories) if hasattr(value, "cat") else None
        return kind, [str(value.dtype), categories, np.asarray(value)]
    if is_pandas(value):  # dates, intervals, types of columns
        return kind, [repr(value)]
    if isinstance(value, np.random.Generator | np.random.RandomState):
        return kind, [value.bit_generator.state if isinstance(value, np.random.Generator) else value.get_state()]
    if isinstance(value, type) or type(value).__name__ in ("builtin_function_or_method", "ufunc"):
        return "named", [f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(value))}"]
    for code, attributes in CODE.items():
        if isinstance(value, code):
            return kind, [getattr(value, name) for name in attributes]
    if callable(getattr(value, "get_params", None)):
        return kind, [value.get_params(deep=False)]
    if dataclasses.is_dataclass(value):
        return kind, [{field.name: getattr(value, field.name) for field in dataclasses.fields(value)}]
    if hasattr(value, "__array__"):  # tensors
        return kind, [np.asarray(value)]
    if hasattr(value, "__dict__"):
        return kind, [vars(value)]
    raise InputError(
        Argument("folder"), f": rsens cannot decide whether {kind} is the same as in an earlier run, since its parts "
        "are not accessible. Run without ", Argument("folder"), ", or use an object with get_params, or a dataclass.",
    )  # fmt: skip
