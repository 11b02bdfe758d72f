"""Names of columns, levels and files are only text: no output passes their control characters on to a terminal."""

import contextlib
import io
import warnings

import numpy as np
import pandas as pd
import pytest

from rsens import BayesianLinearRegression, Explanation, InputError, assess, check, compare, explain, stability
from rsens._app.cli import main
from tests.few_probes import explain_with_probes

#: Renames the window, rings, and makes the following text red.
ESCAPE = "\x1b]0;owned\x07\x1b[31m"
RNG = np.random.default_rng(0)
N = 60
X = pd.DataFrame({f"{ESCAPE}{name}": RNG.normal(size=N) for name in "ab"})
X[f"{ESCAPE}c"] = X[f"{ESCAPE}a"] + 1e-3 * RNG.normal(size=N)  # collinear, which is warned of
X[f"g{ESCAPE}"] = RNG.choice([f"{ESCAPE}u", f"v{ESCAPE}", "w"], N)
Y = X[f"{ESCAPE}a"] * X[f"{ESCAPE}b"] + 0.3 * RNG.normal(size=N)


@pytest.fixture(scope="module")
def model():
    return BayesianLinearRegression().fit(X, Y)


def said(call):
    """The output of a call: both streams, warnings, and its error or the text of its result."""
    streams = io.StringIO(), io.StringIO()
    with (
        warnings.catch_warnings(record=True) as raised,
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        warnings.simplefilter("always")
        try:
            result = call()
        except InputError as error:
            result = error
    texts = [str(warning.message) for warning in raised]
    return "".join([*(stream.getvalue() for stream in streams), *texts, str(result)])


CALLS = {
    "explain": lambda model: explain_with_probes(model, X, Y, by=f"g{ESCAPE}", n_probes=6, random_state=0),
    "check": lambda model: check(model, X),
    "assess": lambda model: assess(BayesianLinearRegression(), X, Y, random_state=0),
    "stability": lambda model: stability(BayesianLinearRegression(), X, Y, n_boot=2, random_state=0),
    "a column that is not there": lambda model: explain(model, X, by=f"no {ESCAPE}"),
    "another name": lambda model: explain(model, X.rename(columns={f"{ESCAPE}a": f"{ESCAPE}z"})),
    "missing values": lambda model: explain(model, X.assign(**{f"{ESCAPE}a": np.nan})),
    "a method": lambda model: compare(model, X, Y, methods=[ESCAPE]),
    "a file": lambda model: Explanation.load(f"no {ESCAPE}"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(model, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = said(lambda: CALLS[name](model))
    assert "owned" in text or name in ("assess", "stability", "check", "a file")
    assert not {"\x1b", "\x07"} & set(text.replace("\x1b[A", ""))  # a progress bar goes up a line


def test_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = f"table{ESCAPE}.csv"
    X.assign(y=Y).to_csv(file, index=False)

    def call(*arguments):
        with contextlib.suppress(SystemExit):
            return main(list(arguments))

    for arguments in (["--model", "linear", "--no-report"], ["--drop", ESCAPE]):
        text = said(lambda arguments=arguments: call("explain", file, "--target", "y", *arguments))
        assert "owned" in text
        assert not {"\x1b", "\x07"} & set(text)
    assert "owned" in said(lambda: call("explain", f"no{ESCAPE}"))
