"""What `rsens.check` says about posterior draws."""

from __future__ import annotations

from rsens.derivatives import Finding

#: With fewer draws the tails of the predictive are those of single draws.
FEW_DRAWS = 400


def draws_finding(count: int) -> Finding:
    """Whether there are enough draws: R-sens of their mixture settles as count^-1/2."""
    if count >= FEW_DRAWS:
        return Finding("draws", "ok", f"{count} draws.")
    return Finding(
        "draws",
        "warning",
        f"only {count} draws: where they disagree, R-sens shows the single draws. It settles as 1/√draws; take "
        f"{FEW_DRAWS} or more.",
    )
