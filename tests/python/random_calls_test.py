"""Random calls of the package with wild arguments, and objects that nothing has initialised.

Every call returns or raises an exception of Python; the process stays alive, which a child shows: it prints "passed".
"""

import subprocess
import sys
import textwrap

import pytest

import halftone
from conftest import DIGITS

RANDOM_CALLS = """
import random, sys
import numpy
import halftone
from halftone import _halftone

random.seed(int(sys.argv[2]))
MODEL = sys.argv[1]
WILD = [None, True, 0, 1, -1, 7, 100000, 2**31, 2**63, 2**64, -2**63, 1e308, float("nan"), float("inf"), "", "x",
        "pixels:1,1,8,8", "pixels:2,1,8,8", "pixels:1099511627776,1,8,8", "\\ud800", "\\0", "a" * 5000, b"bytes", [], [None], {},
        {"pixels": 1}, {"pixels": (1, 1, 8, 8)}, (), object(), len, MODEL, "/dev/zero", numpy.float32(1),
        numpy.zeros((1, 1, 8, 8), numpy.float32), numpy.zeros((1, 1, 8, 8), "O"), numpy.zeros((1, 1, 8, 8), "S3"),
        numpy.zeros((0,)), numpy.zeros(()), numpy.zeros((2, 1, 8, 8), ">f4"), numpy.ones((1, 1, 8, 8), numpy.float32)[..., ::-1]]
PIXELS = numpy.zeros((1, 1, 8, 8), numpy.float32)
KINDS = (halftone.Error, TypeError, ValueError, AttributeError, OverflowError, OSError, IndexError, KeyError,
         UnicodeError, RuntimeError, MemoryError)


def wild():
    return random.choice(WILD)


def some(names):
    return {name: wild() for name in random.sample(names, random.randint(0, 2))}


SESSIONS = [halftone.Session(MODEL, threads=1)]


def session():
    return random.choice(SESSIONS)


def open_session():
    made = halftone.Session(MODEL if random.random() < 0.8 else wild(), **some(
        ["point", "threads", "bank", "select", "target", "input_shapes", "max_memory", "precision_mode", "nope"]))
    SESSIONS[random.randrange(len(SESSIONS)) if len(SESSIONS) > 2 else len(SESSIONS):] = [made]


def run_session():
    feeds = random.choice([wild(), {"pixels": wild()}, {"pixels": PIXELS}, {"pixels": PIXELS, "x": wild()}])
    session().run(random.choice([None, wild(), ["probabilities"]]), feeds)


CALLS = [
    open_session, run_session, run_session, run_session,
    lambda: session().add_shape(wild()),
    lambda: session()._session.run([wild(), wild()][: random.randint(0, 2)]),
    lambda: session()._session.add_shape(wild()),
    lambda: session()._session.explain(wild()),
    lambda: _halftone.Session(random.choice([{}, wild(), {"model": wild()}, {"model": MODEL, "threads": wild()}])),
    lambda: halftone.explain(MODEL, **some(["point", "target", "input_shape", "node", "steps", "precision_mode", "keep_dtype"])),
    lambda: halftone.Bank(wild(), **some(["target"])).list(),
    lambda: halftone.load_front(wild()),
    lambda: halftone.tune(MODEL, wild(), goal=wild(), budget=random.choice([-1, wild()]), max_memory=-1),
    lambda: halftone.tune(MODEL, budget=1, threads=random.choice([-1, 100000, wild()]), heldout_share=-1.0),
    lambda: halftone.run(MODEL, wild(), wild(), max_samples=-1, latency_budget=0.01),
    lambda: repr(session()),
]

for _ in range(400):
    try:
        random.choice(CALLS)()
    except KINDS as error:
        assert not isinstance(error, halftone.InternalError), error
print("passed")
"""

UNINITIALISED = """
import halftone
from halftone import _halftone

for module in (halftone, _halftone):
    for name, kind in vars(module).items():
        if not isinstance(kind, type) or issubclass(kind, BaseException):
            continue
        try:
            made = kind.__new__(kind)
        except TypeError:  # of a class whose objects only halftone makes
            continue
        for member in dir(made):
            if member.startswith("__") and member not in ("__repr__", "__str__", "__len__", "__iter__", "__eq__"):
                continue
            for arguments in ((), ("table",), ([],), ({},)):
                try:
                    found = getattr(made, member)
                    if callable(found):
                        found(*arguments)
                except Exception as error:
                    assert not isinstance(error, halftone.InternalError), error
print("passed")
"""

# The interpreter ends while a thread runs the network, searches, or calls Python from a search.
DAEMON = """
import sys, threading
import numpy
import halftone

model, work = sys.argv[1:3]
began = threading.Event()
session = halftone.Session(model, threads=1)
samples = numpy.random.default_rng(0).random((40, 1, 8, 8), numpy.float32)


def runs():
    while True:
        session.run(None, {"pixels": samples[:1]})
        began.set()


def metric(outputs, **others):
    began.set()
    return float(outputs["probabilities"].mean())


def searches():
    halftone.tune(model, samples, budget="60s", on_progress=lambda event: began.set())


def tunes():
    halftone.tune(model, samples, budget="60s", metric=metric, metric_better="higher", quantize="off",
                  on_progress=lambda event: began.set())


for _ in range(2):
    threading.Thread(target={"runs": runs, "searches": searches, "tunes": tunes}[work], daemon=True).start()
began.wait()
print("passed")
sys.exit(7)
"""


def child(script, *arguments):
    """Runs the script with the package that is tested."""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), *map(str, arguments)],
                          capture_output=True, text=True, check=False)


@pytest.mark.parametrize("seed", range(3))
def test_random_calls_raise_or_return(seed):
    ended = child(RANDOM_CALLS, DIGITS / "model.onnx", seed)
    assert (ended.returncode, ended.stdout) == (0, "passed\n"), ended.stderr


def test_objects_without_init_raise():
    ended = child(UNINITIALISED)
    assert (ended.returncode, ended.stdout) == (0, "passed\n"), ended.stderr


@pytest.mark.parametrize("work", ["runs", "searches", "tunes"])
def test_the_process_ends_well_beside_a_daemon_thread(work):
    for _ in range(5):
        ended = child(DAEMON, DIGITS / "model.onnx", work)
        assert (ended.returncode, ended.stdout, ended.stderr) == (7, "passed\n", "")


@pytest.mark.parametrize("arguments, message", [
    ({"max_memory": -1}, "max_memory=-1: expected a whole number from 0"),
    ({"max_memory": 1.5}, "max_memory=1.5: expected a whole number from 0"),
    ({"max_memory": 2**80}, f"max_memory={2**80}: expected a whole number from 0"),
    ({"threads": 100000}, "threads=100000: expected a whole number from 0 to 1024"),
    ({"threads": True}, "threads=True: expected a whole number"),
    ({"threads": "2"}, "threads='2': expected a whole number"),
])
def test_numbers_out_of_range_are_one_sentence(arguments, message):
    with pytest.raises(halftone.UsageError) as raised:
        halftone.Session(DIGITS / "model.onnx", **arguments)
    assert message in str(raised.value)
