"""Messy tables through the command: each is read right, or the answer has a WARNING above it.

The column that leads is written in a way that was once misread, `other` moves the target a little, `idle` does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from rsens import Explanation
from rsens._app.cli._main import main

ROWS = 160


@dataclass(frozen=True)
class Messy:
    """A file, the column that leads, sentences that must be printed, and further options of the command."""

    text: str
    leader: str
    said: tuple[str, ...] = ()
    warned: bool = False  # whether a sentence stands above the answer, as a WARNING
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


def dates_day_first() -> Messy:
    """Two years of days as dd/mm/yyyy, once 160 categories; y follows the season."""
    rng, frame = _columns(1)
    when = pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.choice(730, ROWS, replace=False), unit="D")
    y = 3.0 * np.cos(2.0 * np.pi * when.day_of_year / 365.25) + 0.5 * frame["other"] + 0.2 * rng.normal(size=ROWS)
    frame.insert(0, "when", when.strftime("%d/%m/%Y"))
    said = ("'when' was read as dates, day first (", "days since 2022-01-", "time of year and weekday")
    return Messy(frame.assign(y=y.round(3)).to_csv(index=False), "when", (*said, "--date when=days"))


def too_many_levels() -> Messy:
    """300 customers among 160 rows would never end; the price leads."""
    rng = np.random.default_rng(8)
    lead = rng.normal(30.0, 9.0, ROWS).round(2)
    frame = _with(lead, lead.astype(str).tolist(), "price", 8)
    frame.insert(0, "customer", [f"customer {k}" for k in rng.integers(0, 90, ROWS)])
    said = ("different texts in 160 rows, too many to compare, and was left out", "--categorical customer")
    return Messy(frame.to_csv(index=False), "price", said, warned=True)


def no_header() -> Messy:
    lead = np.random.default_rng(9).normal(size=ROWS).round(4)
    text = _with(lead, lead.astype(str).tolist(), "lead", 9).to_csv(index=False, header=False)
    return Messy(text, "x1", options=("--no-header",))


def odd_cells_among_dates() -> Messy:
    """Ambiguous days, a mark of a missing value, and a table that says month first elsewhere."""
    rng = np.random.default_rng(13)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.choice(300, ROWS), unit="D")
    frame = _with((days - days.min()).days.to_numpy(dtype=float), days.strftime("%m/%d/%Y").tolist(), "sold", 13)
    frame.loc[3, "sold"] = "n.d."
    built = [f"{month:02}/{day:02}/2020" for month, day in rng.integers(1, 13, (ROWS, 2))]
    said = ("'sold' was read as dates, month first", "'built' was read as dates, month first", "1 cell with 'n.d.'")
    return Messy(frame.assign(built=built).to_csv(index=False), "sold", said)


QUICK = ("--no-report", "--no-null", "--cv", "0", "--pairs", "0")


@pytest.fixture
def explain(tmp_path, monkeypatch, capsys):
    """Explain a table, and give the exit code and what was printed, on one line each."""
    monkeypatch.chdir(tmp_path)

    def run(text, *options):
        (tmp_path / "data.csv").write_text(text)
        code = main(["explain", "data.csv", *options, *QUICK])
        return code, *(" ".join(each.split()) for each in capsys.readouterr())

    return run


@pytest.mark.parametrize("make", [dates_day_first, too_many_levels, no_header, odd_cells_among_dates])
def test_the_leading_column_is_found(make, explain):
    messy = make()
    target = "x3" if "--no-header" in messy.options else "y"
    code, out, err = explain(messy.text, "--target", target, *messy.options)
    assert code == 0, err
    assert not [sentence for sentence in messy.said if sentence not in out]
    assert out.startswith("WARNING") == messy.warned
    explanation = Explanation.load("rsens-data/explanation.json")
    assert explanation.main.idxmax() == messy.leader
    assert f"depends most on {messy.leader}" in out
    assert explanation.main[messy.leader] > 1.5 * explanation.main.drop(messy.leader).max()


def test_a_file_without_names_is_refused_with_the_way_out(explain):
    code, _, err = explain(no_header().text, "--target", "y")
    assert code == 2
    assert "data.csv seems to have no line with the names" in err
    assert "--no-header" in err
