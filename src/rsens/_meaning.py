"""What marks, levels and intervals mean, in one plain sentence each: print, report, figures and command all say these.

docs/calibration.md has how often each of them is wrong.
"""

from __future__ import annotations

#: The levels that the marks are made for.
PER_VARIABLE = PER_PAIR = 0.05
DISCOVERY_RATE = 0.10

#: The star of a variable.
VARIABLE = "above the null level, which 95 % of irrelevant columns like this one stay below"
#: What to expect of it.
BY_CHANCE = "of 20 irrelevant variables about one gets a star by chance"
#: R-sens₂, which the star of a pair does not speak of.
RSENS2 = "R-sens₂ measures how the prediction and its uncertainty bend when both move"
#: Intervals where no variable is above the null level.
NOTHING_FOUND = "no variable is above the null level, so the intervals do not hold"

#: How a scale on which terms add up is called.
_SCALES = {"identity": "scale of the prediction", "latent": "latent scale"}


def scale_name(scale: str) -> str:
    """The scale on which the terms of a model add up: "logit scale"."""
    return _SCALES.get(scale, f"{scale} scale")


def pair_mark(scale: str) -> str:
    """The star of a pair."""
    return f"the data contradict a model in which these two add up on the {scale_name(scale)} (5 % per pair)"


def no_pair_mark(scale: str) -> str:
    """Why no pair of a model has a star."""
    return f"the model adds up on the {scale_name(scale)} by construction, so no pair has a star"


def interval(kind: str, level: float, n_refits: int | None = None) -> str:
    """What an interval covers; `kind` is "refits" or "rows"."""
    share = f"{100.0 * level:g} %"
    if kind == "rows":
        return f"{share}, rows only: the model is taken as it is"
    return f"{share}, for new data of this size" + (f" ({n_refits} refits)" if n_refits else "")
