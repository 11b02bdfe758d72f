"""A uniform sample of rows in one pass, however many there are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class RowSample:
    """The rows with the smallest of independent uniform keys: each set of `most` rows is equally probable.

    Row i has the i-th key that the seed gives, so that the sample depends on neither the size of the blocks nor the
    format of the file. Without `most` all rows are kept. Of N rows about most·(1 + log(N/most)) are held at some time.
    """

    def __init__(self, most: int | None, seed: int) -> None:
        self.most = most
        self.seen = 0
        self._rng = np.random.default_rng(seed)
        self._keys = np.empty(0)
        self._rows = np.empty(0, dtype=np.int64)

    def choose(self, n: int) -> NDArray[np.int64]:
        """Which of the next n rows are in the sample so far, as positions among the n."""
        if self.most is None:
            self.seen += n
            return np.arange(n)
        before = self.seen
        self.seen += n
        self._keys = np.concatenate([self._keys, self._rng.random(n)])
        self._rows = np.concatenate([self._rows, np.arange(before, self.seen)])
        if len(self._keys) > self.most:
            smallest = np.argpartition(self._keys, self.most - 1)[: self.most]
            self._keys, self._rows = self._keys[smallest], self._rows[smallest]
        return np.sort(self._rows[self._rows >= before]) - before

    @property
    def rows(self) -> NDArray[np.int64]:
        """The numbers of the rows in the sample, counted from 0, in order."""
        return np.arange(self.seen) if self.most is None else np.sort(self._rows)
