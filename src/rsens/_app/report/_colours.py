"""The colours of the page, by day and by night: text of at least 4.5 to 1 on its background."""

from __future__ import annotations

#: The figure of plotly names these colours as "@ink"; the page's script puts in the colours of the theme.
LIGHT = {
    "paper": "#ffffff",
    "soft": "#f5f7f9",
    "ink": "#1c2127",
    "muted": "#57606a",
    "line": "#d9dfe5",
    "shade": "#aab4be",
    "accent": "#0064a0",
    "warning": "#7a3b00",
    "warning-paper": "#fff3e2",
    "warning-line": "#e69f00",
    # Okabe and Ito's colours: readers with any of the common colour deficiencies can tell these apart.
    "blue": "#0072b2",
    "orange": "#e69f00",
    "vermillion": "#d55e00",
    "green": "#009e73",
    "purple": "#cc79a7",
    "sky": "#56b4e9",
    "grey": "#8c8c8c",
    "band": "#a9cfe6",
    "band-wide": "#d6e9f4",
    "low": "#0072b2",
    "middle": "#a79aa5",
    "high": "#f5b335",
}
DARK = LIGHT | {
    "paper": "#14181d",
    "soft": "#1c2229",
    "ink": "#e4e8ec",
    "muted": "#a5afba",
    "line": "#323a43",
    "shade": "#5d6975",
    "accent": "#79bdf0",
    "warning": "#ffd399",
    "warning-paper": "#33240f",
    "warning-line": "#e69f00",
    "blue": "#3f9fdc",
    "orange": "#e8a91d",
    "vermillion": "#ee7a2e",
    "green": "#21b98d",
    "band": "#2b5a7c",
    "band-wide": "#1f3a4e",
    "low": "#3f9fdc",
}


def css_variables(colours: dict[str, str]) -> str:
    """The colours as custom properties."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())
