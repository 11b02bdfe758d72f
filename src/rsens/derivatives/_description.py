"""What we understood of a model that somebody else made, and what was checked about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: "ok": as it should be. "warning": read the text before you read the numbers. "wrong": the numbers are not to be used.
Verdict = Literal["ok", "warning", "wrong"]


@dataclass(frozen=True)
class Description:
    """What was understood of a model, in a few words each, so that one line can say it."""

    #: The object: "GaussianProcessRegressor of scikit-learn".
    model: str
    #: The predictive family of an observation: "Normal".
    family: str
    #: Where the noise of an observation comes from: "included: 0.04 (WhiteKernel)"; "none".
    noise: str
    #: How derivatives are made: "closed form", "automatic (PyTorch)", "differences over 0.3 standard deviations".
    derivatives: str
    #: What the columns are: of X as given, or the original ones of a pipeline.
    columns: str = "columns of X as given"

    def __str__(self) -> str:
        return (
            f"{self.model}: {self.family} prediction of an observation, noise {self.noise}; "
            f"derivatives: {self.derivatives}; {self.columns}."
        )


@dataclass(frozen=True)
class Finding:
    """One thing that was checked about a model: what, how it came out, and what to do about it."""

    name: str
    verdict: Verdict
    text: str
