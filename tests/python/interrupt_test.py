"""Ctrl-C in a process of its own."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

import halftone
from conftest import DIGITS

pytestmark = pytest.mark.filterwarnings("ignore::halftone.HalftoneWarning")

SCRIPT = """
    import os, signal, sys, warnings
    import numpy, halftone
    warnings.simplefilter("ignore")
    inputs = numpy.load("{digits}/search_inputs.npy")

    def told(now):
        if now.phase == "search" and now.measured >= 2:
            print("measured", flush=True)

    def spread(outputs):  # the fourth call sends itself a signal, and with `again` those behind it do, too
        spread.calls += 1
        if spread.calls == 4 or (spread.calls > 4 and {again}):
            os.kill(os.getpid(), signal.SIGINT)
        return float(outputs["probabilities"].std())

    spread.calls = 0
    try:
        halftone.tune("{digits}/model.onnx", inputs, budget="10min", quantize="off", operator_tuning="off",
                      threads=1, output="{output}", bank="{output}/bank", {how})
    except halftone.Interrupted as stop:
        front = stop.front
        print("front", len(front), front.interrupted, front[0].session().plan_digest == front[0].plan_digest)
        sys.exit(0)
    except KeyboardInterrupt:
        print("at once")
        sys.exit(3)
    sys.exit(4)
"""


def started(output, how="on_progress=told", again=False):
    script = textwrap.dedent(SCRIPT.format(digits=DIGITS, output=output, how=how, again=again))
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_keeps_what_was_found(tmp_path):
    with started(tmp_path) as child:
        assert child.stdout.readline() == "measured\n"
        child.send_signal(signal.SIGINT)
        output, errors = child.communicate(timeout=300)
    assert child.returncode == 0, errors
    last = output.splitlines()[-1].split()
    assert last[0] == "front" and int(last[1]) >= 1 and last[2:] == ["True", "True"]
    assert len(halftone.load_front(tmp_path)) == int(last[1]), "the files are complete"
    assert len(halftone.Bank(tmp_path / "bank").list()) == 1


METRIC = 'on_progress=False, metric=spread, metric_better="lower"'


def test_ctrl_c_within_a_metric(tmp_path):
    with started(tmp_path, METRIC) as child:
        output, errors = child.communicate(timeout=300)
    assert child.returncode == 0, errors
    assert output.splitlines()[-1].startswith("front ")


def test_second_ctrl_c_ends_at_once(tmp_path):
    with started(tmp_path, METRIC, again=True) as child:
        output, errors = child.communicate(timeout=300)
    assert child.returncode == 3, errors
    assert output == "at once\n" and not (tmp_path / "front.json").exists()


def test_handlers_of_the_program_are_called(model, samples):
    """A handler that raises nothing stops nothing; one that raises ends the run with its exception."""
    calls = []

    def raises(number, frame):
        raise LookupError("of the handler")

    def sends(now):
        if now.phase == "search":
            os.kill(os.getpid(), signal.SIGUSR1)

    quick = dict(inputs=samples.inputs[:20], budget=3, quantize="off", operator_tuning="off", threads=1,
                 on_progress=sends)
    before = signal.signal(signal.SIGUSR1, lambda number, frame: calls.append(number))
    try:
        assert not halftone.tune(model, **quick).interrupted and calls
        signal.signal(signal.SIGUSR1, raises)
        with pytest.raises(LookupError, match="of the handler"):
            halftone.tune(model, **quick)
    finally:
        signal.signal(signal.SIGUSR1, before)
