"""The pages and examples of these libraries run, as the others do in tests/test_docs.py and tests/test_examples.py."""

import pytensor
import pytest

from tests import test_examples
from tests.test_docs import ELSEWHERE, run_blocks


@pytest.mark.parametrize("page", ELSEWHERE)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytensor.config.change_flags(mode="FAST_COMPILE"):  # compiling takes minutes, and sampling a second
        run_blocks(page)


@pytest.mark.parametrize("name", test_examples.ELSEWHERE)
def test_examples_run(name, tmp_path, monkeypatch):
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        test_examples.test_the_example_gives_the_shown_output(name, tmp_path, monkeypatch)
