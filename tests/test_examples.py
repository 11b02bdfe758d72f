"""Every script in examples/ runs from a fresh process and leaves what it says it does."""

import subprocess
import sys
from pathlib import Path

import rsens

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, folder: Path) -> str:
    command = [sys.executable, "-W", "error", str(EXAMPLES / name)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_demo(tmp_path):
    said = run("demo.py", tmp_path)
    written = {path.name for path in (tmp_path / "demo-output").iterdir()}
    assert written == {"bars.png", "pairs.png", "profile_s5.png", "explanation.json"}
    assert said.rstrip().endswith(str(tmp_path / "demo-output"))
    explanation = rsens.Explanation.load(tmp_path / "demo-output" / "explanation.json")
    # Body mass index, blood pressure and s5 lead every published analysis of these data.
    assert set(explanation.main.nlargest(3).index) == {"bmi", "bp", "s5"}
    assert explanation.null is not None
    assert (explanation.main[["bmi", "bp", "s5"]] > explanation.null).all()
