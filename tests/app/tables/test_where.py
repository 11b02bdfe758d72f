"""Rows to keep, by conditions on columns."""

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens._app.tables import Roles, keep_rows, read_where


def table():
    return pd.DataFrame(
        {
            "open": ["yes", "no", "yes", None, "yes", "no"],
            "temp": [1.5, 2.0, np.nan, -4.0, 20.0, 20.0],
            "count": [0, 1, 2, 3, 4, 5],
            "flag": [True, False, True, True, False, False],
            "price": ["1,5", "2,25", "3,0", "4,75", "5,5", "6,0"],
            "when": ["2024-01-01 06:00", "2024-01-02 18:00", "2024-01-02 19:00", "2024-02-01", "2024-03-01", None],
            "day": ["31/01/2024", "01/02/2024", "15/02/2024", "28/02/2024", "01/03/2024", "02/03/2024"],
            "a": [9, 9, 9, 8, 8, 8],
            "code": [1.0, 2.0, 10.0, 1.0, 2.0, 10.0],
        }
    )


def kept(*where, **options):
    return keep_rows(table(), read_where(where), **options)[0].index.tolist()


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("open=yes", [0, 2, 4]), ("open==yes", [0, 2, 4]), ("open = 'yes'", [0, 2, 4]),
        ("open!=yes", [1, 5]),  # a cell that is missing is not known to differ
        ("temp>=2", [1, 4, 5]), ("temp>2", [4, 5]), ("temp<2", [0, 3]), ("temp<=-4", [3]), ("temp=2e1", [4, 5]),
        ("count!=3", [0, 1, 2, 4, 5]), ("flag=true", [0, 2, 3]), ("flag!=True", [1, 4, 5]), ("price>4,75", [4, 5]),
        ("price<=2.25", [0, 1]), ("when=2024-01-02", [1, 2]), ("when<=2024-01-02", [0, 1, 2]),
        ("when>2024-01-02", [3, 4]), ("when<2024-01-02 18:30", [0, 1]), ("when>=2024-02", [3, 4]),
        ("day>=2024-02-28", [3, 4, 5]), ("day<01/02/2024", [0]), ("a=8", [3, 4, 5]),
    ],
)  # fmt: skip
def test_conditions(where, rows):
    assert kept(where) == rows


def test_several_conditions_and_codes_and_dates_as_given():
    assert kept("open=yes", "count>1") == [2, 4]
    assert kept("count>1", "count<=3") == [2, 3]
    assert kept("code=10", codes=["code"]) == [2, 5]
    assert kept("code!=10.0", codes=["code"]) == [0, 1, 3, 4]
    frame = pd.DataFrame({"when": ["01/02/2024", "02/02/2024", "03/02/2024"]})
    for form, value, rows in (("%d/%m/%Y", ">2024-02-01", [1, 2]), ("%m/%d/%Y", "=2024-01-02", [0])):
        assert keep_rows(frame, (f"when{value}",), date={"when": form})[0].index.tolist() == rows


def test_the_note_and_the_record():
    rows, note, record = keep_rows(table(), ("open=yes", "count<4"))
    assert (note.text, note.columns) == ("Rows where open=yes and count<4: 2 of 6.", ("open", "count"))
    assert record == {"rows": len(rows), "of": 6, "where": "open=yes and count<4"}


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("open=YES", "'open' has yes, no"), ("open!=maybe", "no cell is 'maybe'"),
        ("open=__import__('os').getcwd()", "no cell is"),  # a value is text, whatever it looks like
        ("count=1 or True", "cannot be read as numbers"), ("count=7", "'count' has 0, 1, 2, 3, 4, 5"),
        ("open<yes", "needs numbers or dates"), ("temp>99", "no rows where temp>99"),
        ("when=2025-01-01", "'when' has 2024-01-02"), ("when=2024-13-01", "cannot be read as dates"),
        ("when>soon", "cannot be read as dates"), ("list=1", "neither numbers nor text"),
    ],
)  # fmt: skip
def test_refused_values(where, text):
    with pytest.raises(InputError, match=text) as error:
        keep_rows(table().assign(list=[[1]] * 6), (where,))
    assert error.value.argument == "where"


def test_columns_that_do_not_exist():
    with pytest.raises(InputError, match="Did you mean 'open'"):
        Roles(where=["opened=yes"]).read(list(table()))


@pytest.mark.parametrize("where", ["open", "=yes", "open=", "", "!=", 3, ["open=yes", 3], {"open": "yes"}])
def test_what_is_no_condition(where):
    with pytest.raises(InputError, match=r"COLUMN=VALUE|open=yes") as error:
        read_where(where)
    assert error.value.argument == "where"
