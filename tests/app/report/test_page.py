"""The whole page: everything is there, nothing gets out, and the same study gives the same bytes."""

import hashlib
import html
import json
import re
from base64 import b64encode
from html.parser import HTMLParser

import pytest

from rsens._app.report import _page, render, write_report
from tests.app.report import studies

SECTIONS = ["summary", "quality", "variables", "pairs", "profiles", "surfaces", "spread", "row"]
SECTIONS += ["reading", "making", "citing"]


class Elements(HTMLParser):
    """Tags with their attributes, and the scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self._script = [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self._script = dict(attrs)
            self.scripts.append([self._script, ""])

    def handle_endtag(self, tag):
        if tag == "script":
            self._script = None

    def handle_data(self, data):
        if self._script is not None:
            self.scripts[-1][1] += data


def data_of(page: str) -> dict:
    return json.loads(next(text for attrs, text in Elements(page).scripts if attrs.get("id") == "report-data"))


def test_sections():
    page = studies.page("numbers")
    tags = Elements(page).tags
    assert [attrs["id"] for tag, attrs in tags if tag == "section"] == SECTIONS
    links = [attrs["href"][1:] for tag, attrs in tags if tag == "a" and attrs["href"].startswith("#")]
    assert set(links) == set(SECTIONS)
    for text in (
        "Paananen",
        "abc123",
        "&#39;d&#39; is 3 in all rows",
        "random_state=3",
        "numbers from 0 to 9",
        "1.2.3",
    ):
        assert text in page
    assert sum(tag == "h1" for tag, _ in tags) == 1


@pytest.mark.parametrize("name", ["numbers", "classes", "hostile"])
def test_ids_are_unique_and_figures_are_described(name):
    tags = Elements(studies.page(name)).tags
    ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(attrs.get("aria-label") for _, attrs in tags if attrs.get("role") == "img")
    assert all("scope" in attrs for tag, attrs in tags if tag == "th")


def test_nothing_gets_out():
    page = studies.page("hostile")
    found = Elements(page)
    assert len(found.scripts) == 2  # the data and the script of the page
    assert not {tag for tag, _ in found.tags} & {"img", "b", "i", "u", "em", "iframe", "link", "object"}
    assert not any(name.startswith("on") for _, attrs in found.tags for name in attrs)
    assert "{{ 7 * 7 }}" in page  # shown, not computed
    assert f'title="{html.escape(studies.HOSTILE[3].strip())}"' in page.replace("&#34;", "&quot;")


def test_only_its_own_scripts_run_and_nothing_is_loaded():
    found = Elements(studies.page("hostile"))
    policy = next(a["content"] for t, a in found.tags if t == "meta" and a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    assert "connect-src" not in policy  # so it is 'none' too
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    run = [text for attrs, text in found.scripts if "type" not in attrs]
    assert {b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run} == allowed
    assert not any("src" in attrs for _, attrs in found.tags)
    hrefs = {a["href"] for t, a in found.tags if t == "a" and not a["href"].startswith("#")}
    assert hrefs == {"https://proceedings.mlr.press/v161/paananen21a.html"}


def test_warning_comes_first():
    page = studies.page("hostile")
    warnings = studies.hostile().assessment.warnings
    assert warnings
    assert all(html.escape(text, quote=False) in page for text in warnings)
    assert page.index("Before you rely on this") < page.index('id="summary-title"')
    assert "Before you rely on this" not in studies.page("numbers")


def test_same_bytes():
    assert render(studies.known()) == studies.page("known")


def test_groups():
    """A group has no value and no profile of its own."""
    from rsens._explain import explain

    made = studies.function(30, columns=3)
    grouped = explain(made.model, made.X, intervals=False, groups={"both": ["x0", "x1"]})
    page = render(studies.study(explanation=grouped, X=made.X, model=made.model))
    assert "both" in page
    assert 'id="figure-profile-0"' in page
    assert 'id="figure-profile-1"' not in page


def test_explanation_from_a_file(tmp_path):
    from rsens._explain import Explanation

    known = studies.known()
    known.explanation.save(tmp_path / "e.json")
    loaded = studies.study(explanation=Explanation.load(tmp_path / "e.json"), X=known.X, model=known.model)
    assert render(loaded) == studies.page("known")


def test_many_rows_stay_small():
    page = render(studies.function(3000))
    data = data_of(page)
    assert len(data["rows"]["rows"]) == 500
    assert "500 of 3,000 rows" in page
    assert len(page) < 2e6


def test_many_variables_are_folded():
    page = studies.undrawn_page(studies.function(40, columns=31))
    assert page.count('<tbody class="rest"') == 2  # variables and effects; of 31 columns there are no pairs
    assert "Show all 31" in page


def test_row_shown_without_javascript_is_that_of_the_data():
    page = studies.page("numbers")
    data = data_of(page)["rows"]
    row = data["rows"][data["start"]]
    assert html.escape(row["sentence"]) in page
    body = page[page.index('id="row-terms"') : page.index('id="row-adds"')]
    assert re.findall(r'<td class="right">([^<]*)</td>', body) == [
        t for term in row["terms"] for t in (term[1], term[4], term[2])
    ]


def test_write_report(tmp_path, monkeypatch):
    monkeypatch.setattr(_page, "render", lambda study: "ünï")
    path = write_report(None, tmp_path / "r.html")
    assert path.read_text(encoding="utf-8") == "ünï"
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_failure_leaves_no_file(tmp_path):
    with pytest.raises(AttributeError):
        write_report(None, tmp_path / "r.html")
    assert not list(tmp_path.iterdir())
