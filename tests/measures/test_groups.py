"""R-sens of groups of columns."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import METHODS, Terms, local_values, pair_parts_of, rsens, rsens2, rsens2_of
from rsens.measures._terms import resolve_groups
from tests.measures.models import MODELS, rows

X = rows()
NAMES = ("a", "b", "c")
FRAME = pd.DataFrame(X, columns=list(NAMES))


@pytest.mark.parametrize("family", MODELS)
def test_largest_rsens_over_directions_within_the_group(family: str) -> None:
    scale = np.array([1.0, 3.0, 0.2])
    got = local_values("rsens", MODELS[family], FRAME, groups={"ends": ["a", "c"]}, alpha=2.0, scale=scale)
    assert got.shape == (len(X), 2)
    np.testing.assert_allclose(got[:, 1], 3.0 * rsens(MODELS[family], X, alpha=2.0)[:, 1], rtol=1e-12)
    # A direction (cos t, sin t) in scaled columns a and c, on a grid: the maximum is missed by at most 1 − cos(step/2).
    record = MODELS[family].derivatives(X, 1)
    w = np.sqrt(2.0) * record.distribution.whiten(record.first * scale)[:, :, [0, 2]]
    g = w.swapaxes(1, 2) @ w
    t = np.linspace(0, np.pi, 20001)
    v = np.stack([np.cos(t), np.sin(t)])
    along = np.sqrt(np.einsum("dk,nde,ek->nk", v, g, v, optimize=True))
    np.testing.assert_allclose(got[:, 0], along.max(axis=1), rtol=1e-8)


TERMS = Terms(("ends", "b"), ((0, 2), (1,)))


@pytest.mark.parametrize("family", ["Normal", "Poisson"])
def test_a_column_and_a_group(family: str) -> None:
    """The largest R-sens₂ of the column with a direction within the group, on a grid of directions."""
    record = MODELS[family].derivatives(X, 2)
    scale = np.array([1.0, 3.0, 0.2])
    got = METHODS["rsens2"].importance(MODELS[family], X, scale=scale, alpha=2.0, terms=TERMS)
    second = np.sqrt(2.0) * record.second * np.outer(scale, scale)
    t = np.linspace(0, np.pi, 4001)
    along = np.cos(t) * second[:, :, 0, 1, None] + np.sin(t) * second[:, :, 2, 1, None]
    across = record.distribution.fisher_norm(along).max(axis=1).mean()
    np.testing.assert_allclose(got[0, 1], across, rtol=1e-6)
    np.testing.assert_allclose(got[1, 0], got[0, 1], rtol=1e-14)
    np.testing.assert_allclose(got[1, 1], record.distribution.fisher_norm(second[:, :, 1, 1]).mean(), rtol=1e-12)


def test_a_group_and_itself() -> None:
    """One parameter: the length of all its second derivatives, each in units of the Fisher norm."""
    second = rsens2(MODELS["Poisson"], X)[:, [0, 2]][:, :, [0, 2]]
    got = METHODS["rsens2"].importance(MODELS["Poisson"], X, terms=TERMS)
    np.testing.assert_allclose(got[0, 0], np.linalg.norm(second, axis=(1, 2)).mean(), rtol=1e-12)


@pytest.mark.parametrize("name", ["ead", "eah"])
def test_sizes_of_slopes_and_bends_of_a_group(name: str) -> None:
    record = MODELS["Poisson"].derivatives(X, 2)
    got = METHODS[name].importance(MODELS["Poisson"], X, terms=TERMS)
    slopes, bends = record.first[:, 0], record.second[:, 0]
    if name == "ead":
        np.testing.assert_allclose(got, [np.hypot(*slopes[:, [0, 2]].T).mean(), np.abs(slopes[:, 1]).mean()])
    else:
        np.testing.assert_allclose(got[0, 1], np.hypot(*bends[:, [0, 2], 1].T).mean())
        np.testing.assert_allclose(got[1, 1], np.abs(bends[:, 1, 1]).mean())


def test_measures_without_groups_say_so() -> None:
    with pytest.raises(InputError, match="kl has no value for columns that belong together"):
        METHODS["kl"].importance(MODELS["Normal"], X, terms=TERMS)


def test_terms_in_the_order_of_their_first_column() -> None:
    assert resolve_groups({"g": ["c", "a"]}, NAMES) == {"g": (0, 2), "b": (1,)}
    assert resolve_groups({"h": [np.int64(2)], "g": ("b",)}, NAMES) == {"a": (0,), "g": (1,), "h": (2,)}
    assert resolve_groups({}, NAMES) == {"a": (0,), "b": (1,), "c": (2,)}
    assert resolve_groups({"a": ["a", "b"]}, NAMES) == {"a": (0, 1), "c": (2,)}
    assert resolve_groups({"a": ["b"], "z": ["a"]}, NAMES) == {"z": (0,), "a": (1,), "c": (2,)}


TWICE = [{"g": ["a", "b"], "h": ["b"]}, {"g": ["a", 0]}, {"b": ["a", "c"]}]


@pytest.mark.parametrize(
    "groups", [[["a", "b"]], {"g": []}, {"g": "ab"}, {"g": ["a", "x"]}, {"g": [3]}, *TWICE], ids=str
)
def test_wrong_groups(groups: Any) -> None:
    with pytest.raises(InputError) as raised:
        local_values("rsens", MODELS["Normal"], FRAME, groups=groups)
    assert raised.value.argument == "groups"


@pytest.mark.parametrize("order", [("g", "c"), ("c", "g")])
def test_parts_of_a_pair_with_a_group_are_those_of_the_change_that_has_its_norm(order: tuple[str, str]) -> None:
    """Through a the pair moves the mean, through b the variance: the group's change is the larger of the two."""
    x = np.array([[0.0, 0.0, 0.0]])
    model = from_function(lambda z: Normal(z.sum(axis=1) + z[:, 0] * z[:, 2], np.exp(18.0**0.5 * z[:, 1] * z[:, 2])))
    record = model.derivatives(x, order=2)
    members = {"g": (0, 1), "c": (2,)}
    terms = Terms(order, tuple(members[name] for name in order))
    pairs = rsens2_of(record, 1.0, terms=terms)
    np.testing.assert_allclose(pairs[0, 0, 1], 3.0, rtol=1e-6)  # links 1 and 3 in Fisher norm, at right angles
    found = pair_parts_of(record, pairs, 1.0, terms=terms)
    np.testing.assert_allclose([found["mean"][0, 0], found["variance"][0, 0]], [0.0, 3.0], atol=1e-6)
