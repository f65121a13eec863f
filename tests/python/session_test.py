"""Sessions, and that they, the command line and the C++ library say the same of a point."""

import json
import pathlib
import re
import threading

import numpy
import pytest

import halftone
from halftone import running
from conftest import DIGITS, program

EXACT_SQNR_DB = 200.0  # the figure of equal outputs: kExactSqnrDb of src/accuracy/metrics.h

pytestmark = pytest.mark.filterwarnings("ignore::halftone.HalftoneWarning")


def test_interface_of_an_inference_session(front, samples):
    session = front.chosen.session(threads=1)
    pixels, = session.get_inputs()
    output, = session.get_outputs()
    assert (pixels.name, pixels.type, pixels.shape) == ("pixels", "tensor(float)", [1, 1, 8, 8])
    assert (output.name, output.type, output.shape) == ("probabilities", "tensor(float)", [1, 10])
    feeds = {"pixels": samples.inputs[:1]}
    all_outputs, = session.run(None, feeds)
    for again in (session.run(["probabilities"], feeds), session.run(feeds), session.run(None, feeds, None)):
        numpy.testing.assert_array_equal(again[0], all_outputs)
    assert all_outputs.shape == (1, 10) and all_outputs.dtype == numpy.float32
    assert session.plan_digest == front.chosen.plan_digest
    assert session.threads == 1 and session.input_shapes == ["pixels:1,1,8,8"]
    assert "stem/conv" in session.explain() and front.chosen.options["precision_mode"] in session.configuration
    assert session.get_providers() and "Session" in repr(session)


def test_outputs_are_those_of_the_command_line(front, samples, model, tmp_path):
    """Bit by bit: the point was tuned here, and is read there."""
    for point in front:
        folder = point.save(tmp_path / str(point.number))
        program("run", f"--model={model}", f"--inputs={DIGITS / 'search_inputs.npy'}", f"--point={folder}",
                "--threads=1", "--max_samples=20", f"--save={tmp_path / 'saved'}")
        there = numpy.load(tmp_path / "saved/0_probabilities.npy")
        session = point.session(threads=1)
        here = numpy.concatenate([session.run(None, {"pixels": one[None]})[0] for one in samples.inputs[:20]])
        numpy.testing.assert_array_equal(here.view(numpy.uint32), there.view(numpy.uint32))


def test_plan_and_accuracy_are_those_of_the_command_line(front, model, tmp_path):
    point = front.chosen
    explained = json.loads(program("explain", f"--model={model}", f"--point={point.folder}", "--format=json"))
    assert explained["plan_digest"] == point.plan_digest == point.run(latency_budget=0.02).plan_digest
    text = program("run", f"--model={model}", f"--inputs={DIGITS / 'search_inputs.npy'}",
                   f"--labels={DIGITS / 'search_labels.npy'}", f"--point={point.folder}", "--threads=1")
    here = point.run(DIGITS / "search_inputs.npy", DIGITS / "search_labels.npy", threads=1)
    printed = re.search(r"sqnr_db\s+mean ([0-9.]+|exact)", text)
    assert printed, text
    # Where this CPU runs nothing faster than float32, the chosen point may be exact.
    mean = EXACT_SQNR_DB if printed[1] == "exact" else float(printed[1])
    assert mean == pytest.approx(here.sqnr_db, rel=1e-5)  # printed with six digits
    assert here.sqnr_db == pytest.approx(point.sqnr_db, abs=1e-9) and here.top1 == point.top1


def test_point_of_the_command_line_is_read_here(model, samples, tmp_path):
    program("tune", f"--model={model}", f"--inputs={DIGITS / 'search_inputs.npy'}", "--budget=4", "--quantize=off",
            "--no_bank", "--threads=1", "--heldout_share=0", f"--output={tmp_path}")
    front = halftone.load_front(tmp_path)
    point = halftone.load_point(model, tmp_path / "point_1")
    assert point.plan_digest == front[0].plan_digest
    assert point.run(samples.inputs, threads=1).sqnr_db == pytest.approx(front[0].sqnr_db, abs=1e-9)


def test_eight_bits(model, samples, tmp_path):
    # By the cost model of a runtime: this CPU may run nothing faster in 8 bits.
    front = halftone.tune(model, samples.inputs, quantize="for:ort", budget=6, threads=1, on_progress=False)
    point = next(p for p in front if any("quantization" in word for word in p.arguments))
    session = point.session(threads=1)
    here = numpy.concatenate([session.run({"pixels": one[None]})[0] for one in samples.inputs])
    assert (here.argmax(axis=1) == samples.labels).mean() == pytest.approx(0.99, abs=0.03)
    record = point.export("onnx-qdq", tmp_path / "q.onnx")
    assert record["format"] == "onnx-qdq:flavour=ort" and record["plan"] == point.plan_digest


