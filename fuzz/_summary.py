"""Count how the cases ended: a file without dates or times, so that it changes only with its counts."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fuzz import SEED
from fuzz._files import FileCase
from fuzz._library import LibraryCase

#: The most kinds of errors that are listed.
MOST_KINDS = 40


def summary(cases: Sequence[LibraryCase], files: Sequence[FileCase]) -> dict[str, Any]:
    """The counts that the docs show."""
    return {
        "seed": SEED,
        "library": {
            "cases": len(cases),
            "defects": [_defect(case) for case in cases if case.outcome.defect],
            "calls": _counted((case.call, case.outcome.kind) for case in cases),
            "models": _counted((case.model, case.outcome.kind) for case in cases),
            "containers": _counted((case.container, case.outcome.kind) for case in cases),
            "columns": _counted((kind, case.outcome.kind) for case in cases for kind in case.columns),
            "errors": _kinds(case.outcome.text for case in cases if case.outcome.kind == "refused"),
        },
        "files": {
            "cases": len(files),
            "defects": [_defect(case) for case in files if case.outcome.defect],
            "kinds": _counted((case.kind, case.outcome.kind) for case in files),
        },
    }


def write(path: Path, content: dict[str, Any]) -> None:
    """Write the summary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def template(text: str) -> str:
    """A text without the names and numbers in it: errors of one kind share it."""
    text = re.sub(r"""(?<!\w)(['"]).*?\1(?!\w)""", "‹name›", text.split("\n")[0])
    return re.sub(r"\d[\d,.]*(e[+-]?\d+)?", "#", text)[:90]


def _defect(case: LibraryCase | FileCase) -> dict[str, Any]:
    return {"number": case.number, "defect": case.outcome.defect[:200]}


def _counted(pairs: Any) -> dict[str, dict[str, int]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for name, kind in pairs:
        found[name][kind] += 1
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


def _kinds(texts: Any) -> dict[str, int]:
    found = Counter(map(template, texts))
    common = sorted(found.most_common(MOST_KINDS), key=lambda item: (-item[1], item[0]))
    others = sum(found.values()) - sum(times for _, times in common)
    return dict(common) | ({f"{len(found) - len(common)} other kinds": others} if others else {})
