"""Small tables with known answers."""

import numpy as np
import pandas as pd

#: Names that break what does not quote or escape: commas, quotes, markup, emoji, control characters, 200 characters.
ODD_NAMES = ["a,b", 'say "hi"', "<script>alert(1)</script>", "🚀 Ünï", "x" * 200, "red\x1b[31m"]


def numbers(n: int = 60, seed: int = 0) -> pd.DataFrame:
    """y = 2 a + b·c + noise; d says nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    return frame.assign(y=2.0 * frame["a"] + frame["b"] * frame["c"] + 0.2 * rng.normal(size=n))


def with_text(n: int = 60) -> pd.DataFrame:
    """The same, with a text column that moves y and codes that do not."""
    rng = np.random.default_rng(1)
    town = rng.choice(["Oslo", "Rome"], n)
    frame = numbers(n).drop(columns="d").assign(town=town, code=rng.integers(1, 4, n))
    return frame.assign(y=frame["y"] + 3.0 * (town == "Oslo"))


def classes(k: int, n: int = 60) -> pd.DataFrame:
    """k classes along a."""
    frame = numbers(n)
    labels = np.array([f"class {j}" for j in range(k)])
    edges = np.quantile(frame["a"], np.arange(1, k) / k)
    return frame.assign(y=labels[np.searchsorted(edges, frame["a"])])


def odd() -> pd.DataFrame:
    """Odd names, and a target with one."""
    frame = numbers(40)
    rng = np.random.default_rng(2)
    columns = dict(zip(ODD_NAMES, rng.normal(size=(len(ODD_NAMES), 40)), strict=True))
    columns["a,b"] = frame["a"].to_numpy()
    return pd.DataFrame(columns).assign(**{'t,"<b>\x1b[2J': frame["y"].to_numpy()})
