"""Messy tables as people have them, made in code, so that it is known which column leads.

Each is the text of a file: the column that leads is written in a way that was once misread, `other` moves the target a
little, `idle` does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

ROWS = 160


@dataclass(frozen=True)
class Messy:
    """A file, the column that leads, and what must be said about it.

    said: Sentences that must be printed. warned: Whether one of them stands above the answer, as a WARNING.
    options: Further options of the command.
    """

    text: str
    leader: str
    said: tuple[str, ...] = ()
    warned: bool = False
    options: tuple[str, ...] = ()


def _columns(seed: int) -> tuple[np.random.Generator, pd.DataFrame]:
    rng = np.random.default_rng([seed, 1])  # not that of the column that leads
    return rng, pd.DataFrame({"other": rng.normal(size=ROWS).round(3), "idle": rng.normal(size=ROWS).round(3)})


def _with(lead: np.ndarray, cells: list[str], name: str, seed: int) -> pd.DataFrame:
    """y = 3 lead + other/2 + noise, and the lead as these cells."""
    rng, frame = _columns(seed)
    y = 3.0 * (lead - lead.mean()) / lead.std() + 0.5 * frame["other"] + 0.2 * rng.normal(size=ROWS)
    frame.insert(1, name, cells)
    return frame.assign(y=y.round(3))


def _csv(frame: pd.DataFrame, **options: object) -> str:
    return str(frame.to_csv(index=False, **options))


def dates_day_first() -> Messy:
    """Two years of days as dd/mm/yyyy, once 160 categories; y follows the season."""
    rng, frame = _columns(1)
    when = pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.choice(730, ROWS, replace=False), unit="D")
    y = 3.0 * np.cos(2.0 * np.pi * when.day_of_year / 365.25) + 0.5 * frame["other"] + 0.2 * rng.normal(size=ROWS)
    frame.insert(0, "when", when.strftime("%d/%m/%Y"))
    said = ("'when' was read as dates, day first (", "days since 2022-01-", "time of year and weekday")
    return Messy(_csv(frame.assign(y=y.round(3))), "when", (*said, "--date when=days"))


def dates_month_first_with_times() -> Messy:
    """Two weeks of hours as mm/dd/yyyy h:mm AM; y follows the hour."""
    rng, frame = _columns(2)
    when = pd.to_datetime("2024-03-07") + pd.to_timedelta(rng.choice(14 * 24, ROWS, replace=False), unit="h")
    y = 3.0 * np.sin(2.0 * np.pi * when.hour / 24.0) + 0.5 * frame["other"] + 0.2 * rng.normal(size=ROWS)
    frame.insert(0, "when", when.strftime("%m/%d/%Y %I:%M %p"))
    return Messy(_csv(frame.assign(y=y.round(3))), "when", ("month first (", "hour"))


def currency_and_parentheses() -> Messy:
    lead = np.random.default_rng(4).normal(200.0, 900.0, ROWS).round(2)
    cells = [f"(${-value:,.2f})" if value < 0.0 else f"${value:,.2f}" for value in lead]
    return Messy(_csv(_with(lead, cells, "balance", 4)), "balance", ("'balance' was read as numbers (",))


def spaces_and_apostrophes() -> Messy:
    """No-break spaces with a decimal comma in one column, apostrophes in another."""
    lead = np.random.default_rng(5).uniform(500.0, 90_000.0, ROWS).round(1)
    cells = [f"{value:,.1f}".replace(",", "\u00a0").replace(".", ",") for value in lead]
    frame = _with(lead, cells, "income", 5)
    frame["idle"] = [f"{value:,.0f}".replace(",", "'") for value in np.random.default_rng(6).uniform(10, 9e6, ROWS)]
    return Messy(_csv(frame, sep=";"), "income", ("'income' was read as numbers (", "'idle' was read as numbers ("))


def first_column_without_a_name() -> Messy:
    """Distinct decimals under an empty name: data, not names of rows."""
    lead = np.random.default_rng(7).normal(size=ROWS).round(6)
    frame = _with(lead, lead.astype(str).tolist(), "", 7)
    return Messy(_csv(frame[["", "other", "idle", "y"]]), "Unnamed: 0")


def too_many_levels() -> Messy:
    """300 customers among 160 rows would never end; the price leads."""
    rng = np.random.default_rng(8)
    lead = rng.normal(30.0, 9.0, ROWS).round(2)
    frame = _with(lead, lead.astype(str).tolist(), "price", 8)
    frame.insert(0, "customer", [f"customer {k}" for k in rng.integers(0, 90, ROWS)])
    said = ("different texts in 160 rows, too many to compare, and was left out", "--categorical customer")
    return Messy(_csv(frame), "price", said, warned=True)


def no_header() -> Messy:
    lead = np.random.default_rng(9).normal(size=ROWS).round(4)
    text = _csv(_with(lead, lead.astype(str).tolist(), "lead", 9), header=False)
    return Messy(text, "x1", options=("--no-header",))


def odd_cells_among_dates() -> Messy:
    """Ambiguous days, a mark of a missing value, and a table that says month first elsewhere."""
    rng = np.random.default_rng(13)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.choice(300, ROWS), unit="D")
    frame = _with((days - days.min()).days.to_numpy(dtype=float), days.strftime("%m/%d/%Y").tolist(), "sold", 13)
    frame.loc[3, "sold"] = "n.d."
    built = [f"{month:02}/{day:02}/2020" for month, day in rng.integers(1, 13, (ROWS, 2))]
    said = ("'sold' was read as dates, month first", "'built' was read as dates, month first", "1 cell with 'n.d.'")
    return Messy(_csv(frame.assign(built=built)), "sold", said)


MESSY = (
    dates_day_first,
    dates_month_first_with_times,
    currency_and_parentheses,
    spaces_and_apostrophes,
    first_column_without_a_name,
    too_many_levels,
    no_header,
    odd_cells_among_dates,
)
