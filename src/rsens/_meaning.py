"""Meanings of marks, levels and intervals, a plain sentence each; docs/calibration.md has how often they are wrong."""

from __future__ import annotations

#: The levels that the marks are made for.
PER_VARIABLE = PER_PAIR = FAMILYWISE = 0.05
DISCOVERY_RATE = 0.10

VARIABLE = "above the null level, which 95 % of irrelevant columns like this one stay below"
BY_CHANCE = "of 20 irrelevant variables about one gets a star by chance"
P_OF_VARIABLES = "p: how rarely an irrelevant variable like this one has as large a value"
PAIR_BY_CHANCE = "of 20 pairs that add up about one gets a star by chance"
P_OF_PAIRS = "p: how rarely data of two variables that add up look as much like an interaction"
#: Variables whose p-value, from a curve through the probes, is on the other side of 0.05 than their star.
BORDERLINE = "borderline, star and p below 0.05 disagree"
#: The marks for all variables, or all pairs, together.
DISCOVERY = "false-discovery rate 10 %"
DISCOVERY_MEANS = "at most one in ten of these by chance, on average"
FAMILYWISE_MARK = "family-wise 5 %"
FAMILYWISE_MEANS = "with a chance of 95 % none of these by chance"
#: R-sens₂, and how it differs from the star of a pair.
RSENS2 = "R-sens₂ measures how the prediction and its uncertainty bend when both move"
RSENS2_LINK = "R-sens₂ measures how the prediction bends on the link scale when both move"
NOT_THE_STAR = "also where two variables only add up; the star comes from a test on the data"
#: Pairs that have nearly all of their R-sens₂ in the uncertainty.
UNCERTAINTY_ONLY = "less than 5 % of R-sens₂ is in the prediction: the two change little but its uncertainty"
#: Pairs without a star among collinear columns.
UNCLEAR = "inconclusive: one of the two is almost determined by other columns"
#: Intervals where no variable is above the null level.
NOTHING_FOUND = "no variable is above the null level, so the intervals do not hold"
#: A warning to readers of intervals over rows.
TOO_NARROW = "for new data they are several times too narrow"
#: Reasons for missing marks.
NO_MARKS = "no stars: a null level takes the targets y and refits of the model"
NOT_REFITTED = "no stars: the model was not refitted, so no null level is known; see refit= of explain"
NOT_TESTED = "no stars: the interactions were not tested"
NO_SUBGROUP_MARKS = "no marks: without refits it is unknown how far these would differ in other data"

#: The columns of tables.
PARTS = "how much of R-sens moves the prediction, and how much its uncertainty"
DRAW_PARTS = "how much of R-sens moves the prediction of all draws together, the noise of each, and their disagreement"
OUTPUTS = "▲ ▼ the outputs (classes) whose predictions rise and fall most"
EFFECT = "effect: mean change of the prediction, over the rows, with all other columns unchanged"
EFFECT_IN_POINTS = EFFECT.replace("prediction", "probability, in percentage points")
SLOPE = "1 sd: the mean slope times one standard deviation; per …: the same slope in units of the column"
LEVEL = "against the rest: this level minus the mean of the others, weighted by how often they occur"
SPREAD = "spread: change of the predictive standard deviation"
PERCENT = "percent: the same change as a share of the prediction"

#: The mark of a difference between two explanations, or between a subgroup and the other rows.
DIFFERS_MARK = "≠"
DIFFERS = "chance alone gives a difference as large in at most 5 % of cases"
SUBGROUP_DIFFERS = f"differs from the other rows: {DIFFERS}"
DIFFERS_BY_CHANCE = "of 20 that do not differ about one gets the mark by chance"

_SCALES = {"identity": "scale of y", "latent": "latent scale"}


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
    """The coverage of an interval; `kind` is "refits" or "rows"."""
    share = f"{100.0 * level:g} %"
    if kind == "rows":
        return f"{share}, rows only: with the model unchanged"
    return f"{share}, for new data of this size" + (f" ({n_refits} refits)" if n_refits else "")


def difference_interval(kind: str, level: float) -> str:
    """The coverage of the interval of a difference."""
    share = f"{100.0 * level:g} %"
    return {
        "paired refits": f"{share}, for new data of this size; the two were refitted without the same rows",
        "refits": f"{share}, for new data of this size, as for two independent samples",
        "paired rows": f"{share}, rows only (the same for both): with the models unchanged",
        "rows": f"{share}, rows only: with the models unchanged",
    }[kind]


def step(names: str) -> str:
    """The step of columns whose standard deviation is not a sensible one."""
    return (
        "from … to …: between two quartiles, asking the model near the rows in between; a standard deviation of "
        f"{names} leads beyond most values (mostly one value, or a long tail)"
    )