def test_onnx_runtime_computes_what_was_tuned_here(model, samples):
    """A point with 8 bits in ONNX Runtime, where that is there: the accuracy that was measured here."""
    library = next(iter(sorted(pathlib.Path.home().glob(".cache/halftone/onnxruntime/*/libonnxruntime.so.1"))), None)
    if library is None:
        pytest.skip("SKIPPED: no ONNX Runtime in ~/.cache/halftone/onnxruntime")
    front = halftone.tune(model, samples.inputs, samples.labels, quantize="only", budget=6, threads=1,
                          operator_tuning="off", heldout_share=0, on_progress=False)
    point = next((p for p in front if any("quantization" in word for word in p.arguments)), None)
    if point is None:
        pytest.skip("SKIPPED: this CPU runs nothing faster in 8 bits")
    there = point.run(samples.inputs, samples.labels, measure=f"ort:{library}", threads=1)
    # The same scales and integers: what differs is the order of float sums, and a tie that rounds the other way.
    assert there.sqnr_db == pytest.approx(point.sqnr_db, abs=0.5)
    assert there.top1 == pytest.approx(point.top1, abs=2 / len(samples.labels))


def test_two_sessions_from_two_threads(front, samples):
    sessions = [point.session(threads=1) for point in (front[0], front[-1])]
    alone = [[session.run({"pixels": one[None]})[0] for one in samples.inputs] for session in sessions]
    wrong = []

    def work(number):
        for _ in range(3):
            for index, one in enumerate(samples.inputs):
                if not numpy.array_equal(sessions[number % 2].run({"pixels": one[None]})[0], alone[number % 2][index]):
                    wrong.append((number, index))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_strange_arrays_give_the_same(front, samples):
    session = front.chosen.session(threads=1)
    one = samples.inputs[:1]
    expected, = session.run({"pixels": one})
    unaligned = numpy.empty(one.nbytes + 1, numpy.uint8)[1:].view(numpy.float32).reshape(one.shape)
    unaligned[:] = one
    for pixels in (numpy.asfortranarray(one), one.astype(">f4"), one.repeat(2, axis=3)[..., ::2], unaligned,
                   one.tolist() if one.dtype == numpy.float64 else one):
        numpy.testing.assert_array_equal(session.run({"pixels": pixels})[0], expected)
    read_only = one.copy()
    read_only.flags.writeable = False
    numpy.testing.assert_array_equal(session.run({"pixels": read_only})[0], expected)


def test_outputs_are_new_arrays(front, samples):
    session = front.chosen.session(threads=1)
    first, = session.run({"pixels": samples.inputs[:1]})
    kept = first.copy()
    session.run({"pixels": samples.inputs[1:2]})
    numpy.testing.assert_array_equal(first, kept)
    first[:] = 0  # they belong to the caller
    del session
    assert first.sum() == 0


BAD_FEEDS = [
    (lambda x: {"pixel": x}, "input 'pixel': the network has no such input; its inputs are 'pixels'"),
    (lambda x: {}, "input 'pixels' is missing: expected an array of tensor(float) [1, 1, 8, 8]"),
    (lambda x: {"pixels": x.astype(numpy.float64)}, "dtype float64, expected float32"),
    (lambda x: {"pixels": x.astype(object)}, "dtype object, expected float32"),
    (lambda x: {"pixels": x[:, :, :4]}, "pixels"),
    (lambda x: {"pixels": x[:0]}, "pixels"),
    (lambda x: {"pixels": x[0, 0, 0, 0]}, "pixels"),
    (lambda x: {"pixels": None}, "dtype object"),
    (lambda x: [x], "feeds: a list"),
    (lambda x: None, "feeds: a NoneType"),
]


@pytest.mark.parametrize("made, message", BAD_FEEDS)
def test_bad_feeds_are_one_sentence(front, samples, made, message):
    session = front.chosen.session(threads=1)
    with pytest.raises(halftone.UsageError) as raised:
        session.run(None, made(samples.inputs[:1]))
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_bad_names_of_outputs(front, samples):
    with pytest.raises(halftone.UsageError, match="output 'logits': the network has no such output"):
        front.chosen.session().run(["logits"], {"pixels": samples.inputs[:1]})


def test_not_a_number_goes_through(front):
    pixels = numpy.full((1, 1, 8, 8), numpy.nan, numpy.float32)
    output, = front.chosen.session(threads=1).run({"pixels": pixels})
    assert output.shape == (1, 10)


