"""Exceptions and warnings. Each message is one sentence: what was expected, what was found, where, what to do."""

from typing import Any, Optional

__all__ = [
    "Error", "UsageError", "ModelError", "UnsupportedError", "IoError", "DatabaseError", "InternalError",
    "Interrupted", "HalftoneWarning",
]


class Error(Exception):
    """Any error of halftone."""


class UsageError(Error, ValueError):
    """Arguments that contradict each other, or name what is not there."""


class ModelError(Error):
    """A network, or samples for it, that are malformed or do not fit together."""


class UnsupportedError(Error):
    """Legal, but beyond what halftone does."""


class IoError(Error, OSError):
    """A file that is missing, short or not writable."""


class DatabaseError(Error):
    """A knowledge base that is missing, damaged, locked or of a newer version."""


class InternalError(Error):
    """A bug in halftone."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a network was tuned or run. ``front`` (of tune) and ``result`` (of run) are what is known so far;
    None: nothing yet."""

    def __init__(self, message: str = "", front: Optional[Any] = None, result: Optional[Any] = None) -> None:
        super().__init__(message)
        self.front = front
        self.result = result


class HalftoneWarning(UserWarning):
    """A sentence about the result, as the command line prints it behind ``warning:``."""
