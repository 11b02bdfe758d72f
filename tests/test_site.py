"""The site builds without a warning, every link in it leads somewhere, and it loads nothing from elsewhere.

Pages do not run here: tests/test_docs.py runs their code, and `make docs` both at once.
"""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

DOCS = Path(__file__).parents[1] / "docs"
#: Attributes of files that a browser loads while it shows a page.
LOADS = dict.fromkeys(("script", "img", "source", "iframe", "video"), "src") | {"object": "data", "link": "href"}
IN_STYLES = re.compile(r"url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)")
IN_SCRIPTS = re.compile(r"\b(?:import|fetch|importScripts)\s*\(\s*['\"](https?:)?//")


class Links(HTMLParser):
    """Loaded files, links and anchors of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if (loaded := given.get(LOADS.get(tag, ""), "#")) != "#":
            self.loads.append(loaded)
        if tag == "a" and "href" in given:
            self.leads.append(given["href"])


def build(source: Path, out: Path, *options: str) -> subprocess.CompletedProcess[str]:
    strict = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(out / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *strict, *options, str(source), str(out / "html")]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site, built as `make docs` does, but without running pages."""
    out = tmp_path_factory.mktemp("site")
    still = ["-D", "nb_execution_mode=off", *(["-D", "plot_gallery=0"] if (DOCS / "gallery").is_dir() else [])]
    ran = build(DOCS, out, *still)
    assert ran.returncode == 0, ran.stderr
    return out / "html"


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Links]:
    return {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_every_source_is_a_page(site, pages):
    """A page in no table of contents is a warning, and fails the build; this checks that no page was excluded."""
    sources = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert sources <= {path.relative_to(site) for path in pages}


def test_links_lead_somewhere(site, pages):
    dead = []
    for path, page in pages.items():
        for link in page.leads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            found = target.is_file() and (not place or target not in pages or place in pages[target].places)
            dead += [] if found else [f"{path.relative_to(site)}: {link}"]
    assert not dead


def test_nothing_is_loaded_from_elsewhere(site, pages):
    loads = {(path, link) for path, page in pages.items() for link in page.loads}
    for path in site.rglob("*.css"):
        loads |= {(path, a or b) for a, b in IN_STYLES.findall(path.read_text(encoding="utf-8"))}
    assert not [link for _, link in loads if urlsplit(link).netloc]
    files = [(path, urlsplit(link).path) for path, link in loads if urlsplit(link).scheme != "data"]
    assert not [(str(path), file) for path, file in files if not (path.parent / unquote(file)).is_file()]
    assert not [path for path in site.rglob("*.js") if IN_SCRIPTS.search(path.read_text(encoding="utf-8"))]
