"""Write the record, or compare the present results of the calls with it.

python -m tests.golden.record write [--only NAME]
python -m tests.golden.record check [--only NAME]
"""

import argparse
import contextlib
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
import numpy as np

import rsens
from tests.golden import names
from tests.golden.flatten import ROWS_INTERVAL, Numbers

Calls = dict[str, Callable[[], Numbers]]

HERE = Path(__file__).parent

#: Relative to the largest absolute value of an array.
EXACT, DIFFERENCES = 1e-12, 5e-9
#: Relative to the width of an interval over rows; the recorded ones are percentiles of 20,000 bootstrap replicates.
OF_WIDTH = 0.05


def run(calls: Calls) -> tuple[Numbers, list[str]]:
    numbers: Numbers = {}
    failed: list[str] = []
    for name, call in calls.items():
        start, cpu = time.perf_counter(), time.process_time()
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = {key: np.asarray(value, dtype=np.float64) for key, value in call().items()}
            except Exception:  # noqa: BLE001 (the other calls are still to be compared)
                say(f"{name:34} FAILED\n{traceback.format_exc()}")
                failed.append(name)
                continue
        numbers |= {f"{name}/{key}": value for key, value in found.items()}
        spent = f"{time.perf_counter() - start:6.1f} s {time.process_time() - cpu:6.1f} s of CPU"
        say(f"{name:34} {len(found):4} arrays {spent}")
    return numbers, failed


def differs(name: str, old: np.ndarray, new: np.ndarray, tolerance: float, of_width: float = OF_WIDTH) -> str:
    if old.shape != new.shape:
        return f"shape {old.shape} is {new.shape}"
    if not old.size:
        return ""
    if (np.isnan(old) != np.isnan(new)).any():
        return "NaN at other places"
    with np.errstate(invalid="ignore"):
        error = np.where((old == new) | np.isnan(old), 0.0, np.abs(new - old))
    if ROWS_INTERVAL in name:
        width = old[1] - old[0]
        share = np.divide(error, width, out=np.where(error > 0, np.inf, 0.0), where=width > 0)
        worst = float(share.max())
        return "" if worst <= of_width else f"{worst:.1%} of the width of an interval"
    largest = float(np.abs(old[np.isfinite(old)]).max(initial=0.0))
    worst = float(error.max())
    if worst <= tolerance * largest:
        return ""
    share = worst / largest if largest else np.inf
    return f"{share:.1e} of the largest value, {int((error > tolerance * largest).sum())} of {old.size}"


def compare(tolerances: dict[str, float], old: Numbers, new: Numbers, of_width: float) -> list[str]:
    """One line for every array that is missing (and not allowed to be), new or different."""
    cut = tuple(names.allowed())
    lines = []
    for name in sorted(old.keys() | new.keys()):
        call = name.partition("/")[0]
        if call not in tolerances:
            continue
        if name not in new:
            line = "" if name.startswith(cut) else "missing"
        elif name not in old:
            line = "new"
        else:
            line = differs(name, old[name], new[name], tolerances[call], of_width)
        if line:
            lines.append(f"  {name:64} {line}")
    return lines


def read(path: Path) -> Numbers:
    if not path.exists():
        return {}
    with np.load(path) as stored:
        names, shapes, values = stored["names"], stored["shapes"], stored["values"]
    found: Numbers = {}
    start = 0
    for name, sizes in zip(names.tolist(), shapes.tolist(), strict=True):
        shape = tuple(each for each in sizes if each >= 0)
        stop = start + int(np.prod(shape))
        found[name] = values[start:stop].reshape(shape)
        start = stop
    return found


def store(path: Path, numbers: Numbers) -> None:
    """Write all arrays behind each other: as separate members, thousands of them would be mostly headers."""
    numbers = dict(sorted(numbers.items()))
    deepest = max(value.ndim for value in numbers.values())
    np.savez_compressed(
        path,
        names=np.array(list(numbers)),
        shapes=np.array([[*value.shape, *[-1] * (deepest - value.ndim)] for value in numbers.values()], dtype=np.int32),
        values=np.concatenate([value.ravel() for value in numbers.values()]),
    )


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden.record", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["write", "check"])
    parser.add_argument("--only", metavar="NAME", help="calls whose names contain this")
    parser.add_argument("--adapters", action="store_true", help="the calls with PyMC, bambi and skpro instead")
    parser.add_argument(
        "--of-width", type=float, default=OF_WIDTH, help="how far ends of intervals over rows may move [%(default)s]"
    )
    given = parser.parse_args(arguments)
    start, cpu = time.perf_counter(), time.process_time()
    mpl.use("Agg")
    say(f"rsens is {Path(rsens.__file__).parent}")
    path = HERE / ("adapters.npz" if given.adapters else "numbers.npz")
    if given.adapters:
        from tests.golden import adapter_calls as recorded_calls

        known = {name: call for name, call in recorded_calls.CALLS.items() if find_spec(recorded_calls.NEEDS[name])}
    else:
        from tests.golden import calls as recorded_calls

        known = recorded_calls.CALLS
    calls = {name: call for name, call in known.items() if given.only is None or given.only in name}
    if not calls:
        say("No calls: none has this name, or the libraries are not here.")
        return 0 if given.adapters else 2
    numbers, failed = run(calls)
    recorded = read(path)
    with_names = given.only is None and not given.adapters
    code = 0
    if failed:
        say(f"\nFailed: {', '.join(failed)}")
    if given.what == "write":
        kept = {} if given.only is None else {n: v for n, v in recorded.items() if n.partition("/")[0] not in calls}
        store(path, kept | numbers)
        if with_names:
            names.write()
        say(f"\n{path.name}: {len(kept) + len(numbers)} arrays, {path.stat().st_size / 1e3:.0f} kB")
    else:
        tolerances = {name: DIFFERENCES if name in recorded_calls.DIFFERENCES else EXACT for name in calls}
        lines = compare(tolerances, recorded, numbers, given.of_width)
        of_names = names.compare() if with_names else []
        if lines:
            say(f"\nNumbers that differ ({len(lines)} of {len(numbers)} arrays):\n" + "\n".join(lines))
        if of_names:
            say("\nNames that differ and are not in allowed.txt:\n" + "\n".join(of_names))
        code = int(bool(lines or of_names))
        say("\nDifferent." if code or failed else f"\nAll {len(numbers)} arrays are as recorded.")
    say(f"{len(calls)} calls, {time.perf_counter() - start:.0f} s, {time.process_time() - cpu:.0f} s of CPU")
    return code or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
