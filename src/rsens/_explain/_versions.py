"""Files of explanations that an earlier rsens wrote."""

from __future__ import annotations

import warnings
from typing import Any

from rsens._errors import RsensWarning

#: What version 1 knew of the null level. Its shuffled columns were not collinear with the others, and pairs were
#: compared with pairs of an irrelevant variable, so that its marks were wrong too often (docs/calibration.md).
_FORMER_LEVEL = ("null", "null_pairs", "reached", "reached_pairs", "probe_terms", "probe_values")

#: What version 2 has besides, where it was not asked for.
_ADDED: dict[str, Any] = {
    "two_valued": [],
    "pair_scale": "parameters",
    "pair_parts": None,
    "null": None,
    "reached": None,
    "p_value": None,
    "discovery": None,
    "familywise": None,
    "probe_terms": None,
    "probe_values": None,
    "null_refits": None,
    "null_kind": None,
    "pair_p_values": None,
    "pair_discovery": None,
    "pair_additive": None,
    "pair_above": None,
    "pair_unclear": None,
    "test_scale": None,
    "pair_null_kind": None,
    "pair_rows": None,
    "pair_notes": None,
}


def from_version_1(content: dict[str, Any]) -> dict[str, Any]:
    """The entries of a file of version 1 as version 2 has them: without the null level, and intervals over rows."""
    if content.get("null") is not None:
        warnings.warn(
            RsensWarning(
                "The null level in this file comes from an earlier procedure, whose marks were wrong too often; it is "
                "left out. Explain again for a new one."
            ),
            stacklevel=6,
        )
    kept = {name: value for name, value in content.items() if name not in _FORMER_LEVEL}
    bounds = content.get("intervals") is not None
    return _ADDED | kept | {"interval_kind": "rows" if bounds else None, "interval_refits": 0 if bounds else None}


#: What version 3 has besides: effects, which files of version 2 do not tell.
_EFFECTS = (
    "effect_terms", "effect_levels", "effect_start", "effect_stop", "effect_step", "effect_unit", "effect",
    "effect_ends", "effect_spread", "effect_spread_ends", "effect_log", "effect_log_ends",
)  # fmt: skip


def from_version_2(content: dict[str, Any]) -> dict[str, Any]:
    """The entries of a file of version 2 as version 3 has them: without effects."""
    return dict.fromkeys(_EFFECTS) | content
