"""HTML as a browser sees it: tags, attributes and texts."""

from html.parser import HTMLParser

#: Tags that neither run nor load anything.
TABLE = {"table", "caption", "thead", "tbody", "tr", "th", "td"}
HARMLESS = {"code", "details", "li", "p", "span", "strong", "summary", "ul", *TABLE}
#: Names that would break a page or a terminal if they were not escaped.
NASTY = [
    "<script>alert('x')</script>",
    '" onmouseover="evil()',
    "a & b",
    "🚲 bikes",
    "long " * 40,
    "tab\tnew\nline \x1b[31m",
    "{0} %s $x$",
]


class Page(HTMLParser):
    """The tags, attributes and texts of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "tags are closed in the order in which they were opened"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def harmless(html: str) -> Page:
    """The page, after checking that it is whole and that nothing in it can run, load or lead away."""
    page = Page(html)
    assert not page.open
    assert set(page.tags) <= HARMLESS
    assert {name for name, _ in page.attributes} <= {"class", "scope", "title"}
    assert not any("url" in (value or "") for _, value in page.attributes)
    return page
