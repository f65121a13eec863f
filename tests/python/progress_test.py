"""The displays of progress: a terminal, a log, a notebook with and without tqdm."""

import io
import os
import pty
import subprocess
import sys
import types

import pytest

from halftone import Progress, progress
from conftest import DIGITS

AT = Progress("search", done=5, planned=20, measured=4, front=3, speed_up=1.5, sqnr_db=41.25, elapsed_s=65)


def test_text_and_share():
    assert str(AT) == "search 5/20 [1:05, front of 3, fastest 1.50x at 41.2 dB]"
    assert AT.share == 0.25
    timed = Progress("search", done=5, elapsed_s=30, limit_s=120)
    assert timed.share == 0.25 and str(timed) == "search 5 [0:30 of 2:00]"
    assert Progress("search", done=5).share is None
    assert str(Progress("promise", text="at least 40 dB")) == "promise: at least 40 dB"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_terminal_writes_one_line_over(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    line = progress.TerminalLine(stream)
    line.show(AT)
    line.show(AT)
    line.close()
    shown = stream.getvalue().split("\r\x1b[K")
    assert shown[1] == shown[2] and len(shown[1]) == 39 and shown[1].startswith(" 25%|█████")
    assert shown[-1] == "" and "\n" not in stream.getvalue()


def test_log_gets_few_lines():
    stream = io.StringIO()
    line = progress.TerminalLine(stream)
    for _ in range(50):
        line.show(AT)
    assert stream.getvalue() == f"{AT}\n"


def test_nothing_is_shown_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not progress.Events(None, None) and not progress.Events(False, None)
    assert progress.Events(True, None) and progress.Events(print, None)


def notebook(monkeypatch):
    """A module IPython whose shell has a kernel; returns what is displayed."""
    shown = []
    handle = types.SimpleNamespace(update=lambda data, raw: shown.append(data["text/plain"]))
    module = types.ModuleType("IPython")
    module.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    module.display = types.ModuleType("IPython.display")
    module.display.display = lambda data, raw, display_id: handle
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", module.display)
    return shown


def test_notebook_without_tqdm(monkeypatch):
    shown = notebook(monkeypatch)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # not there
    events = progress.Events(None, None)
    events({"phase": "search", "done": 5, "planned": 20})
    events.close()
    assert shown[0].startswith(" 25%|") and "search 5/20" in shown[0] and shown[-1] == ""


def test_notebook_with_tqdm(monkeypatch):
    notebook(monkeypatch)
    bars = []

    class Bar:
        def __init__(self, **options):
            self.total, self.n, self.text, self.closed = options["total"], 0, "", False
            bars.append(self)

        def set_description_str(self, text):
            self.text = text

        def close(self):
            self.closed = True

    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    events = progress.Events(None, 60.0)
    events({"phase": "search", "done": 5, "planned": 20})
    events.close()
    assert bars[0].closed and "search 5/20" in bars[0].text and bars[0].total == 100


def test_real_terminal(tmp_path):
    """A child whose standard error is a terminal shows a bar, and leaves an empty line."""
    ours, theirs = pty.openpty()
    script = ("import numpy, halftone, warnings; warnings.simplefilter('ignore'); "
              f"halftone.tune('{DIGITS}/model.onnx', numpy.load('{DIGITS}/search_inputs.npy'), budget=2, "
              "quantize='off', operator_tuning='off', threads=1)")
    child = subprocess.Popen([sys.executable, "-c", script], stderr=theirs, cwd=tmp_path)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert child.wait() == 0, text
    assert "%|".encode() in text and text.endswith(b"\r\x1b[K")


def test_arguments_as_texts():
    import datetime

    from halftone import UsageError, _options

    assert _options.budget_text(120) == "120" and _options.budget_text(1.5) == "1.5s"
    assert _options.budget_text(datetime.timedelta(minutes=2)) == "120s"
    assert [_options.budget_seconds(text) for text in ("120", "90s", "10min", "2h", None)] == [
        None, 90.0, 600.0, 7200.0, 600.0]
    assert _options.goal_text({"min_sqnr_db": 40, "max_latency_ratio": 0.8}) == "min_sqnr_db=40,max_latency_ratio=0.8"
    assert _options.shape_text({"x": (1, 3), "y": (2,)}) == "x:1,3;y:2"
    assert _options.shape_texts(["x:1", {"x": [2]}]) == ["x:1", "x:2"]
    with pytest.raises(UsageError, match="such argument"):
        _options.precision_of({"keep": "x"})
