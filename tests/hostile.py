"""Damaged and forged files, thousands of them, for everything that rsens loads. `make hostile` runs it.

    python -m tests.hostile --cases 6000 --out docs/results/hostile.json

Each case takes a file that is right, changes it (bytes, JSON values, members of the archive), and loads it. The end
must be a result that can be printed, or an `InputError`. Nothing in a file runs: an audit hook sees every process that
is started, every pickle that is opened and every file that is written or removed. Nothing large is allocated: the
address space has room for 1 GB more, and the peak of memory is counted. Cases have seeds, so that `--only 17` repeats
one. It prints counts as JSON.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rsens
from rsens import Explanation, InputError, Selection, Stability, load_model, save_model
from rsens._files import Checkpoint, read_summary
from rsens.models import read_metadata
from tests.hostile_changes import change_bytes, change_json, change_model
from tests.interruptions import report

#: More than this in one case, in megabytes, is too much for files of some kilobytes.
MOST_MEMORY = 400
#: Events that must not happen while a file is loaded.
FORBIDDEN = (
    "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.remove", "os.rename", "os.mkdir",
    "os.symlink", "os.chmod", "subprocess.Popen", "pickle.find_class", "marshal.loads", "socket.connect",
    "shutil.rmtree", "ctypes.dlopen",
)  # fmt: skip

QUESTION = {"data": "0123", "methods": ["rsens"], "alpha": 0.1}
PIECE = {"values": [0.1, 1e-300], "nested": ((1.0, 2.0), None), "flag": True}


def model(path: Path) -> None:
    found = load_model(path)
    read_metadata(path)
    rows = found.training_inputs_[:3]  # as the model has read them
    for f in [latent.moments(rows) for latent in found._latents]:
        found._predictive_likelihood.predictive(f.mean, f.variance)


def piece(path: Path) -> None:
    """A damaged piece is ignored, and a whole one is read unchanged."""
    content = Checkpoint(np.random.SeedSequence(0), path.parent, "0" * 64).get("sample-00000")
    assert content is None or content == PIECE


@dataclass
class Kind:
    """A kind of file: its name, a function that loads one and uses its content, good files, how one is changed."""

    name: str
    load: Callable[[Path], object]
    good: list[bytes]
    change: Callable[..., bytes] = change_json


def results() -> dict[str, bytes]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 3)), columns=["a", "b", "c"])
    y = X["a"] + X["b"] * X["c"] + 0.3 * rng.normal(size=30)
    towns = X.assign(c=rng.choice(["Oslo", "Bergen"], 30))
    gp = rsens.GPRegressor(n_restarts=0, random_state=0)
    linear = rsens.BayesianLinearRegression().fit(X, y)
    models = {
        "gp": gp.fit(X, y),
        "sparse": rsens.GPRegressor(inducing=5, n_restarts=0, random_state=0).fit(X, y),
        "counts": rsens.GPRegressor(likelihood="poisson", n_restarts=0, random_state=0).fit(towns, np.floor(abs(y))),
        "classes": rsens.GPClassifier(n_restarts=0, random_state=0).fit(towns, np.digitize(y, [-0.5, 0.5])),
        "linear": linear,
    }
    makers = {
        "explanation": rsens.explain(linear, X, y, by=y > 0.0, random_state=0).save,
        "stability": rsens.stability(linear, X, y, n_boot=3, methods=["rsens", "ard"], random_state=0).save,
        "selection": rsens.select_interactions(gp, X, y, k=1, cv=2, random_state=0).save,
        **{f"{name}.rsens": partial(save_model, model) for name, model in models.items()},
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, save in makers.items():
            save(Path(folder) / name)
        return {name: (Path(folder) / name).read_bytes() for name in makers}


def kinds(folder: Path) -> dict[str, Kind]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = results()
    Checkpoint(Checkpoint.open(folder, QUESTION, 0).seed, folder, "0" * 64).put("sample-00000", PIECE)
    kept = {path.name: path.read_bytes() for path in folder.iterdir()}
    right = json.dumps({"format": "rsens results", "version": 1, "command": "explain", "files": ["a.csv"]}).encode()
    uses: dict[str, tuple[Callable[[Path], object], bytes]] = {
        "explanation.json": (lambda path: used(Explanation.load(path), "effects"), made["explanation"]),
        "stability.json": (lambda path: used(Stability.load(path), "ranks"), made["stability"]),
        "selection.json": (lambda path: used(Selection.load(path), "scores"), made["selection"]),
        "manifest.json": (lambda path: Checkpoint.open(path.parent, QUESTION), kept["manifest.json"]),
        "sample-00000.json": (piece, kept["sample-00000.json"]),
        "summary.json": (lambda path: read_summary(path.parent), right),
    }
    models = [content for name, content in made.items() if name.endswith(".rsens")]
    found = [Kind("model.rsens", model, models, change_model)]
    found += [Kind(name, load, [good]) for name, (load, good) in uses.items()]
    return {kind.name: kind for kind in found}


def used(found: Any, attribute: str) -> None:
    str(found), getattr(found, attribute)


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


class Watch:
    """An audit hook, which cannot be removed, so that it is switched on and off."""

    def __init__(self) -> None:
        self.looking, self.place, self.seen = False, "", []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: Any) -> None:
        if not self.looking:
            return
        writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
        own = event == "os.mkdir" and str(arguments[0]).endswith(self.place)  # the folder of a checkpoint is made
        if (event in FORBIDDEN or writes) and not own:
            self.seen.append(f"{event} {arguments!r:.80}")

    @contextmanager
    def on(self, place: str) -> Any:
        self.seen, self.place, self.looking = [], place, True
        try:
            yield
        finally:
            self.looking = False


def case(number: int, known: dict[str, Kind], folder: Path, watch: Watch) -> tuple[str, str, str | None]:
    """The kind of file, how it ended, and the mistake, if any."""
    chance = random.Random(number)
    kind = chance.choice(list(known.values()))
    content = chance.choice(kind.good)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        content = (kind.change if chance.random() < 0.7 else change_bytes)(content, chance)
    place = folder / f"case-{number}"
    place.mkdir()
    path = place / kind.name
    path.write_bytes(content)
    before = memory()
    end, wrong = "loaded", None
    try:
        with watch.on(place.name), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kind.load(path)
    except InputError:
        end = "refused"
    except Exception as error:  # noqa: BLE001 (what this is about)
        end, wrong = "foreign error", f"{type(error).__name__}: {error!s:.200}"
    if watch.seen:
        wrong = f"it did {watch.seen[0]}"
    if memory() - before > MOST_MEMORY:
        wrong = f"{memory() - before:.0f} MB of memory"
    path.unlink()
    place.rmdir()
    return kind.name, end, wrong


def main(numbers: range) -> tuple[dict[str, Any], dict[int, str]]:
    """Counts by kind of file, and mistakes by number of the case."""
    watch = Watch()
    counts: dict[str, Counter[str]] = {}
    wrong = {}
    with tempfile.TemporaryDirectory() as base:
        (Path(base) / "kept").mkdir()
        known = kinds(Path(base) / "kept")
        for kind in known.values():  # right files load, and later cases import no further modules
            for k, good in enumerate(kind.good):
                place = Path(base) / f"good-{kind.name}-{k}"
                place.mkdir()
                (place / kind.name).write_bytes(good)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    kind.load(place / kind.name)
        with limited(2**30):
            for number in numbers:
                name, end, error = case(number, known, Path(base), watch)
                counts.setdefault(name, Counter())[end] += 1
                if error is not None:
                    wrong[number] = f"{name}: {error}"
    return {name: dict(sorted(ends.items())) for name, ends in sorted(counts.items())}, wrong


@contextmanager
def limited(more: int) -> Any:
    """Limit the address space to this number of bytes more than now, where the system can count them."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=6000)
    parser.add_argument("--only", type=int)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    numbers = range(given.cases) if given.only is None else range(given.only, given.only + 1)
    counts, wrong = main(numbers)
    report({"cases": len(numbers), "wrong": len(wrong), "files": counts}, given.out)
    for number, error in list(wrong.items())[:40]:
        sys.stderr.write(f"case {number}: {error}\n")
    sys.exit(bool(wrong))
