"""The pages about these libraries run, as the others do in `tests/test_docs.py`."""

import pytensor
import pytest

from tests.test_docs import ELSEWHERE, run_blocks


@pytest.mark.parametrize("page", ELSEWHERE)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytensor.config.change_flags(mode="FAST_COMPILE"):  # compiling takes minutes, and sampling a second
        run_blocks(page)
