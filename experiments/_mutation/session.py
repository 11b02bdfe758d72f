"""A pytest session that collects the tests once: it measures them, or runs some in a fork of itself per mutant."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from _pytest.warnings import catch_warnings_for_item

from experiments._mutation.swap import fingerprint

#: The extra time that a mutant may take, before it counts as one that hangs.
SLOWER, AT_LEAST = 5.0, 5.0
#: Memory of a fork beyond its start, in bytes: a fault in a size must not fill the machine.
MEMORY = 4 * 2**30
PASSED, FAILED = 0, 1


class Session:
    """The tests, collected and warm. `work` is called with it in place of running them."""

    def __init__(self, work: Callable[[Session], None]) -> None:
        self.work = work
        self.items: dict[str, pytest.Item] = {}

    def pytest_configure(self) -> None:
        from hypothesis import Phase, settings

        # A failure need not be made small, nor kept for the next run.
        settings.register_profile("mutation", database=None, phases=(Phase.explicit, Phase.generate), deadline=None)
        settings.load_profile("mutation")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self.work(self)
        return True

    def run(
        self, names: Sequence[str], before: Callable[[str], None] = lambda name: None
    ) -> Iterator[tuple[str, bool]]:
        """Run tests in this process, one after the other: name, and whether it passed or was skipped."""
        items = [self.items[name] for name in names]
        for item, following in zip_longest(items, items[1:]):
            before(item.nodeid)
            # With the test's own marks that ignore warnings, as pytest does it around this protocol.
            with catch_warnings_for_item(item.config, item.ihook, "runtest", item, record=False):
                reports = runtestprotocol(item, log=False, nextitem=following)
            yield item.nodeid, not any(report.failed for report in reports)

    def fork(self, change: Callable[[], bool], names: Sequence[str], seconds: float) -> tuple[str, str | None]:
        """How the tests end with a change in the code, and the first that fails.

        killed (a test failed), hangs (too slow), crashed (the process ended), survived, or impossible.
        """
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            os._exit(self._in_child(change, names, seconds, writing))
        os.close(writing)
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if code in (-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM):
            return "hangs", None
        if code not in (PASSED, FAILED) or (code == FAILED and not said):
            return "crashed", None
        if said == "impossible":
            return "impossible", None
        return ("killed", said) if said else ("survived", None)

    def _in_child(self, change: Callable[[], bool], names: Sequence[str], seconds: float, writing: int) -> int:
        # The limit counts processor time, so that a busy machine changes nothing; the alarm is for what only waits.
        limit = int(process_time() + max(AT_LEAST, SLOWER * seconds)) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        signal.alarm(10 * limit)
        used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (used + MEMORY, used + MEMORY))
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        if not change():
            os.write(writing, b"impossible")
            return PASSED
        for name, passed in self.run(names):
            if not passed:
                os.write(writing, name.encode())
                return FAILED
        return PASSED


def start(tests: Sequence[str], work: Callable[[Session], None]) -> None:
    """Collect the tests and hand them to `work`."""
    options = ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "--capture=no", "-W", "ignore:os.fork"]
    code = pytest.main([*options, *tests], plugins=[Session(work)])
    if code != pytest.ExitCode.OK:
        sys.exit(int(code))


def measure(session: Session, root: Path, folders: Sequence[str], out: Path) -> None:
    """The seconds of each test and the lines of the folders it runs, into a file.

    Those that are in the file already are not run again, unless a source file that they reach has changed.
    """
    from coverage import Coverage

    cover = Coverage(data_file=None, config_file=False, include=[f"{root}/{folder}/*" for folder in folders])
    known = json.loads(out.read_text()) if out.exists() else {"source": {}, "seconds": {}, "lines": {}}
    for file in [file for file, source in known["source"].items() if source != fingerprint(root / file)]:
        del known["source"][file]
        for test in {test for tests in known["lines"].pop(file).values() for test in tests}:
            known["seconds"].pop(test, None)
    new = [name for name in session.items if name not in known["seconds"]]
    if not new:
        return
    failed: list[str] = []
    cover.start()
    begun = process_time()
    for name, passed in session.run(new, cover.switch_context):
        known["seconds"][name], begun = process_time() - begun, process_time()
        if not passed:
            failed.append(name)
    cover.stop()
    if failed:
        sys.exit(f"{len(failed)} tests fail without any mutant, such as {failed[0]}")
    for file, lines in lines_of(cover.get_data(), root).items():
        known["source"].setdefault(file, fingerprint(root / file))
        for line, tests in lines.items():
            before = known["lines"].setdefault(file, {}).get(str(line), [])
            known["lines"][file][str(line)] = sorted({*before, *tests})
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(known))


def lines_of(data: Any, root: Path) -> dict[str, dict[int, list[str]]]:
    """By file and line, the tests that run it."""
    return {
        Path(file).relative_to(root).as_posix(): {
            line: [test for test in tests if test] for line, tests in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
