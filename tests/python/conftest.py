"""What the tests of the Python package share: the digits network, its samples, and one front."""

import os
import pathlib
import subprocess
import warnings

import numpy
import pytest

import halftone

SOURCE = pathlib.Path(os.environ.get("HALFTONE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
DIGITS = SOURCE / "examples/digits"


@pytest.fixture(scope="session")
def model():
    return DIGITS / "model.onnx"


class Samples:
    """Arrays of the files: pixels [n, 1, 8, 8] float32, labels [n] int64."""

    def __init__(self):
        self.inputs = numpy.load(DIGITS / "search_inputs.npy")
        self.labels = numpy.load(DIGITS / "search_labels.npy")
        self.heldout_inputs = numpy.load(DIGITS / "heldout_inputs.npy")
        self.heldout_labels = numpy.load(DIGITS / "heldout_labels.npy")


@pytest.fixture(scope="session")
def samples():
    return Samples()


@pytest.fixture(scope="session")
def front(model, samples):
    """A short search in 16 bits and float32: which points it has depends on what is fast on this CPU."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", halftone.HalftoneWarning)
        return halftone.tune(
            model, samples.inputs, samples.labels, heldout_inputs=samples.heldout_inputs,
            heldout_labels=samples.heldout_labels, goal="min_sqnr_db=30", budget=8, quantize="off", threads=1,
            operator_tuning="off", on_progress=False)


@pytest.fixture(scope="session")
def half_point(model, samples):
    """The whole network in float16, whatever is fast on this CPU: the first plan of the mode, and no other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", halftone.HalftoneWarning)
        front = halftone.tune(model, samples.inputs[:20], budget=1, strategy="exhaustive", modes=["force_fp16"],
                              quantize="off", threads=1, operator_tuning="off", on_progress=False)
    assert front[0].low_precision_nodes
    return front[0]


def program(*words):
    """Standard output of the command line."""
    binary = os.environ.get("HALFTONE_BINARY")
    if not binary:
        pytest.skip("HALFTONE_BINARY names no program")
    ended = subprocess.run([binary, *map(str, words)], capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
