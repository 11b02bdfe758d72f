"""The check and the intervals of a study come from the same refits, and are what each would be alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens import assess, study
from rsens._app.study._pipeline import FOLDS, generator
from rsens._arguments import seed_sequence
from rsens._contents import own_order
from rsens._explain import Arguments, ValuesOfRefits, explain, read, with_refits
from rsens._progress import progress_of
from rsens._refits import Fit, refit_folds, rounds_of_folds, rows_with_levels
from tests.app.study.tables import classes, numbers, with_text

QUICK = {"null": False}


@pytest.mark.parametrize(
    ("table", "options"),
    [(numbers(40), {"model": "linear"}), (with_text(), {"model": "linear", "pairs": 0}), (numbers(30), {"cv": 3})],
)
def test_shared_refits_are_the_same_as_separate_ones(table, options):
    result = study(table, "y", random_state=7, **options, **QUICK)
    count = options.get("cv", 5)
    fit = Fit(result.model).quick()
    alone = assess(fit.estimator, result.X, result.y, cv=count, random_state=generator(7, FOLDS))
    pd.testing.assert_frame_equal(result.assessment.to_frame(), alone.to_frame())

    seed = seed_sequence(generator(7, FOLDS))
    rows, y = rows_with_levels(result.model, result.X), result.y.to_numpy()
    order = own_order(rows, y)
    rounds = rounds_of_folds(2, count, y, False, seed, None, order.rows)
    pairs = result.explanation.order == 2
    context = read(Arguments(result.model, result.X, result.y, pairs=pairs, null=False, intervals="rows"))
    looks = [ValuesOfRefits.of(context, rows, seed, order)]
    [seen] = refit_folds(fit, rows, y, rounds, looks, n_jobs=None, seed=seed, progress=progress_of(False))
    expected = with_refits(explain(result.model, result.X, pairs=pairs, null=False), seen)
    assert (expected.interval_kind, expected.inference.interval_refits) == ("refits", 2 * count)
    for order in (1, 2) if pairs else (1,):
        columns = ["term", "value", "lower", "upper", "interval_kind"]
        pd.testing.assert_frame_equal(
            result.explanation.to_frame(order)[columns], expected.to_frame(order)[columns], check_exact=True
        )


@pytest.mark.parametrize(
    ("cv", "kind", "n_refits"), [(0, "rows", 0), (2, "rows", 0), (4, "refits", 8), (10, "refits", 10)]
)
def test_folds_of_the_check_are_folds_of_the_intervals(cv, kind, n_refits):
    result = study(numbers(30), "y", model="linear", cv=cv, **QUICK)
    assert (result.explanation.interval_kind, result.explanation.inference.interval_refits) == (kind, n_refits)
    assert (result.assessment is None) if cv == 0 else (result.assessment.n_folds == cv)
    said = any("Intervals hold only for which rows are explained" in note.text for note in result.notes)
    assert said == (cv == 2)


def test_the_null_level_changes_nothing():
    table = classes(2)
    once, with_null = study(table, "y", model="linear", **QUICK), study(table, "y", model="linear")
    assert once.explanation.interval_kind == "refits"
    pd.testing.assert_frame_equal(once.explanation.intervals, with_null.explanation.intervals)
    np.testing.assert_array_equal(
        once.assessment.to_frame()["log_density"], with_null.assessment.to_frame()["log_density"]
    )
