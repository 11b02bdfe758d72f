"""Messy tables through the command: each is read right, or the answer has a WARNING above it.

The column that leads is written in a way that was once misread, `other` moves the target a little, `idle` does nothing.
"""

import numpy as np
import pandas as pd
import pytest

from rsens import Explanation
from rsens._app.cli._main import main

ROWS = 160
QUICK = ("--no-report", "--no-null", "--cv", "0", "--pairs", "0")


def table(rng, lead, name, cells):
    """y = 3 lead + other/2 + noise, and the lead as these cells."""
    other, idle, noise = rng.normal(size=(3, ROWS)).round(3)
    y = 3.0 * (lead - lead.mean()) / lead.std() + 0.5 * other + 0.2 * noise
    return pd.DataFrame({"other": other, name: cells, "idle": idle, "y": y.round(3)})


def dates_day_first(rng):
    """Two years of days as dd/mm/yyyy, once 160 categories; y follows the season."""
    when = pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.choice(730, ROWS, replace=False), unit="D")
    season = np.cos(2.0 * np.pi * when.day_of_year.to_numpy() / 365.25)
    said = ("'when' was read as dates, day first (", "days since 2022-01-", "time of year and weekday")
    return table(rng, season, "when", when.strftime("%d/%m/%Y")), "when", *said, "--date when=days"


def too_many_levels(rng):
    """Customers whose levels would never end; the price leads."""
    price = rng.normal(30.0, 9.0, ROWS).round(2)
    customers = [f"customer {k}" for k in rng.integers(0, 90, ROWS)]
    said = ("different texts in 160 rows, too many to compare, and was left out", "--categorical customer")
    return table(rng, price, "price", price).assign(customer=customers), "price", *said


def odd_cells_among_dates(rng):
    """Ambiguous days, a mark of a missing value, and a table that says month first elsewhere."""
    days = rng.choice(300, ROWS)
    sold = (pd.to_datetime("2024-01-01") + pd.to_timedelta(days, unit="D")).strftime("%m/%d/%Y").tolist()
    built = [f"{month:02}/{day:02}/2020" for month, day in rng.integers(1, 13, (ROWS, 2))]
    frame = table(rng, days, "sold", ["n.d.", *sold[1:]]).assign(built=built)
    said = ("'sold' was read as dates, month first", "'built' was read as dates, month first", "1 cell with 'n.d.'")
    return frame, "sold", *said


@pytest.fixture
def explain(tmp_path, monkeypatch, capsys):
    """Explain a table, and give the exit code and what was printed, on one line each."""
    monkeypatch.chdir(tmp_path)

    def run(text, *options):
        (tmp_path / "data.csv").write_text(text)
        code = main(["explain", "data.csv", *options, *QUICK])
        return code, *(" ".join(each.split()) for each in capsys.readouterr())

    return run


def assert_it_leads(leader, code, out, err):
    assert code == 0, err
    explanation = Explanation.load("rsens-data/explanation.json")
    assert explanation.main.idxmax() == leader
    assert f"depends most on {leader}" in out
    assert explanation.main[leader] > 1.5 * explanation.main.drop(leader).max()


@pytest.mark.parametrize("make", [dates_day_first, too_many_levels, odd_cells_among_dates])
def test_the_leading_column_is_found(make, explain):
    frame, leader, *said = make(np.random.default_rng(1))
    code, out, err = explain(frame.to_csv(index=False), "--target", "y")
    assert not [sentence for sentence in said if sentence not in out]
    assert out.startswith("WARNING") == (make is too_many_levels)
    assert_it_leads(leader, code, out, err)


def test_a_file_without_names_is_refused_with_the_way_out(explain):
    rng = np.random.default_rng(9)
    lead = rng.normal(size=ROWS).round(4)
    text = table(rng, lead, "lead", lead).to_csv(index=False, header=False)
    code, _, err = explain(text, "--target", "y")
    assert code == 2
    assert "data.csv seems to have no line with the names" in err
    assert "--no-header" in err
    assert_it_leads("x1", *explain(text, "--target", "x3", "--no-header"))
