"""Arguments that many calls take, checked in one place: seeds, counts, levels, jobs."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import Argument, InputError


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """The seed of all random numbers of one call. A Generator draws it, which changes the Generator's state."""
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence([int(word) for word in random_state.integers(2**32, size=4)])
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool) and random_state >= 0:
        return np.random.SeedSequence(int(random_state))
    raise InputError(
        Argument("random_state"),
        f" must be None, a whole number of at least 0, or a NumPy Generator; got {random_state!r}.",
    )


def child(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """The seed for one purpose, by its number; it does not depend on other draws."""
    return np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))


def whole_number(value: Any, name: str, least: int) -> int:
    """The value, if it is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(Argument(name), f" must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def fraction(value: Any, name: str) -> float:
    """The value, if it lies strictly between 0 and 1."""
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not 0.0 < float(value) < 1.0:
        raise InputError(Argument(name), f" must be a number between 0 and 1, like 0.95; got {value!r}.")
    return float(value)


def one_of(value: Any, name: str, choices: tuple[Any, ...]) -> Any:
    """The value, if it is one of the choices."""
    # `in` would take 1 for True, and compare arrays entry by entry.
    if not any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        raise InputError(Argument(name), f" must be one of {', '.join(map(repr, choices))}; got {value!r}.")
    return value


def jobs(n_jobs: Any) -> int | None:
    """The number of processes as joblib counts them: None, or a whole number other than 0."""
    if n_jobs is not None and (n_jobs == 0 or isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer)):
        raise InputError(
            Argument("n_jobs"), f" must be a whole number other than 0, as in joblib, or None; got {n_jobs!r}."
        )
    return None if n_jobs is None else int(n_jobs)
