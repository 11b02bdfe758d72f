"""Meanings of marks, levels and intervals, a plain sentence each; docs/calibration.md has how often they are wrong."""

from __future__ import annotations

#: The levels that the marks are made for.
PER_VARIABLE = PER_PAIR = FAMILYWISE = 0.05
DISCOVERY_RATE = 0.10

VARIABLE = "above the null level, which 95 % of irrelevant columns like this one stay below"
BY_CHANCE = "of 20 irrelevant variables about one gets a star by chance"
PAIR_BY_CHANCE = "of 20 pairs that add up about one gets a star by chance"
#: Variables whose p-value, from a curve through the probes, is on the other side of 0.05 than their star.
BORDERLINE = "borderline, star and p below 0.05 disagree"
#: The p-values of pairs in a model that never has a star.
P_OF_DATA = "p tests whether the data add up"
#: The marks for all variables, or all pairs, together.
DISCOVERY = "false-discovery rate 10 %"
DISCOVERY_MEANS = "of these at most one in ten is there by chance, on average"
FAMILYWISE_MARK = "family-wise 5 %"
FAMILYWISE_MEANS = "with a chance of 95 % none of these is there by chance"
#: R-sens₂, which the star of a pair does not speak of.
RSENS2 = "R-sens₂ measures how the prediction and its uncertainty bend when both move"
RSENS2_LINK = "R-sens₂ measures how the prediction bends on the link scale when both move"
#: What R-sens₂ does not say, and the star does.
NOT_THE_STAR = "also where two variables only add up; the star comes from a test on the data"
#: Pairs that have nearly all of their R-sens₂ in the uncertainty.
UNCERTAINTY_ONLY = "less than 5 % of R-sens₂ is in the prediction: both change how sure it is, hardly what it is"
#: Pairs without a star among collinear columns.
UNCLEAR = "cannot be told: other columns nearly determine one of the two; it need not add up"
#: Intervals where no variable is above the null level.
NOTHING_FOUND = "no variable is above the null level, so the intervals do not hold"
#: What intervals over rows are for readers who want others.
TOO_NARROW = "for new data they are several times too narrow"
#: An explanation without any mark, and what gets it some.
NO_MARKS = "no stars: explain(model, X, y) says which variables are more than noise"
NO_MARKS_OF_PAIRS = ", and which pairs interact"
NOT_REFITTED = "no stars: the model was not refitted, so no null level is known; see refit= of explain"
NOT_TESTED = "no stars: no test says whether these interact"

#: The mark of a difference between two explanations, or between a subgroup and the other rows.
DIFFERS_MARK = "≠"
DIFFERS = "chance alone gives a difference as large in at most 5 % of cases"
SUBGROUP_DIFFERS = "differs from the other rows: chance alone gives a difference as large in at most 5 % of cases"
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
    """What an interval covers; `kind` is "refits" or "rows"."""
    share = f"{100.0 * level:g} %"
    if kind == "rows":
        return f"{share}, rows only: the model is taken as it is"
    return f"{share}, for new data of this size" + (f" ({n_refits} refits)" if n_refits else "")


def difference_interval(kind: str, level: float) -> str:
    """What the interval of a difference covers."""
    share = f"{100.0 * level:g} %"
    return {
        "paired refits": f"{share}, for new data of this size; the two were refitted without the same rows",
        "refits": f"{share}, for new data of this size, as for two independent samples",
        "paired rows": f"{share}, rows only (the same for both): the models are taken as they are",
        "rows": f"{share}, rows only: the models are taken as they are",
    }[kind]


#: What the parts of R-sens are for a model of posterior draws, in their order.
DRAW_PARTS = "moves the prediction of all draws together, the noise of each, and what they do not agree on"
