"""Numbers and JSON as they stand in the page."""

import json

import numpy as np

from rsens._app.report._rows import json_in_html, round_to


def test_round_to():
    assert round_to([[1.23456, np.nan], [1e9, 2.0]]) == [[1.235, None], [1000000000, 2]]
    assert isinstance(round_to(2.0), int)


def test_json_cannot_end_its_element():
    content = {"</script><!--": ["<script>", "&lt;", "\u2028", "\ud800", "🚲"]}
    text = json_in_html(content)
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text) == content
