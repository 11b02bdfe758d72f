"""What plotly draws: the numbers of the explanation, texts escaped, colours by name."""

import json
import re
from collections.abc import Iterator

import numpy as np
import pytest

from rsens._app.report import _live, _live_profile, _live_rows, _live_surface
from rsens._app.report._colours import LIGHT
from rsens._app.report._facts import Facts
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


def figures(study) -> dict:
    facts = Facts.of(study)
    found = {"bars": _live.bars(facts), "swarm": _live_rows.beeswarm(facts), "heat": _live.heatmap(facts)}
    found |= {f"profile {t}": _live_profile.profile(facts, t) for t in facts.profiled}
    return found | {f"surface {k}": _live_surface.surface(facts, pair) for k, pair in enumerate(facts.surfaced)}


@pytest.mark.parametrize("name", ["numbers", "classes", "hostile"])
def test_every_figure(name):
    """JSON without NaN; colours that the themes have; no name that plotly would read as a tag or a variable."""
    found = figures(getattr(studies, name)())
    for spec in found.values():
        json.dumps(spec, allow_nan=False)
        for key, text in texts(spec):
            if text.startswith("@"):
                assert "color" in key
                assert text[1:] in LIGHT
            else:
                assert key == "operation" or "<" not in re.sub(r"</?(b|br|extra)>", "", text)
                assert "<b>bold" not in text
                assert "%{x} " not in text


def test_bars():
    study = studies.numbers()
    spec = _live.bars(Facts.of(study))
    main = study.explanation.main.sort_values(ascending=False)
    parts = np.sum([trace["x"] for trace in spec["data"] if trace["type"] == "bar"], axis=0)
    assert np.allclose(parts, main, rtol=2e-3)  # four digits of each part
    null = next(trace for trace in spec["data"] if trace.get("name") == "null level")
    assert max(x for x in null["x"] if x is not None) == pytest.approx(study.explanation.null_levels.max(), rel=1e-3)


def test_heatmap():
    study = studies.numbers()
    trace = _live.heatmap(Facts.of(study))["data"][0]
    values = [v for line in trace["z"] for v in line if v is not None]
    assert sorted(values) == pytest.approx(sorted(study.explanation.pairs), rel=1e-3)


def test_swarm_points_know_their_row():
    study = studies.numbers()
    facts = Facts.of(study)
    trace = _live_rows.beeswarm(facts)["data"][0]
    local = study.explanation.local_main
    k = trace["x"].index(max(trace["x"]))
    assert local.iloc[trace["customdata"][k][0]].max() == pytest.approx(max(trace["x"]), rel=1e-3)


def test_profile_of_a_number_and_of_levels():
    facts = Facts.of(studies.numbers())
    number, levels = _live_profile.profile(facts, "a"), _live_profile.profile(facts, "city")
    mean = next(trace for trace in number["data"] if trace.get("name") == "mean")
    low, high = np.array(mean["customdata"])[:, 2:].T  # the 90 % interval
    assert (low < np.array(mean["y"])).all()
    assert (np.array(mean["y"]) < high).all()
    assert levels["layout"]["xaxis"]["ticktext"] == ["Bergen", "Kiel"]


def test_surfaces_of_numbers_and_of_levels():
    facts = Facts.of(studies.numbers())
    assert _live_surface.surface(facts, ("a", "b"))["data"][0]["type"] == "heatmap"
    lines = _live_surface.surface(facts, ("a", "city"))["data"]
    assert {trace.get("name") for trace in lines if trace.get("name")} == {"Bergen", "Kiel"}
