"""What plotly draws: the local values, texts escaped, colours by name."""

import html
import json
import re
from collections.abc import Iterator

import pytest

from rsens._app.report._facts import Facts
from rsens._app.report._live_beeswarm import for_plotly, live_beeswarm
from rsens._app.report._page import LIGHT
from tests.app.report import studies


def texts(value, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text with the key that it is under."""
    if isinstance(value, dict):
        for name, item in value.items():
            yield from texts(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, key)
    elif isinstance(value, str):
        yield key, value


@pytest.mark.parametrize("name", ["numbers", "classes", "hostile"])
def test_it_is_safe(name):
    """JSON without NaN; colours that the themes have; no name that plotly would read as a tag or a variable."""
    spec = live_beeswarm(Facts.of(getattr(studies, name)()))
    json.dumps(spec, allow_nan=False)
    for key, text in texts(spec):
        if text.startswith("@"):
            assert "color" in key
            assert text[1:] in LIGHT
        else:
            assert "<" not in re.sub(r"</?(br|extra)>", "", text)
            assert "%{x} " not in text


def test_plotly_shows_names_as_they_are():
    assert for_plotly("<b>&amp; %{x} 'q'") == "&lt;b&gt;&amp;amp; %&#123;x} 'q'"


def test_points_know_their_row():
    study = studies.numbers()
    trace = live_beeswarm(Facts.of(study))["data"][0]
    local = study.explanation.local_main
    k = trace["x"].index(max(trace["x"]))
    assert local.iloc[trace["customdata"][k][0]].max() == pytest.approx(max(trace["x"]), rel=1e-3)


def test_the_axis_has_the_variables_by_rank():
    study = studies.numbers()
    axis = live_beeswarm(Facts.of(study))["layout"]["yaxis"]
    assert axis["ticktext"] == list(study.explanation.to_frame()["term"])


def test_names_for_a_phone_are_shorter():
    """Cut before they are escaped, so that no entity is."""
    spec = live_beeswarm(Facts.of(studies.hostile()))
    wide, narrow = spec["layout"]["yaxis"]["ticktext"], spec["narrow"]
    assert len(narrow) == len(wide)
    assert all(len(html.unescape(label)) <= 16 for label in narrow)
    assert all(len(html.unescape(label)) <= 32 for label in wide)
