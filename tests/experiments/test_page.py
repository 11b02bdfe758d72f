"""docs/reproduction.md is what the generator makes of the committed results."""

import re

import pandas as pd
import pytest

from experiments._command import RESULTS
from experiments.page.__main__ import DOCS, main, page, times
from experiments.page._markdown import Results, formula, interval, listed, number, table


@pytest.fixture(scope="module")
def generated():
    return page(Results(RESULTS))


def test_the_committed_page_is_made_of_the_committed_results(tmp_path, generated):
    main(["--docs", str(tmp_path)])
    again = "Run `python -m experiments.page`."
    assert (tmp_path / "reproduction.md").read_text(encoding="utf-8") == generated
    assert (DOCS / "reproduction.md").read_text(encoding="utf-8") == generated, again
    figures = [path.relative_to(tmp_path) for path in tmp_path.glob("figures/**/*.*")]
    assert set(re.findall(r"\]\((figures/[^)]+)\)", generated)) == {path.as_posix() for path in figures}
    for path in figures:
        assert (DOCS / path).read_bytes() == (tmp_path / path).read_bytes(), again


def test_no_result_is_typed_by_hand(tmp_path):
    """With other numbers in the CSV files, the page has those."""
    for bias in ("per-call", "per-repetition"):
        (tmp_path / bias).mkdir()
        cells = pd.read_csv(RESULTS / bias / "main_effects.csv")
        cells["ours"], cells["ours_half"], cells["agrees"] = 777.0, 0.3, False
        cells.to_csv(tmp_path / bias / "main_effects.csv", index=False)
    text = page(Results(tmp_path))
    assert text.count("**777.0 ± 0.3**") == 168 + 2 * 168  # ground truth once, imperfect models by both readings
    assert "0 of 336 cells agree" in text
    assert "on 0 of 6 functions" in text
    assert "Not run: `python -m experiments.interactions`." in text


def test_a_page_of_nothing_says_what_to_run(tmp_path):
    text = page(Results(tmp_path))
    named = set(re.findall(r"Not run: `python -m experiments\.(\w+)", text))
    assert named >= {"main_effects", "interactions", "real_data", "stability", "fourth_derivative", "beyond"}


def test_every_table_row_has_as_many_cells_as_its_head(generated):
    width = None
    for line in generated.splitlines():
        if not line.startswith("|"):
            width = None
        else:
            width = width or line.count("|")
            assert line.count("|") == width, line


def test_pieces():
    assert table(["a", "b"], [(1, "x")]) == ["| a | b |", "|---|---|", "| 1 | x |", ""]
    assert (number(-0.04), number(-1.25, 2), number(3.0, 0)) == ("0.0", "−1.25", "3")
    assert (interval(1.0, 0.25, 2), interval(float("nan"), 1.0)) == ("1.00 ± 0.25", "")
    assert formula("x exp(-x)") == "x·exp(−x)"
    assert [listed(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_times_are_those_since_the_last_fresh_start(tmp_path):
    lines = [("one", 0, 5, 10.0), ("one", 5, 5, 20.0), ("two", 0, 1, 1.0), ("one", 0, 2, 3.0), ("one", 2, 4, 5.0)]
    columns = ["experiment", "finished_before", "repetitions", "seconds"]
    frame = pd.DataFrame(lines, columns=columns).assign(processor_seconds=1.0, n_jobs=2)
    frame.to_csv(tmp_path / "timings.csv", index=False)
    took = times(tmp_path)
    assert took.loc["one", ["repetitions", "seconds"]].tolist() == [6, 8.0]
    assert took.loc["two", "seconds"] == 1.0
    assert len(times(tmp_path / "nothing")) == 0
