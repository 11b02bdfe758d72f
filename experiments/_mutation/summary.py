"""The result of a run: counts by file and by kind of fault, and every mutant that no test noticed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from experiments._mutation.mutants import Mutant

#: How a mutant can end when the tests notice it.
NOTICED = ("killed", "hangs", "crashed")
#: Survivors that change nothing that anyone could see, each with the reason; written by hand.
EQUIVALENT = Path(__file__).with_name("equivalent.json")

Found = Sequence[tuple[Mutant, dict[str, Any]]]


def summary(found: Found, total: int, seed: int, reasons: dict[str, str]) -> dict[str, Any]:
    """The content of docs/results/mutation.json. A mutant that could not be put in (`impossible`) does not count."""
    valid = [(mutant, entry) for mutant, entry in found if entry["outcome"] != "impossible"]
    survivors = sorted(
        (mutant for mutant, entry in valid if entry["outcome"] not in NOTICED), key=lambda m: (m.file, m.line, m.column)
    )
    return {
        "command": "make mutation",
        "seed": seed,
        "faults that could be made": total,
        "sampled": len(found),
        "run": len(valid),
        **_score(valid, reasons),
        "survivors that had the second round": sum(
            entry["outcome"] not in NOTICED and entry["round"] > 1 for _, entry in valid
        ),
        "outcomes": dict(sorted(Counter(entry["outcome"] for _, entry in valid).items())),
        "by file": _by(valid, reasons, lambda mutant: mutant.file),
        "by kind": _by(valid, reasons, lambda mutant: mutant.kind),
        "survivors": [
            {
                "file": mutant.file,
                "line": mutant.line,
                "function": mutant.function,
                "kind": mutant.kind,
                "before": mutant.before,
                "after": mutant.after,
                "why": reasons.get(label(mutant), ""),
            }
            for mutant in survivors
        ],
    }


def label(mutant: Mutant) -> str:
    """The key of a reason; it does not change when code moves to another line or file."""
    return f"{mutant.function}: {mutant.before} → {mutant.after}"


def read_reasons() -> dict[str, str]:
    """Why survivors are equivalent, by label."""
    return json.loads(EQUIVALENT.read_text(encoding="utf-8")) if EQUIVALENT.exists() else {}


def _score(found: Found, reasons: dict[str, str]) -> dict[str, Any]:
    noticed = sum(entry["outcome"] in NOTICED for _, entry in found)
    equivalent = sum(entry["outcome"] not in NOTICED and label(mutant) in reasons for mutant, entry in found)
    return {
        "noticed": noticed,
        "equivalent": equivalent,
        "score": _share(noticed, len(found)),
        "score without equivalent": _share(noticed, len(found) - equivalent),
    }


def _by(found: Found, reasons: dict[str, str], group: Any) -> dict[str, Any]:
    names: Iterable[str] = sorted({group(mutant) for mutant, _ in found})
    groups = {name: [(mutant, entry) for mutant, entry in found if group(mutant) == name] for name in names}
    return {name: {"run": len(part), **_score(part, reasons)} for name, part in groups.items()}


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0
