"""Blocks of rows that run at the same time: the same numbers, wherever they run."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest

from rsens import Normal, explain, from_function
from rsens._explain import _evaluate
from tests.explain.cases import assert_same, gp, text_of

ROUNDING = ("effect",)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 256 rows, in processes whatever they cost."""
    monkeypatch.setattr(_evaluate, "LEAST_ROWS", 256)
    monkeypatch.setattr(_evaluate, "WORTH_IT", -1.0)


@pytest.fixture
def case():
    model, X, _ = gp()
    return model, pd.concat([X, X + 0.1], ignore_index=True).assign(flag=np.tile([0.0, 1.0], len(X)))


def test_the_number_of_jobs_changes_nothing(small_blocks, case):
    """The same blocks, the same threads: the same bytes."""
    model, X = case
    asked = {"random_state": 1, "by": "flag", "weights": np.linspace(0.0, 1.0, len(X))}
    one, two = (text_of(explain(model, X, n_jobs=jobs, **asked)) for jobs in (1, 2))
    with joblib.parallel_config(backend="threading"):  # a third process would take seconds to start
        three = text_of(explain(model, X, n_jobs=3, **asked))
    assert one == two == three


def test_blocks_change_only_rounding(case, monkeypatch):
    """Also the steps of differences, which come from all rows, not from those of a block."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(900, 2)), columns=["a", "b"])
    X.iloc[:300] *= 50.0
    cases = [case, (from_function(lambda X: Normal(np.sin(X[:, 0] / 50.0) + X[:, 1] ** 2, 1.0)), X)]
    wholes = [explain(*each, random_state=1) for each in cases]
    monkeypatch.setattr(_evaluate, "LEAST_ROWS", 256)
    for whole, each in zip(wholes, cases, strict=True):
        assert_same(whole, explain(*each, random_state=1), rtol=1e-11, loose=ROUNDING)


def test_few_rows_and_little_work_start_no_process(monkeypatch, case):
    model, X = case

    def no_process(*_, n_jobs=None, **__):
        assert n_jobs == 1, "a process was started"
        return run_pieces(*_, n_jobs=n_jobs, **__)

    run_pieces = _evaluate.run_pieces
    monkeypatch.setattr(_evaluate, "run_pieces", no_process)
    explain(model, X, n_jobs=2)
    monkeypatch.setattr(_evaluate, "LEAST_ROWS", 256)  # blocks, but not enough work
    explain(model, X, n_jobs=2)