def test_sources_of_a_configuration(front, model, samples, tmp_path):
    feeds = {"pixels": samples.inputs[:1]}
    float32, = halftone.Session(model, threads=1).run(feeds)
    half, = halftone.Session(model, threads=1, precision_mode="force_fp16").run(feeds)
    assert 0 < abs(float32 - half).max() < 0.01
    by_folder, = halftone.Session(model, point=front.chosen.folder, threads=1).run(feeds)
    numpy.testing.assert_array_equal(by_folder, front.chosen.session(threads=1).run(feeds)[0])
    with pytest.raises(halftone.UsageError, match="leave one of them out"):
        halftone.Session(model, point=front.chosen.folder, precision_mode="force_fp16")
    with pytest.raises(halftone.UsageError, match="precision_modes: no such argument"):
        halftone.Session(model, precision_modes="force_fp16")
    with pytest.raises(halftone.UsageError, match="point="):
        halftone.Session(model, point=tmp_path)
    with pytest.raises(halftone.UsageError):
        halftone.load_point(model, tmp_path)


def test_explain_and_run(front, model, samples):
    rows = halftone.explain(model, precision_mode="force_fp16")
    assert rows[0]["node"] == "stem/conv" and rows[0]["compute"] == "float16" and rows[0]["reason"]
    assert [row["node"] for row in front.chosen.explain("head/fc")] == ["head/fc"]
    with pytest.raises(halftone.UsageError):
        halftone.explain(model, node="no/such/node")
    ran = halftone.run(model, samples.inputs, samples.labels, precision_mode="force_fp16", threads=1)
    assert ran.sqnr_db > 30 and ran.top1 == pytest.approx(0.99, abs=0.02) and ran.samples == 200
    assert ran.reference_top1 == pytest.approx(0.99) and "force_fp16" in ran.configuration and repr(ran)
    with pytest.raises(AttributeError, match="no 'speed'"):
        ran.speed  # noqa: B018
    own = halftone.run(model, samples.inputs, samples.labels, precision_mode="force_fp16", threads=1,
                       metric=lambda outputs, labels: (outputs["probabilities"].argmax(1) == labels).astype(float),
                       metric_better="higher")
    assert next(value["mean"] for name, value in own.accuracy.items() if name.startswith("function:")) == own.top1


def test_exported_files(half_point, tmp_path):
    record = half_point.export("onnx-mixed", tmp_path / "mixed.onnx")
    assert record["plan"] == half_point.plan_digest
    assert (tmp_path / "mixed.onnx").stat().st_size > 1000
    assert json.loads((tmp_path / "mixed.onnx.export.json").read_text()) == record
    assert record["command"] and record["read_by"]
    with pytest.raises(halftone.UsageError, match="onnx-mixed"):
        half_point.export("onnx-magic", tmp_path / "x")
    with pytest.raises(OSError):
        half_point.export("onnx-mixed", tmp_path / "mixed.onnx/x.onnx")
    assert "onnx-mixed" in halftone.export_formats()


def test_strict_export_writes_nothing_where_something_is_lost(model, tmp_path):
    plan = {"model": str(model), "precision_mode_v2": "mixed_bfloat16"}  # opset 17 has few operators in it
    lossy = []
    for to in halftone.export_formats():
        try:
            record = running.export(plan, to, tmp_path / "lossy", None, False)
        except halftone.Error:  # it cannot say the plan, or patches a file
            continue
        if record["notes"]:
            lossy.append(to)
            with pytest.raises(halftone.UnsupportedError, match="strict: the .* nothing was written"):
                running.export(plan, to, tmp_path / "strict", None, True)
    assert lossy and not (tmp_path / "strict").exists()


def test_bank(model, samples, tmp_path):
    tuning = dict(inputs=samples.inputs, bank=tmp_path, budget=4, quantize="off", operator_tuning="off", threads=1,
                  on_progress=False)
    front = halftone.tune(model, **tuning)
    again = halftone.tune(model, **tuning, goal="min_sqnr_db=30")
    assert again.facts["search"]["measured"] == 0, "the bank answers another goal"
    bank = halftone.Bank(tmp_path)
    row, = bank.list()
    assert row["model_name"] == "digits" and row["key"][:12] in bank.show()
    assert "digits" in bank.show(row["key"][:12])
    session = bank.session(model, "fastest", threads=1)
    assert session.plan_digest == front[0].plan_digest
    folder = bank.save_point(model, tmp_path / "point", "fastest")
    assert halftone.Session(model, point=folder).plan_digest == front[0].plan_digest
    assert "Bank" in repr(bank) and halftone.Bank().path


def test_stubs_name_what_there_is():
    text = pathlib.Path(halftone.__file__).with_name("_halftone.pyi").read_text()
    from halftone import _halftone

    for name in re.findall(r"^def (\w+)|^class (\w+)", text, re.M):
        assert hasattr(_halftone, "".join(name))
    for name in halftone.__all__:
        assert getattr(halftone, name) is not None
        assert name.startswith("__") or getattr(halftone, name).__doc__, name
    assert pathlib.Path(halftone.__file__).with_name("py.typed").exists()
    assert re.fullmatch(r"\d+\.\d+\.\d+", halftone.__version__)
