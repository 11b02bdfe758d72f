"""Changes to files that are right: to their bytes, to values of JSON, and to model files. See `tests/hostile.py`."""

import hashlib
import io
import json
import os
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from rsens._files import document

#: JSON as text, in the place of a value. Some of it is not valid.
ODD = [
    "null", "true", "false", "-1", "0", "0.5", "1e999", "-1e999", "NaN", "Infinity", "-Infinity", "9" * 5000, "1e308",
    "9007199254740993", "18446744073709551616", '""', '"\\ud800"', '"\\u0000"', '"\\u001b[31m"',
    '"../../../etc/passwd"', '"<script>alert(1)</script>"', '"' + "x" * 100_000 + '"', "[]", "{}", "[[]]",
    "[" * 2000 + "]" * 2000, "[" * 200_000, '{"a":' * 2000 + "1" + "}" * 2000, "[0,0,0]", "[1e400]", "[null]",
    '["a","a"]', '{"__reduce__": "os.abort"}', "[" + "0," * 100_000 + "0]",
    *(
        json.dumps({"is": "array", "dtype": dtype, "shape": shape, "values": values})
        for dtype, shape, values in [
            ("float64", [0, 10**12], []), ("float64", [10**6, 10**6], [1]), ("O", [1], [1]), ("V1000000000", [-1], [1]),
            ("<U1000000000", [1], ["x"]), ("(1000000,1000000)f8", [1], [1]),
        ]
    ),
]  # fmt: skip
HERE = "\x00here\x00"


def change_bytes(content: bytes, chance: random.Random) -> bytes:
    size = len(content)
    start, stop = sorted(chance.randrange(size + 1) for _ in range(2))
    near = min(stop, start + 200)
    how = chance.randrange(10)
    if 1 <= how <= 3:
        changed = bytearray(content or b" ")
        for _ in range(chance.choice([1, 1, 2, 8, 64])):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        return bytes(changed)
    if how in (0, 4, 5, 6):  # an end is missing, or a piece is missing, there twice or noise
        middle = {0: b"", 4: b"", 5: content[start:near] * 2, 6: chance.randbytes(chance.randrange(1, 50))}[how]
        return content[:start] + middle + (content[near:] if how else b"")
    if how == 7:
        others = [b"", b"\x00" * size, chance.randbytes(size), b"\x80\x04K\x01.", b"PK\x05\x06" + bytes(18)]
        return chance.choice(others)
    if how == 8:
        return chance.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b\x08", b"#!/bin/sh\nexit\n"]) + content
    return content + chance.choice([b"\n{}", content, b"\x00", chance.randbytes(30)])


def change_json(content: bytes, chance: random.Random) -> bytes:
    """Another value at some place of the JSON, or a key that is gone, new, or there twice."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return change_bytes(content, chance)
    holder, key = _place(value, chance)
    if holder is None:
        return chance.choice(ODD).encode()
    how = chance.randrange(8)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.insert(chance.randrange(len(holder) + 1), chance.choice(holder))
    elif how == 1:
        holder["another"] = holder[key]
    elif how == 2:
        holder[key] = _other(value, chance)
    elif how == 3 and isinstance(holder, dict):
        text = json.dumps(value)
        name = json.dumps(key)
        return text.replace(f"{name}: ", f"{name}: {chance.choice(ODD)}, {name}: ", 1).encode()
    else:
        holder[key] = HERE
        return json.dumps(value).replace(json.dumps(HERE), chance.choice(ODD), 1).encode()
    return json.dumps(value).encode()


def _place(value: Any, chance: random.Random) -> tuple[Any, Any]:
    """A random container and a key in it, all depths alike; (None, None) without a container."""
    holder, key = None, None
    while isinstance(value, dict | list) and value:
        keys = list(value) if isinstance(value, dict) else range(len(value))
        holder, key = value, chance.choice(keys)
        value = holder[key]
        if chance.random() < 0.3:
            break
    return holder, key


def _other(value: Any, chance: random.Random) -> Any:
    holder, key = _place(value, chance)
    return None if holder is None else json.loads(json.dumps(holder[key]))


class Trap:
    """A command that a pickle would run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("true",)


def change_model(content: bytes, chance: random.Random) -> bytes:
    """A change to the header, to an array whose digest is made to fit, or to the bytes of the archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            members = {name: file.read(name) for name in file.namelist()}
        content_of_header = json.loads(members["model.json"])["content"]
        arrays = list(_array_entries(content_of_header))
    except Exception:  # noqa: BLE001 (changed already, and damaged)
        return change_bytes(content, chance)
    how = chance.randrange(8)
    if how <= 1:
        members["model.json"] = change_json(members["model.json"], chance)
        return _packed(members)
    if how == 2:
        changed = change_json(json.dumps(content_of_header).encode(), chance)
        try:
            members["model.json"] = document("a model", json.loads(changed)).encode()
        except (ValueError, RecursionError):  # it is not JSON
            members["model.json"] = changed
        return _packed(members)
    if how <= 5 and arrays:
        number = chance.choice(arrays)["member"]
        members[f"{number}.npy"] = _changed_array(members.get(f"{number}.npy", b""), chance)
        for entry in arrays:
            if entry["member"] == number:
                entry["sha256"] = hashlib.sha256(members[f"{number}.npy"]).hexdigest()
        members["model.json"] = document("a model", content_of_header).encode()
        return _packed(members)
    return change_bytes(_packed(members), chance)


def _array_entries(content: Any) -> Iterator[dict[str, Any]]:
    if isinstance(content, dict) and "member" in content:
        yield content
    elif isinstance(content, dict | list):
        for each in content.values() if isinstance(content, dict) else content:
            yield from _array_entries(each)


def _packed(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def _changed_array(content: bytes, chance: random.Random) -> bytes:
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception:  # noqa: BLE001
        return change_bytes(content, chance)
    how = chance.randrange(10)
    if how == 0:
        return _npy(np.array([Trap()] * max(1, array.shape[0]), dtype=object))
    if how == 1:
        return _npy(array.astype(chance.choice(["<f4", ">f8", "<c16", "<i8", "<U8", "?"])))
    if how == 2:
        return _npy(np.asfortranarray(array))
    if how == 3:
        return _npy(array[..., :-1])
    if how == 4:
        flat = array.copy()
        flat.flat[chance.randrange(flat.size)] = chance.choice([np.nan, np.inf, -1.0, 1e308, -1e308, 5e-324, 0.0])
        return _npy(flat)
    if how == 5:
        return _npy(array * chance.choice([0.0, -1.0, 1e300, 1e-300]))
    shape = chance.choice(
        ["(10**9,)", "(1000000000, 1000000000)", "(-1,)", "(0,)", "(2.5,)", "'x'", "(" + "1," * 40 + ")"]
    )
    claims = [
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}",
        f"{{'descr': '|O', 'fortran_order': False, 'shape': {array.shape}, }}",
        "-" * 9000 + "1",
        "(" * 9000,
        "[" * 150 + "]" * 150,
        "__import__('os').abort()",
        f"{{'descr': [('a', '<f8', (10**9,))], 'fortran_order': False, 'shape': {array.shape}, }}",
    ]
    text = chance.choice(claims).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + array.tobytes()


def _npy(array: Any) -> bytes:
    made = io.BytesIO()
    with np.errstate(all="ignore"):
        np.lib.format.write_array(made, array, allow_pickle=True)
    return made.getvalue()
