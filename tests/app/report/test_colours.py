"""Text can be read on its background in both themes: WCAG asks for 4.5 to 1."""

import re
from importlib.resources import files

import pytest

CSS = (files("rsens._app.report") / "templates" / "report.css").read_text(encoding="utf-8")


def colours(selector: str) -> dict[str, str]:
    """The custom properties of the first rule with this selector."""
    rule = CSS[CSS.index(f"{selector} {{") :].partition("}")[0]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", rule))


LIGHT = colours(":root")
DARK = LIGHT | colours(':root[data-theme="dark"]')

#: Texts on each background.
TEXT = {"paper": ("ink", "muted", "accent"), "soft": ("ink", "accent"), "warning-paper": ("warning",)}


def luminance(colour: str) -> float:
    channels = (int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(theme):
    for background, texts in TEXT.items():
        for text in texts:
            assert contrast(theme[text], theme[background]) >= 4.5, (text, background)


def test_night_is_the_same_whoever_asks_for_it():
    """The system or the button; and paper is always light."""
    assert colours(':root:not([data-theme="light"])') == colours(':root[data-theme="dark"]')
    assert colours(":root:root:root") == LIGHT
