"""Progress of a tuning run: one line in a terminal, a bar in a notebook."""

import dataclasses
import shutil
import sys
import time
from typing import Any, Callable, Dict, Optional, TextIO, Union

__all__ = ["Progress"]

_TITLES = {
    "operators": "kernels", "calibration": "calibration", "probes": "probes", "search": "search",
    "confirm": "confirming",
}
_BAR_CELLS = 20
_LOG_PERIOD_S = 5.0  # where lines cannot be written over


@dataclasses.dataclass(frozen=True)
class Progress:
    """What a tuning run is at.

    phase: "operators", "calibration", "probes", "search", "confirm"; "plan" and "promise" say in `text` what is
        to be done, and what samples can promise.
    done, planned: of this phase; planned is None where there is no limit.
    measured: plans run so far. front: points so far. speed_up, sqnr_db: of the fastest of them.
    elapsed_s: seconds since the begin. limit_s: those of `budget`; None: it is no time.
    """

    phase: str
    done: int = 0
    planned: Optional[int] = None
    measured: int = 0
    front: int = 0
    speed_up: Optional[float] = None
    sqnr_db: Optional[float] = None
    elapsed_s: float = 0.0
    limit_s: Optional[float] = None
    text: str = ""

    @property
    def share(self) -> Optional[float]:
        """How much is done, from 0 to 1: of the time where that is the limit, else of this phase."""
        if self.limit_s:
            return min(1.0, self.elapsed_s / self.limit_s)
        return min(1.0, self.done / self.planned) if self.planned else None

    def __str__(self) -> str:
        if self.phase in ("plan", "promise"):
            return f"{self.phase}: {self.text}"
        count = str(self.done) if self.planned is None else f"{self.done}/{self.planned}"
        facts = [_clock(self.elapsed_s) + (f" of {_clock(self.limit_s)}" if self.limit_s else "")]
        if self.front:
            facts.append(f"front of {self.front}")
        if self.speed_up is not None:
            at = f" at {self.sqnr_db:.1f} dB" if self.sqnr_db is not None else ""
            facts.append(f"fastest {self.speed_up:.2f}x{at}")
        if self.text:
            facts.append(self.text)
        return f"{_TITLES.get(self.phase, self.phase)} {count} [{', '.join(facts)}]"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _bar(share: float) -> str:
    cells = int(share * _BAR_CELLS)
    return f"{share:4.0%}|{'█' * cells}{' ' * (_BAR_CELLS - cells)}|"


class TerminalLine:
    """One line that is written over; on anything but a terminal a line each few seconds."""

    def __init__(self, stream: Optional[TextIO] = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._over = self._stream.isatty()
        self._open = False
        self._last = -_LOG_PERIOD_S

    def show(self, now: Progress) -> None:
        if now.phase in ("plan", "promise"):
            self.close()
            self._stream.write(f"{now}\n")
            return
        if not self._over:
            if time.monotonic() - self._last >= _LOG_PERIOD_S:
                self._last = time.monotonic()
                self._stream.write(f"{now}\n")
                self._stream.flush()
            return
        share = now.share
        text = str(now) if share is None else f"{_bar(share)} {now}"
        columns = shutil.get_terminal_size().columns
        self._stream.write("\r\x1b[K" + text[:max(columns - 1, 1)])
        self._stream.flush()
        self._open = True

    def close(self) -> None:
        if self._open:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._open = False


class NotebookText:
    """A line of a notebook, by IPython's display."""

    def __init__(self) -> None:
        from IPython.display import display  # type: ignore[import-not-found]
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, now: Progress) -> None:
        if now.phase in ("plan", "promise"):
            return
        share = now.share
        text = str(now) if share is None else f"{_bar(share)} {now}"
        self._handle.update({"text/plain": text}, raw=True)

    def close(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


class NotebookBar:
    """A bar of tqdm."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]
        self._bar = tqdm(total=100, bar_format="{percentage:3.0f}%|{bar}| {desc}")

    def show(self, now: Progress) -> None:
        if now.phase in ("plan", "promise"):
            return
        if now.share is not None:
            self._bar.n = round(100 * now.share)
        self._bar.set_description_str(str(now))

    def close(self) -> None:
        self._bar.close()


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and getattr(shell, "kernel", None) is not None


def _shown(wanted: Optional[bool]) -> Any:
    """The display of True, False and None (where there is a terminal or a notebook)."""
    if wanted is False:
        return None
    if _in_notebook():
        try:
            return NotebookBar()
        except ImportError:
            return NotebookText()
    return TerminalLine() if wanted or sys.stderr.isatty() else None


class Events:
    """The callable that the extension module gets for `on_progress`; `closed` when the run ends."""

    def __init__(self, on_progress: Union[Callable[[Progress], Any], bool, None],
                 limit_s: Optional[float]) -> None:
        self._begin = time.monotonic()
        self._limit_s = limit_s
        self._callback = on_progress if callable(on_progress) else None
        self._display = None if self._callback else _shown(on_progress)  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return self._callback is not None or self._display is not None

    def __call__(self, event: Dict[str, Any]) -> Any:
        now = Progress(elapsed_s=time.monotonic() - self._begin, limit_s=self._limit_s, **event)
        if self._callback is not None:
            return self._callback(now)
        self._display.show(now)
        return None

    def close(self) -> None:
        if self._display is not None:
            self._display.close()
