"""Every row is as probable as any other, and blocks make no difference."""

import numpy as np
import pytest

from rsens._app.tables._file import sampled


def drawn(n, most, seed, block):
    blocks = (range(start, min(start + block, n)) for start in range(0, n, block))
    held, kept, rows, seen = sampled(blocks, lambda rows, places: [rows[k] for k in places], most=most, seed=seed)
    held = [row for rows in held for row in rows]
    assert seen == n
    assert [held[k] for k in kept] == rows.tolist()
    return rows.tolist(), len(held)


@pytest.mark.parametrize("block", [1, 7, 100, 1000])
def test_blocks_make_no_difference(block):
    rows, _ = drawn(1000, 20, 5, block)
    assert rows == drawn(1000, 20, 5, 333)[0]
    assert len(set(rows)) == 20


def test_all_rows():
    assert drawn(10, None, 0, 3) == (list(range(10)), 10)
    assert drawn(10, 12, 0, 3)[0] == list(range(10))


def test_every_row_is_equally_probable():
    """4000 samples of 3 of 12 rows: counts are binomial with mean 1000 and a standard deviation of 27."""
    counts = np.bincount(np.concatenate([drawn(12, 3, seed, 5)[0] for seed in range(4000)]), minlength=12)
    assert np.abs(counts - 1000).max() < 4.5 * 27


def test_few_more_rows_are_held_than_kept():
    """About 100·(1 + log 1000) = 790, give or take 30."""
    _, held = drawn(100_000, 100, 0, 50)
    assert held < 100 * (1.0 + np.log(1000.0)) + 150
