"""Takes the picture of the report that README and site show: what `rsens demo` writes, in a browser (`make browser`)."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
SIZE = (1060, 720)
#: The picture is this many times as fine as a plain screen.
FINE = 1.5


def main() -> None:
    """Write the report, open it, keep what is seen without scrolling."""
    browser = shutil.which("chromium") or sys.exit("no chromium: run make browser")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "rsens", "demo", "--quiet", "--out", f"{folder}/demo"], check=True)
        look = ["--headless=new", "--no-sandbox", "--hide-scrollbars", f"--force-device-scale-factor={FINE}"]
        window = [f"--window-size={SIZE[0]},{SIZE[1]}", f"--screenshot={folder}/seen.png"]
        page = Path(folder, "demo", "report.html").as_uri()
        subprocess.run([browser, *look, *window, page], check=True, capture_output=True, timeout=120)
        Image.open(f"{folder}/seen.png").convert("P", palette=Image.Palette.ADAPTIVE, colors=64).save(
            HERE / "report.png", optimize=True
        )


if __name__ == "__main__":
    main()
