"""docs/models/distributions.md names everything that is converted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rsens._conversions import CONVERSIONS

PAGE = (Path(__file__).parents[2] / "docs" / "models" / "distributions.md").read_text(encoding="utf-8")
NAMED = {name for text in re.findall(r"`([^`\n]+)`", PAGE) for name in re.findall(r"\w+", text)}


@pytest.mark.parametrize("conversion", CONVERSIONS, ids=lambda each: each.name)
def test_every_class_is_on_the_page(conversion):
    names = {re.sub(r"make_distribution\((\w+)\)", r"\1", name) for name in conversion.known}
    assert names <= NAMED
