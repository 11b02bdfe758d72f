"""What is said on terminals that know few signs."""

import pytest

from rsens._app.cli._terminal import in_encoding

LINE = "1  a…b  −0.5 ± 0.1 – 2  ███  ▲ ±  × R-sens₂ R²"


def test_nothing_changes_where_all_signs_are_known():
    assert in_encoding(LINE, "utf-8") == LINE
    assert in_encoding(LINE, None) == LINE


def test_ascii():
    assert in_encoding(LINE, "ascii") == "1  a~b  -0.5 +- 0.1 - 2  ###  ^ +- x R-sens2 R2"


def test_columns_stay_below_each_other():
    lines = ["  ▲ 1.0   10 %", "  ±        5 %"]
    assert {len(in_encoding(line, "ascii")) for line in lines} == {len(lines[0])}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437", "no such encoding"])
def test_what_is_said_can_be_written(encoding):
    said = in_encoding(LINE, encoding)
    said.encode("ascii" if encoding.startswith("no") else encoding)
