"""An explanation with marks made by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rsens._explain import Explanation, explain
from rsens._explain._interaction_marks import Interactions
from rsens._explain._null_level import NullLevel
from rsens._explain._values import Intervals
from tests.explain.models import Linear


def plain() -> Explanation:
    """Values 4, 3, 2, 1 of a, b, c, d, and nothing else; a moves with b."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 4)), columns=list("abcd"))
    return explain(Linear([4.0, 3.0, 2.0, 1.0], sigma=1.0, gamma=0.001), X, scale="raw", intervals=False)


def marked(
    *,
    null=(2.5, 2.5, 2.5, 2.5),
    p=(0.001, 0.01, 0.2, 0.3),
    discovery="ab",
    familywise="ab",
    intervals=None,
    pairs=None,
) -> Explanation:
    """The same with marks: by default, a and b are above a level of 2.5. `pairs` are changes to the test of pairs."""
    base = plain()
    level = NullLevel(
        null_kind="by hand",
        null=np.array(null),
        p_value=np.array(p),
        discovery=np.array([name in discovery for name in "abcd"]),
        familywise=np.array([name in familywise for name in "abcd"]),
        probe_terms=("a",),
        probe_values=np.array([0.1]),
    )
    no = np.zeros(6, dtype=np.bool_)
    first = np.arange(6) == 0
    test = {
        "pair_p_values": np.where(first, 0.0004, 0.5),
        "pair_discovery": first,
        "pair_additive": no,
        "pair_above": first,
        "pair_unclear": no,
        "test_scale": "logit",
        "pair_null_kind": "by hand",
        "pair_notes": (),
    }
    bounds = Intervals(
        intervals=np.array([base.main - 0.5, base.main + 0.5]),
        pair_intervals=np.array([base.pairs * 0.5, base.pairs * 2.0]),
        interval_kind=intervals,
        interval_refits={"refits": 10}.get(intervals, 0),
    )
    return Explanation(
        setup=base._setup,
        values=base._values,
        rows=base._rows,
        intervals=bounds if intervals else None,
        null_level=level,
        interactions=None if pairs is None else Interactions(**test | pairs),
    )
