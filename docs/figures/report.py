"""Takes the picture of the report in the README: what `rsens demo` writes, as a browser shows it (`make browser`)."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
#: Two looks side by side: the beginning of the report, and its section on variables.
WIDTH, HEIGHT = 720, 735
BEFORE_VARIABLES = re.compile(
    r'<header.*?</header>|<nav.*?</nav>|<section id="(?:summary|quality)".*?</section>', re.DOTALL
)


def look(browser: str, page: Path) -> Image.Image:
    """The part of a page that is visible without scrolling."""
    seen = page.with_suffix(".png")
    window = [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={seen}", "--hide-scrollbars"]
    subprocess.run(
        [browser, "--headless=new", "--no-sandbox", *window, page.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return Image.open(seen).convert("RGB")


def main(folder: Path) -> None:
    """Look at the report twice, and keep the picture."""
    browser = shutil.which("chromium") or sys.exit("no chromium: run make browser")
    subprocess.run([sys.executable, "-m", "rsens", "demo", "--quiet", "--out", str(folder / "demo")], check=True)
    whole = folder / "demo" / "report.html"
    rest = folder / "rest.html"
    rest.write_text(BEFORE_VARIABLES.sub("", whole.read_text(encoding="utf-8")), encoding="utf-8")
    picture = Image.new("RGB", (2 * WIDTH, HEIGHT))
    for number, page in enumerate((whole, rest)):
        picture.paste(look(browser, page), (number * WIDTH, 0))
    picture.quantize(192).save(HERE / "report.png", optimize=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
