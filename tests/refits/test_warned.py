"""Warnings of many refits are said once, with their number; a column of targets is one target."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import BayesianRidge, LogisticRegression

import rsens
from rsens._errors import Argument, RsensWarning, Sentence, spelled_by
from rsens._progress import progress_of
from rsens._refits import one_target, run_pieces
from tests.few_probes import explain_with_probes

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(30, 2)), columns=["a", "b"])
Y = X["a"] + 0.3 * RNG.normal(size=30)


class Odd(UserWarning):
    def __init__(self, text, more):
        super().__init__(text)
        self.more = more


def warns(number):
    """Pieces that warn of the same thing with other numbers, of several things, and of nothing."""
    if number:
        warnings.warn(f"no convergence after {number} steps, tolerance 1e-0{number}", ConvergenceWarning, stacklevel=2)
        warnings.warn(f"no convergence after {number} steps, tolerance 1e-0{number}", ConvergenceWarning, stacklevel=2)
    if number == 3:
        warnings.warn(RsensWarning("see ", Argument("rows")), stacklevel=2)
        warnings.warn(Odd("an odd one", 1), stacklevel=2)
    return number


def pieces(work, count, n_jobs=None):
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        found = run_pieces(work, count, lambda k: (k,), n_jobs=n_jobs, progress=progress_of(False), noun="piece")
    assert found == list(range(count))
    return raised


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_each_text_is_said_once_with_the_number_of_pieces(n_jobs):
    raised = pieces(warns, 5, n_jobs)
    said = {warning.category: str(warning.message) for warning in raised}
    assert len(raised) == 3
    assert said[ConvergenceWarning].startswith("In 4 of 5 pieces: no convergence after ")
    rsens_texts = {str(warning.message) for warning in raised if warning.category is RsensWarning}
    assert rsens_texts == {"see rows", "Odd: an odd one"}
    ours = next(warning.message for warning in raised if str(warning.message) == "see rows")
    with spelled_by(lambda argument: f"--{argument.name}"):
        assert Sentence(ours.sentence) == "see --rows"


def test_warnings_point_to_the_line_of_the_user_and_follow_his_filters():
    assert {warning.filename for warning in pieces(warns, 2)} == {__file__}
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("ignore", ConvergenceWarning)
        run_pieces(warns, 3, lambda k: (k,), n_jobs=None, progress=progress_of(False), noun="piece")
    assert not raised


CLASSES = (Y > 0.0).astype(int)
CALLS = {
    "stability": lambda model: rsens.stability(model, X, CLASSES, n_boot=6, methods=["rsens"], random_state=0),
    "assess": lambda model: rsens.assess(model, X, CLASSES, random_state=0),
    "explain": lambda model: explain_with_probes(model, X, CLASSES, n_probes=4, pairs=False, random_state=0),
    "compare": lambda model: rsens.compare(model, X, CLASSES, methods=["rsens", "pfi"], random_state=0),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_model_that_does_not_converge_says_so_once(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(max_iter=1).fit(X, CLASSES)
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        CALLS[call](model)
    texts = [str(warning.message) for warning in raised if warning.category is ConvergenceWarning]
    # Where the model was fitted before, it has said so itself.
    assert len(texts) == (call in ("stability", "assess"))
    assert all(" of " in text and "refits: lbfgs" in text.replace("sample", "refit") for text in texts)


def test_a_column_of_targets_is_one_target():
    """pytest makes scikit-learn's warning of a column vector an error."""
    model = BayesianRidge().fit(X, Y)
    options = {"n_probes": 4, "random_state": 0}
    one = explain_with_probes(model, X, Y, **options)
    for y in (Y.to_frame("y"), Y.to_numpy()[:, None], [[value] for value in Y]):
        pd.testing.assert_frame_equal(one.to_frame(), explain_with_probes(model, X, y, **options).to_frame())
        rsens.assess(BayesianRidge(), X, y, random_state=0)
        rsens.stability(BayesianRidge(), X, y, n_boot=2, methods=["rsens"], random_state=0)
        rsens.compare(model, X, y, methods=["rsens", "pfi"], random_state=0)


def test_several_targets_stay_several():
    both = pd.DataFrame({"one": Y, "other": Y})
    assert one_target(both).shape == (30, 2)
    assert one_target(both.to_numpy()).shape == (30, 2)
    assert one_target([[1, 2], [3, 4]]) == [[1, 2], [3, 4]]
    assert one_target(None) is None
