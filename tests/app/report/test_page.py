"""The whole page: everything is there, nothing gets out, and the same study gives the same bytes."""

import hashlib
import html
import json
import re
from base64 import b64encode
from html.parser import HTMLParser

import numpy as np
import pytest

from rsens import study
from rsens._app.report import _page, _rows, render, write_report
from rsens._document import sentence
from rsens._explain import effects, pairs, variables
from tests.app.report import studies
from tests.app.study.test_groups import seasons

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


def data_of(page: str) -> list:
    return json.loads(next(text for attrs, text in Elements(page).scripts if attrs.get("id") == "report-data"))


def test_sections():
    page = studies.page("numbers")
    tags = Elements(page).tags
    assert [attrs["id"] for tag, attrs in tags if tag == "section"] == SECTIONS
    links = [attrs["href"][1:] for tag, attrs in tags if tag == "a" and attrs["href"].startswith("#")]
    assert set(links) == set(SECTIONS)
    for text in (
        "Paananen",
        studies.numbers().settings["fingerprint"],
        "&#39;d&#39; ",
        "&#34;seed&#34;: 3",
        studies.numbers().likelihood.reason,
        studies.numbers().settings["versions"]["numpy"],
    ):
        assert text in page
    assert sum(tag == "h1" for tag, _ in tags) == 1
    assert '<section id="subgroups"' in studies.page("counts")
    assert "80 of 160 rows" in studies.page("counts")


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
    rows = [Elements(row["html"]) for row in data_of(page)]  # which become elements too
    for each in (found, *rows):
        assert not {tag for tag, _ in each.tags} & {"img", "b", "i", "u", "em", "iframe", "link", "object"}
        assert not any(name.startswith("on") for _, attrs in each.tags for name in attrs)
    assert not any(row.scripts for row in rows)
    assert "{{ 7 * 7 }}" in page  # shown, not computed
    assert html.escape(studies.HOSTILE[3].strip()) in page.replace("&#34;", "&quot;")


def test_only_its_own_scripts_run_and_nothing_is_loaded():
    found = Elements(studies.page("hostile"))
    policy = next(a["content"] for t, a in found.tags if t == "meta" and a.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    assert "connect-src" not in policy  # so it is 'none' too
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    run = [text for attrs, text in found.scripts if "type" not in attrs]
    assert {b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run} == allowed
    assert len(run[0].splitlines()) <= 150
    assert not any("src" in attrs for _, attrs in found.tags)
    hrefs = {a["href"] for t, a in found.tags if t == "a" and not a["href"].startswith("#")}
    assert hrefs == {"https://proceedings.mlr.press/v161/paananen21a.html"}


def test_json_cannot_end_its_element():
    content = {"</script><!--": ["<script>", "&lt;", "\u2028", "\ud800", "🚲"]}
    text = _rows.json_in_html(content)
    assert "<" not in text
    assert text.isascii()
    assert json.loads(text) == content


def test_warning_comes_first():
    page = studies.page("hostile")
    warnings = studies.hostile().assessment.warnings
    assert warnings
    assert all(html.escape(text, quote=False) in page for text in warnings)
    assert page.index("Before you rely on this") < page.index('id="summary-title"')
    assert "Before you rely on this" not in studies.page("numbers")


def test_same_bytes():
    assert render(studies.classes()) == studies.page("classes")


def test_groups():
    """A group has no value and no profile."""
    found = study(seasons(40), "y", groups={"season": ["sin", "cos"]}, model="linear", cv=0, null=False, pairs=0)
    page = studies.undrawn_page(found)
    titles = re.findall(r'<h3 class="figure-title">(.*?)</h3>', page)
    assert sorted(titles) == ["a", "flag", "kind"]
    assert "flag has only two values" in page


def test_the_tables_are_those_of_the_explanation():
    found = studies.numbers()
    page = html.unescape(studies.page("numbers")).replace("\u00a0", " ")
    e = found.explanation
    for table in (variables(e), effects(e), pairs(e), found._document().blocks[4]):
        assert f"<caption>{table.title}</caption>" in page
        assert [line for line in table.legend if f"<li>{sentence(line)}</li>" not in page] == []
        for column in table.columns:
            if column.kind != "bar":
                assert [cell for cell in column.cells if cell.strip() not in page] == []


def test_long_tables_are_folded_and_many_rows_thinned():
    page = studies.undrawn_page(studies.linear())
    assert page.count('<tbody class="rest"') == 3  # variables, effects and pairs
    assert "Show all 31" in page
    page = studies.undrawn_page(studies.linear(2000, 2))
    assert [row["label"] for row in data_of(page)] == [
        str(k) for k in np.linspace(0, 1999, _rows.MOST_ROWS).round().astype(int)
    ]
    assert f"{_rows.MOST_ROWS} of 2,000 rows" in page
    assert len(page) < 2e6


def test_write_report(tmp_path, monkeypatch):
    """Whole, or not at all."""
    with pytest.raises(AttributeError):
        write_report(None, tmp_path / "r.html")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(_page, "render", lambda study: "ünï")
    path = write_report(None, tmp_path / "r.html")
    assert path.read_text(encoding="utf-8") == "ünï"
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


# ---- one row ---------------------------------------------------------------------------------------------------------


def text_of(piece: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", piece)).split())


def test_rows_are_those_of_the_explanation():
    page, e = studies.page("numbers"), studies.numbers().explanation
    rows = data_of(page)
    assert len(rows) == 60
    assert rows[0]["html"] in page  # without JavaScript the first row is there
    for k in (0, 17):
        row, shown = e.row(position=k), text_of(rows[k]["html"])
        assert f"Row {k}: prediction " in shown
        document = row._document().blocks
        for table in document[1:]:
            assert table.title in shown
            assert all(cell.strip() in shown for column in table.columns[:3] for cell in map(str, column.cells))


def test_rows_have_intervals_and_observed_values():
    found = studies.numbers()
    band = found.model.predict_distribution(found.X.iloc[:1])
    low, high = (float(band.mean[0] + z * np.sqrt(band.variance[0])) for z in (-1.6448536, 1.6448536))
    shown = text_of(data_of(studies.page("numbers"))[0]["html"]).replace("−", "-")
    ends = re.search(r"90 % interval (\S+) to (\S+); observed (\S+)\. ", shown)
    assert [float(end) for end in ends.groups()] == pytest.approx([low, high, found.y.iloc[0]], abs=0.006)
    y = studies.classes().y
    assert f"Observed {y.iloc[7]}." in text_of(data_of(studies.page("classes"))[7]["html"])
