"""The figures of the report: each drawn by matplotlib, and by plotly where that is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rsens._app.report import _live, _live_profile, _live_rows, _live_surface, _static
from rsens._app.report._facts import Facts, Name
from rsens._app.report._format import number
from rsens._app.report._live import Spec


@dataclass(frozen=True)
class Picture:
    """One figure of the page."""

    id: str
    alt: str
    svg: str
    live: Spec | None = None
    names: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Pictures:
    """All figures; None and empty where there is nothing to draw."""

    bars: Picture
    beeswarm: Picture
    calibration: Picture | None
    heatmap: Picture | None
    network: Picture | None
    profiles: list[Picture]
    surfaces: list[Picture]

    @property
    def live(self) -> dict[str, Spec]:
        """What plotly draws, by the id of the figure."""
        alone = [self.bars, self.beeswarm, self.calibration, self.heatmap, self.network]
        found = [*alone, *self.profiles, *self.surfaces]
        return {p.id: p.live for p in found if p is not None and p.live is not None}


def pictures(facts: Facts, *, interactive: bool) -> Pictures:
    """Draw everything."""
    e = facts.explanation

    def live(make: Callable[[], Spec]) -> Spec | None:
        return make() if interactive else None

    leading = ", ".join(f"{facts.names[t].short} {number(e.main[t])}" for t in facts.ranked[:5])
    with_pairs = len(facts.pairs) > 0
    strongest = ""
    if with_pairs:
        top = facts.pairs.iloc[0]
        pair = f"{facts.names[top['first']].short} and {facts.names[top['second']].short}"
        strongest = f"The largest is that of {pair}, {number(top['value'])}."
    return Pictures(
        bars=Picture(
            "bars",
            f"Bars of R-sens, the largest first: {leading}. All values are in the table.",
            _static.bars(facts),
            live(lambda: _live.bars(facts)),
        ),
        beeswarm=Picture(
            "beeswarm",
            f"Points, one for each row and variable, by local R-sens; means: {leading}.",
            _static.beeswarm(facts),
            live(lambda: _live_rows.beeswarm(facts)),
        ),
        calibration=None
        if facts.assessment is None
        else Picture("calibration", _calibration_alt(facts), _static.calibration(facts)),
        heatmap=Picture(
            "heatmap",
            f"Cells coloured by R-sens₂ of each pair of variables. {strongest}",
            _static.heatmap(facts),
            live(lambda: _live.heatmap(facts)),
        )
        if with_pairs
        else None,
        network=Picture(
            "network",
            f"Variables as circles around a ring and pairs as lines between them. {strongest}",
            _static.network(facts),
        )
        if with_pairs
        else None,
        profiles=[_profile(facts, k, term, interactive) for k, term in enumerate(facts.profiled)],
        surfaces=[_surface(facts, k, pair, interactive) for k, pair in enumerate(facts.surfaced)],
    )


def _calibration_alt(facts: Facts) -> str:
    if facts.assessment.kind == "classes":
        return "Observed shares of held-out rows against predicted probabilities; ideal is the diagonal."
    return "Histogram of the probability integral transform of held-out rows; ideal is flat."


def _profile(facts: Facts, k: int, term: str, interactive: bool) -> Picture:
    name = facts.names[term]
    return Picture(
        f"profile-{k}",
        f"Above, the prediction along {name.full} with its intervals; below, R-sens.",
        _static.profile(facts, k, term),
        _live_profile.profile(facts, term) if interactive else None,
        (name,),
    )


def _surface(facts: Facts, k: int, pair: tuple[str, str], interactive: bool) -> Picture:
    names = tuple(facts.names[term] for term in pair)
    return Picture(
        f"surface-{k}",
        f"The prediction over {names[0].full} and {names[1].full}, with lines of equal R-sens₂.",
        _static.surface(facts, k, pair),
        _live_surface.surface(facts, pair) if interactive else None,
        names,
    )
