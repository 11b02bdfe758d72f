"""The two errors of ours: wrong input, and an optional package that is not installed."""

from __future__ import annotations


class InputError(ValueError):
    """Something given to rsens is wrong. The text says what, what was got, and what to do."""


class MissingExtraError(ImportError):
    """An optional package is needed; the text names the extra that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is needed for this and is not installed. Install it with: pip install 'rsens[{extra}]'"
        )


class RsensWarning(UserWarning):
    """A result that is right but may not be what was meant; the text says why and what to do."""
