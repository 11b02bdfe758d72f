"""The difference of two explanations, with intervals: two models, two samples, before and after."""

from __future__ import annotations

import os
from typing import Any, Self

import numpy as np
import pandas as pd

from rsens._errors import Argument, InputError
from rsens._explain import _difference_text
from rsens._explain._difference_parts import FORM, Both, ComparedPairs, ComparedTerms
from rsens._typing import Array


class Difference:
    """First explanation minus second, term by term, in common units. Made by `Explanation.difference`.

    Every attribute gives a new table: what is done to it leaves the difference as it is.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> strong = rsens.from_function(lambda X: rsens.Normal(3.0 * X[:, 0] + X[:, 1], 1.0))
        >>> weak = rsens.from_function(lambda X: rsens.Normal(X[:, 0] + 2.0 * X[:, 1], 1.0))
        >>> a, b = (rsens.explain(model, X, scale="raw", random_state=0) for model in (strong, weak))
        >>> a.difference(b).to_frame()[["term", "value_a", "value_b", "a_minus_b"]].round(3)
          term  value_a  value_b  a_minus_b
        0   x0      3.0      1.0        2.0
        1   x1      1.0      2.0       -1.0
    """

    def __init__(self, *, both: Both, of_terms: ComparedTerms, of_pairs: ComparedPairs | None = None) -> None:
        self._both, self._of_terms, self._of_pairs = both, of_terms, of_pairs

    # ---- what was compared ------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, str]:
        """What the two explanations are called; the difference is the first minus the second."""
        return self._both.names[0], self._both.names[1]

    @property
    def title(self) -> str:
        """The two names with a minus between: what the differences are."""
        return f"{self.names[0]} − {self.names[1]}"

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms that are compared."""
        return self._both.terms

    @property
    def order(self) -> int:
        """2 with pairs, else 1."""
        return 1 if self._of_pairs is None else 2

    @property
    def level(self) -> float:
        """Level of the intervals."""
        return self._both.level

    @property
    def units(self) -> pd.Series[float]:
        """The unit of each term, the same for both explanations; missing for groups."""
        return pd.Series(self._both.units, index=self._index(1), name="unit")

    @property
    def scale_kind(self) -> str:
        """Where the units come from: "sd", "raw" or "given"."""
        return self._both.scale

    @property
    def same_rows(self) -> bool:
        """Whether both explain the same rows."""
        return self._both.same_rows

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know when reading it."""
        return self._both.notes

    @property
    def only(self) -> dict[str, pd.Series[float]]:
        """R-sens of terms that only one of the two has, by the name of that explanation, in its own units."""
        b = self._both
        sides = ((b.only_first, b.only_first_values), (b.only_second, b.only_second_values))
        return {
            name: pd.Series(values, index=pd.Index(terms, dtype=object), name="rsens")
            for name, (terms, values) in zip(self.names, sides, strict=True)
        }

    @property
    def left_out(self) -> dict[str, str]:
        """Terms of both that cannot be compared, and why."""
        return dict(zip(self._both.left_out, self._both.reasons, strict=True))

    # ---- the differences --------------------------------------------------------------------------------------------

    @property
    def main(self) -> pd.Series[float]:
        """R-sens in the first explanation minus R-sens in the second, by term."""
        found = self._of_terms
        return pd.Series(found.value_a - found.value_b, index=self._index(1), name=self.title)

    @property
    def pairs(self) -> pd.Series[float]:
        """The same of R-sens₂, by pair."""
        found = self._pairs()
        return pd.Series(found.pair_value_a - found.pair_value_b, index=self._index(2), name=self.title)

    @property
    def intervals(self) -> pd.DataFrame | None:
        """Intervals of `main`: columns lower, upper. `interval_kind` says what they come from."""
        return self._ends(self._of_terms.intervals, 1)

    @property
    def pair_intervals(self) -> pd.DataFrame | None:
        """Intervals of `pairs`."""
        return None if self._of_pairs is None else self._ends(self._of_pairs.pair_intervals, 2)

    @property
    def interval_kind(self) -> str | None:
        """What intervals come from: "paired refits", "refits", "paired rows" or "rows"; None without intervals.

        "paired refits": both models were refitted without the same rows, and each pair of refits is compared.
        "refits": as for two independent samples; for two models of the same rows these are too wide. "paired rows",
        "rows": the models are taken as they are, and only the rows vary.
        """
        return self._of_terms.interval_kind

    @property
    def p_value(self) -> pd.Series[float] | None:
        """How rarely chance alone gives a difference as large, by term; None without refits."""
        return self._series(self._of_terms.p_values, 1, "p_value")

    @property
    def differs(self) -> pd.Series[bool] | None:
        """Whether `p_value` is at most 0.05: of 20 terms that do not differ about one does by chance."""
        return self._series(self._of_terms.differs, 1, "differs")

    @property
    def pair_p_values(self) -> pd.Series[float] | None:
        """The same as `p_value`, of pairs."""
        return None if self._of_pairs is None else self._series(self._of_pairs.pair_p_values, 2, "p_value")

    @property
    def pair_differs(self) -> pd.Series[bool] | None:
        """The same as `differs`, of pairs."""
        return None if self._of_pairs is None else self._series(self._of_pairs.pair_differs, 2, "differs")

    def to_frame(self, order: int = 1) -> pd.DataFrame:
        """One line per term (order 1) or pair (order 2), the largest difference in size first.

        Columns: term (and first, second for pairs), value_a, lower_a, upper_a, value_b, lower_b, upper_b, a_minus_b,
        lower, upper, p_value, differs, interval_kind; a is the first of `names` and b the second. What is not known is
        missing.
        """
        if isinstance(order, bool) or order not in (1, 2):
            raise InputError(Argument("order"), f" must be 1 (variables) or 2 (pairs); got {order!r}.")
        of = self._fields(order)
        index = self._index(order)
        if order == 1:
            frame = pd.DataFrame({"term": list(self.terms)}, dtype=object)
        else:
            first, second = (list(index.get_level_values(level)) for level in ("first", "second"))
            terms = [f"{d}:{e}" for d, e in zip(first, second, strict=True)]
            frame = pd.DataFrame({"term": terms, "first": first, "second": second}, dtype=object)
        unknown = np.full(len(frame), np.nan)
        for side in ("_a", "_b", ""):
            frame[f"value{side}" if side else "a_minus_b"] = (
                of[f"value{side}"] if side else of["value_a"] - of["value_b"]
            )
            ends = of[f"intervals{side}"]
            frame[f"lower{side}"], frame[f"upper{side}"] = (unknown, unknown) if ends is None else ends
        frame["p_value"] = unknown if of["p_values"] is None else of["p_values"]
        marks = [pd.NA] * len(frame) if of["differs"] is None else of["differs"]
        frame["differs"] = pd.array(marks, dtype="boolean")
        frame["interval_kind"] = pd.Series([of["interval_kind"]] * len(frame), dtype=object)
        return frame.sort_values("a_minus_b", key=abs, ascending=False, kind="stable", ignore_index=True)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Both values of each term and their difference, with intervals; see `rsens.plots.difference`."""
        from rsens.plots import difference

        return difference(self, ax=ax, **options)

    def __repr__(self) -> str:
        return _difference_text.text(self)

    def _repr_html_(self) -> str:
        return _difference_text.as_html(self)

    # ---- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a JSON file, whole or not at all."""
        FORM.write({"both": self._both, "of_terms": self._of_terms, "of_pairs": self._of_pairs}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))

    def _pairs(self) -> ComparedPairs:
        if self._of_pairs is None:
            raise InputError(
                "This difference has no pairs: one of the explanations has none. Ask for them with explain(..., ",
                Argument("pairs", True),
                ").",
            )
        return self._of_pairs

    def _fields(self, order: int) -> dict[str, Any]:
        """What is known of the terms, or of the pairs, under the same names."""
        part = self._of_terms if order == 1 else self._pairs()
        return {name.removeprefix("pair_"): getattr(part, name) for name in part.fields()}

    def _index(self, order: int) -> pd.Index:
        if order == 1:
            return pd.Index(self.terms)
        names = np.array(self.terms, dtype=object)
        first, second = np.triu_indices(len(names), 1)
        return pd.MultiIndex.from_arrays([names[first], names[second]], names=["first", "second"])

    def _ends(self, ends: Array | None, order: int) -> pd.DataFrame | None:
        return None if ends is None else pd.DataFrame(ends.T, index=self._index(order), columns=["lower", "upper"])

    def _series(self, values: Any, order: int, name: str) -> Any:
        return None if values is None else pd.Series(values, index=self._index(order), name=name)
