"""`explain` with fewer probes than usual: for tests that need a null level, but not a steady one."""

from typing import Any
from unittest.mock import patch

from rsens import Explanation, explain
from rsens._explain import _null_level


def explain_with_probes(*arguments: Any, n_probes: int, **options: Any) -> Explanation:
    with patch.multiple(_null_level, N_PROBES=n_probes, N_PROBES_OF_MANY=n_probes):
        return explain(*arguments, **options)
