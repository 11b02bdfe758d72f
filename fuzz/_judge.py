"""Judge a case, which must not give NaN or values of the wrong sign, fail in its own way, warn without end, or hang."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import rsens

#: The seconds of processor time that a case may take, the warnings that it may give, and the length of a text.
MOST_SECONDS, MOST_WARNINGS, MOST_TEXT = 30.0, 6, 2_200

#: Warnings that must not come from a line of rsens.
OF_OURS = (RuntimeWarning, DeprecationWarning, FutureWarning, PendingDeprecationWarning)


class Wrong(Exception):
    """A result that must not be."""


class NotFitted(Exception):
    """A model of another library did not take the data: nothing was asked of rsens."""


class TooLong(BaseException):
    """The case takes too long. No `except Exception` of somebody else stops it."""


@dataclass(frozen=True)
class Outcome:
    """How a case ended. `defect` is "" unless it must not end like that."""

    kind: str
    text: str = ""
    defect: str = ""


def finite(what: str, values: Any, *, allow_none: bool = False, allow_infinite: bool = False) -> None:
    """All values are numbers, and finite."""
    array = np.asarray(values, dtype=float)
    if allow_none:
        return
    bad = np.isnan(array) if allow_infinite else ~np.isfinite(array)
    if bad.any():
        raise Wrong(f"{what}: {int(bad.sum())} of {array.size} values are {array[bad].ravel()[0]}")


def not_negative(what: str, values: Any, shape: tuple[int, ...] | None = None) -> None:
    """All values are finite and at least 0, in this shape."""
    finite(what, values)
    array = np.asarray(values, dtype=float)
    if (array < 0.0).any():
        raise Wrong(f"{what}: {array.min():g} is below 0")
    if shape is not None and array.shape != shape:
        raise Wrong(f"{what}: shape {array.shape} and not {shape}")


def symmetric(what: str, values: np.ndarray) -> None:
    """R-sens₂ is symmetric in (d, e)."""
    if not np.array_equal(values, values.transpose(0, 2, 1)):
        raise Wrong(f"{what}: not symmetric")


def same_frames(what: str, one: pd.DataFrame, other: pd.DataFrame) -> None:
    """Two tables hold the same."""
    try:
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    except AssertionError as error:
        raise Wrong(f"{what}: {str(error).splitlines()[0]}") from None


def judged(run: Callable[[], None], calls: int = 1) -> Outcome:
    """Run a case, and say how it ended. It makes so many calls, each of which may say the same."""
    threads, arithmetic, modules = threading.active_count(), np.geterr(), len(sys.modules)
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        outcome = _ended(run)
        changed = list(warnings.filters) != before
    if outcome.defect:
        return outcome
    if (changed and len(sys.modules) == modules) or np.geterr() != arithmetic:  # an import may add a filter
        return Outcome(outcome.kind, outcome.text, "changed how Python or NumPy warn")
    if threading.active_count() > threads:
        return Outcome(outcome.kind, outcome.text, "left a thread")
    return Outcome(
        outcome.kind, outcome.text, _warned_wrongly(raised, outcome.kind, calls) or _said_wrongly(outcome.text)
    )


def _ended(run: Callable[[], None]) -> Outcome:
    try:
        with _limit(MOST_SECONDS):
            run()
    except NotFitted as error:
        return Outcome("not fitted by the other library", str(error))
    except (rsens.InputError, rsens.MissingExtraError) as error:
        return Outcome("refused", str(error))
    except Wrong as error:
        return Outcome("answered", defect=f"wrong result: {error}")
    except TooLong:
        return Outcome("no end", defect=f"took more than {MOST_SECONDS:g} seconds")
    except Exception as error:  # noqa: BLE001 (any other error is a defect)
        return Outcome("failed", defect=f"{type(error).__name__}: {str(error)[:300]} [{_where(error)}]")
    return Outcome("answered")


def _warned_wrongly(raised: list[warnings.WarningMessage], kind: str, calls: int) -> str:
    if kind.startswith("not fitted"):
        return ""
    texts = Counter(str(warning.message) for warning in raised)
    if len(raised) > MOST_WARNINGS * calls:
        return f"{len(raised)} warnings, the first: {str(raised[0].message)[:200]} [{raised[0].filename}]"
    text, times = texts.most_common(1)[0] if texts else ("", 0)
    if times > calls:
        where = next(each for each in raised if str(each.message) == text)
        return f"the same warning {times} times: {text[:200]} [{where.filename}:{where.lineno}]"
    # What scikit-learn has to say about y is said in its own words; arithmetic and deprecations are our affair.
    inside = [each for each in raised if "/rsens/" in each.filename and issubclass(each.category, OF_OURS)]
    if inside:
        each = inside[0]
        return f"{each.category.__name__}: {str(each.message)[:200]} [{each.filename}:{each.lineno}]"
    return next(filter(None, (_said_wrongly(text) for text in texts)), "")


def _said_wrongly(text: str) -> str:
    if len(text) > MOST_TEXT:
        return f"a text of {len(text)} characters: {text[:100]}"
    steering = [c for c in text if ord(c) < 32 and c != "\n"]
    return f"a text that steers the terminal: {text[:200]!r}" if steering else ""


def _where(error: BaseException) -> str:
    """The line of rsens, or else of anyone, where the error came from."""
    frames = []
    trace = error.__traceback__
    while trace is not None:
        frames.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    ours = [frame for frame in frames if "/rsens/" in frame]
    return (ours or frames)[-1]


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Limit the processor time of the block: a slow machine does not count as a hang."""

    def stop(number: int, frame: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
