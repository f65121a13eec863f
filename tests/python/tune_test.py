"""halftone.tune() and what it returns."""

import copy
import json
import pickle
import re
import threading
import time
import warnings

import numpy
import pytest

import halftone

pytestmark = pytest.mark.filterwarnings("ignore::halftone.HalftoneWarning")

QUICK = {"budget": 2, "quantize": "off", "operator_tuning": "off", "threads": 1, "on_progress": False}


def test_points_have_their_figures(front, model):
    assert len(front) >= 1 and front[0].speed_up >= front[-1].speed_up
    assert [point.number for point in front] == list(range(1, len(front) + 1))
    chosen = front.chosen
    assert chosen is not None and chosen in list(front) and [p.chosen for p in front].count(True) == 1
    assert chosen.sqnr_db >= 30 and chosen.worst <= chosen.sqnr_db
    assert chosen.speed_up_interval[0] <= chosen.speed_up <= chosen.speed_up_interval[1]
    assert 0.9 < chosen.top1 <= 1 and chosen.loss == chosen.accuracy["rel_l2"]["mean"]
    assert chosen.heldout["sqnr_db"]["mean"] > 30
    assert chosen.promised is True and chosen.certificate["samples"] == 360
    assert set(chosen.kept_nodes).isdisjoint(chosen.low_precision_nodes)
    assert f"--precision_mode={chosen.options['precision_mode']}" in chosen.arguments
    assert front.satisfied and not front.interrupted and front.model == str(model)


def test_written_files_name_the_mode_as_asked_for(model, samples, tmp_path):
    for write_v2, word in ((False, "--precision_mode="), (True, "--precision_mode_v2=")):
        folder = tmp_path / str(write_v2)
        halftone.tune(model, samples.inputs[:20], modes=["must_keep_origin_dtype"], output=folder, write_v2=write_v2,
                      **QUICK)
        arguments = [(point / "arguments.txt").read_text() for point in folder.glob("point_*")]
        assert arguments and all(word in text for text in arguments)


def test_a_stored_point_names_the_mode_as_asked_for(model, samples, tmp_path):
    bank = halftone.Bank(tmp_path / "bank")
    halftone.tune(model, samples.inputs[:20], modes=["must_keep_origin_dtype"], bank=bank.path, **QUICK)
    for write_v2, word in ((False, "--precision_mode="), (True, "--precision_mode_v2=")):
        folder = bank.save_point(model, tmp_path / str(write_v2), write_v2=write_v2)
        assert word in (folder / "arguments.txt").read_text()


def test_profiles_of_points_are_copies_of_the_one_that_the_compiler_dumped(model, samples, tmp_path):
    quantized = {**QUICK, "target": "cloud_ai_100", "quantize": "only"}
    halftone.tune(model, samples.inputs[:20], output=tmp_path / "own", **quantized)
    own = next((tmp_path / "own").glob("point_*/profile.yaml")).read_text()
    name = re.search(r"NodeOutputName: +(\S+)", own)[1]
    dumped = tmp_path / "dumped.yaml"
    dumped.write_text("---\nGraphPreLowerHash: 0x0123456789abcdef\n...\n---\n"
                      f"- NodeOutputName: {name}\n  Min: -3\n  Max: 3\n  Histogram: [ 1 ]\n...\n")
    with pytest.warns(halftone.HalftoneWarning, match="load_profile"):
        halftone.tune(model, samples.inputs[:20], output=tmp_path / "out", load_profile=dumped, **quantized)
    profiles = [path.read_text() for path in (tmp_path / "out").glob("point_*/profile.yaml")]
    assert profiles and all("0x0123456789abcdef" in text for text in profiles)


def test_rows_are_a_table(front):
    rows = front.to_rows()
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(rows)
    assert len(table) == len(front)
    assert {"speed_up", "sqnr_db", "worst_sqnr_db", "top1", "heldout_sqnr_db", "chosen"} <= set(table.columns)
    assert table.dtypes["speed_up"] == numpy.float64 and table["chosen"].sum() == 1


def test_reports(front):
    assert json.loads(front.report("json"))["front"][0]["plan_digest"] == front[0].plan_digest
    assert front.report("html").startswith("<!DOCTYPE html>")
    assert front.report("markdown").startswith("# Precision front of digits") and "speed_up" in front.report("csv")
    with pytest.raises(halftone.UsageError, match=r"report\('pdf'\): expected one of html, markdown, json, csv"):
        front.report("pdf")


def test_html_is_escaped_and_whole(front, monkeypatch):
    import xml.etree.ElementTree

    monkeypatch.setitem(front.facts["model"], "name", "<script>alert('x')</script>")
    text = front._repr_html_()
    assert "<script>" not in text and "&lt;script&gt;" in text
    tree = xml.etree.ElementTree.fromstring(text)  # every tag is closed
    assert len(tree.findall(".//{http://www.w3.org/2000/svg}circle")) == len(front)
    assert len(tree.findall(".//tbody/tr")) == len(front)


def test_texts_of_objects(front):
    assert repr(front).startswith(f"<halftone.Front of digits on host, {len(front)} point")
    assert "(chosen)" in repr(front.chosen) and "dB" in repr(front.chosen)


def test_saved_and_read_again(front, model, tmp_path):
    (tmp_path / "point_77").mkdir()
    (tmp_path / "point_77/arguments.txt").write_text("--precision_mode=force_fp16\n")
    saved = front.save(tmp_path)
    assert not (tmp_path / "point_77").exists(), "a folder never mixes two fronts"
    again = halftone.load_front(tmp_path, model)
    assert [p.plan_digest for p in again] == [p.plan_digest for p in front] == [p.plan_digest for p in saved]
    point = halftone.load_point(model, tmp_path / "point_1")
    assert point.plan_digest == front[0].plan_digest and point.speed_up == front[0].speed_up
    assert point.session().plan_digest == front[0].plan_digest


def test_saving_removes_what_halftone_wrote_and_nothing_else(front, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    point = tmp_path / "point_77"
    point.mkdir()
    (point / "arguments.txt").write_text("--precision_mode=force_fp16\n")
    (point / "keep.cfg").write_text("old")
    (point / "notes.txt").write_text("mine")
    (point / "point.json").write_text(json.dumps({"files": ["keep.cfg", "../victim", str(victim)]}))
    front.save(tmp_path)
    assert [entry.name for entry in point.iterdir()] == ["notes.txt"]
    assert victim.read_text() == "mine"


def test_folder_that_a_later_run_wrote_is_refused(front, tmp_path):
    saved = front.save(tmp_path)
    record = tmp_path / "point_1/point.json"
    record.write_text(record.read_text().replace(saved[0].plan_digest, "0" * 32))
    with pytest.raises(halftone.UsageError, match="holds another plan than point 1 of this front"):
        saved[0].session()


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", '{"model": 3}', '{"front": [1]}', "\x00"])
def test_damaged_files_are_one_sentence(front, model, tmp_path, text):
    saved = front.save(tmp_path)
    (tmp_path / "point_1/point.json").write_text(text)
    with pytest.raises(halftone.UsageError):
        halftone.load_point(model, tmp_path / "point_1")
    with pytest.raises(halftone.UsageError):
        saved[0].session()
    (tmp_path / "front.json").write_text(text)
    with pytest.raises(halftone.UsageError, match="front.json"):
        halftone.load_front(tmp_path)
    with pytest.raises(halftone.IoError, match="no front.json there"):
        halftone.load_front(tmp_path / "point_1")


@pytest.mark.parametrize("refused", [pickle.dumps, copy.copy, copy.deepcopy])
def test_no_copies(front, refused):
    for value in (front, front[0], front[0].session()):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            refused(value)


def test_forms_of_samples_are_the_same_samples(model, samples, tmp_path):
    few = samples.inputs[:20]
    path = tmp_path / "few.npy"
    numpy.save(path, few)

    class Tensor:  # as those of torch
        def __array__(self, dtype=None):
            return few if dtype is None else few.astype(dtype)

    bank = tmp_path / "bank"
    for inputs in (few, {"pixels": few}, str(path), path, [{"pixels": one} for one in few],
                   ({"pixels": one[None]} for one in few), iter(few), Tensor(), few.astype(">f4"),
                   few.repeat(2, axis=0)[::2], few.astype(numpy.float64)):
        halftone.tune(model, inputs, bank=bank, heldout_share=0, **QUICK)
    # A knowledge base knows samples by their content.
    assert len(halftone.Bank(bank).list()) == 1


def test_labels_and_sequences_of_samples(model, samples):
    front = halftone.tune(model, list(samples.inputs), list(samples.labels), heldout_share=0, **QUICK)
    assert front.reference["top1"] == pytest.approx(0.99)
    front = halftone.tune(model, samples.inputs, {"probabilities": samples.labels.astype(numpy.int32)},
                          heldout_share=0, **QUICK)
    assert front.reference["top1"] == pytest.approx(0.99)


def test_half_precision_samples(model, samples):
    halves = samples.inputs.astype(numpy.float16)
    front = halftone.tune(model, halves[:20], **QUICK)
    assert front.facts["data"]["samples"] + front.facts["data"]["heldout_samples"] == 20


def test_no_samples_is_a_warning(model):
    with pytest.warns(halftone.HalftoneWarning, match="samples are random"):
        front = halftone.tune(model, **QUICK)
    assert not front.facts["data"]["representative"]


BAD_INPUTS = [
    (lambda x: {"pixel": x}, halftone.UsageError, "has an array 'pixel', and the network no input of that name"),
    (lambda x: x[:, :, :4], halftone.ModelError, "'inputs': input 'pixels' expects float32 1x1x8x8"),
    (lambda x: x[:0], halftone.ModelError, "'inputs' holds no samples"),
    (lambda x: x.astype(numpy.int64), halftone.ModelError, "int64"),
    (lambda x: x.astype(object), halftone.UsageError, "dtype object, expected floats, integers or booleans"),
    (lambda x: x.astype(numpy.complex64), halftone.UsageError, "dtype complex64"),
    (lambda x: numpy.where(x == x.max(), numpy.nan, x), halftone.ModelError, "'inputs'"),
    (lambda x: numpy.where(x == x.max(), numpy.inf, x), halftone.ModelError, "'inputs'"),
    (lambda x: x.astype(numpy.longdouble), halftone.UsageError, "dtype float128, expected floats"),
    (lambda x: x.astype("M8[s]"), halftone.UsageError, "dtype datetime64[s]"),
    (lambda x: numpy.ma.masked_greater(x, 0.5), halftone.UsageError, "a masked array"),
    (lambda x: {"pixels": x, "more": x}, halftone.UsageError, "has an array 'more'"),
    (lambda x: numpy.float32(1), halftone.ModelError, "'inputs': input 'pixels' expects"),
    (lambda x: numpy.array("text"), halftone.UsageError, "dtype <U4"),
    (lambda x: [x[0], x[0, :, :4]], halftone.UsageError, "sample 1 is float32"),
    (lambda x: [{"pixels": x[0]}, {}], halftone.UsageError, "expected the same inputs in every sample"),
    (lambda x: [(x[0], 3)], halftone.UsageError, "sample 0 is a tuple"),
    (lambda x: [], halftone.UsageError, "holds no samples"),
    (lambda x: {}, halftone.UsageError, "an empty dictionary"),
    (lambda x: {0: x}, halftone.UsageError, "the key 0 is no text"),
    (lambda x: 5, halftone.UsageError, "a int, expected an array"),
    (lambda x: "/no/such/file.npy", halftone.IoError, "does not exist"),
]


@pytest.mark.parametrize("made, kind, message", BAD_INPUTS)
def test_bad_samples_are_one_sentence(model, samples, made, kind, message):
    with pytest.raises(kind) as raised:
        halftone.tune(model, made(samples.inputs[:20]), **QUICK)
    assert message in str(raised.value) and "\n" not in str(raised.value)


BAD_ARGUMENTS = [
    ({"goal": "min_sqnr=3"}, "min_sqnr"),
    ({"budget": "soon"}, "soon"),
    ({"budget": True}, "budget: a bool"),
    ({"metric": "top2"}, "metric=top2: expected one of"),
    ({"metric": 5}, "metric: a int"),
    ({"metric": len}, "metric_better=None: expected 'higher' or 'lower'"),
    ({"metric": len, "metric_better": "up"}, "metric_better='up'"),
    ({"quantize": "maybe"}, "quantize=maybe: expected one of off, on, only"),
    ({"target": "Ascend0"}, "Ascend0"),
    ({"modes": ["force_fp64"]}, "force_fp64"),
    ({"threads": 100000}, "threads"),
    ({"threads": -1}, "threads=-1: expected a whole number"),
    ({"threads": 1.5}, "threads=1.5: expected a whole number"),
    ({"seed": -1}, "seed=-1: expected a whole number from 0"),
    ({"seed": "one"}, "seed='one': expected a whole number from 0"),
    ({"modes": 7}, "modes=7: a int"),
    ({"max_samples": -1}, "max_samples=-1: expected a whole number from 0"),
    ({"heldout_share": 1.5}, "heldout_share=1.5: expected a number from 0 to 0.99"),
    ({"heldout_share": 0.5, "heldout_inputs": [0]}, "heldout_share belongs to inputs"),
    ({"confidence": 2}, "confidence"),
    ({"input_shapes": "pixels:1,1,9,9"}, "9"),
    ({"state": "a:b"}, "b"),
    ({"strategy": "magic"}, "magic"),
    ({"output": "/proc/none"}, "/proc/none"),
    ({"bank": "/proc/none"}, "/proc/none"),
    ({"load_profile": "profile.yaml"}, "load_profile is of the Cloud AI compiler"),
    ({"latency_budget": -1}, "latency_budget=-1"),
    ({"heldout_labels": [1]}, "heldout_labels belong to heldout_inputs"),
    ({"labels": "labels.npy"}, "labels: a path, and inputs are arrays"),
    ({"labels": [0.5] * 20}, "expected labels of an integer type"),
    ({"labels": [[1], [1, 2]]}, "labels: "),
    ({"labels": [10] * 20}, "has the label 10, the network has 10 classes"),
    ({"labels": [1] * 19}, "expected labels for 20 samples"),
]


@pytest.mark.parametrize("arguments, message", BAD_ARGUMENTS)
def test_bad_arguments_are_one_sentence(model, samples, arguments, message):
    with pytest.raises(halftone.Error) as raised:
        halftone.tune(model, samples.inputs[:20], **{**QUICK, **arguments})
    assert message in str(raised.value)


def test_kinds_of_errors_are_those_of_python(model, tmp_path):
    with pytest.raises(ValueError):
        halftone.tune(model, goal="nonsense=1")
    with pytest.raises(OSError):
        halftone.tune(tmp_path / "missing.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"no model")
    with pytest.raises(halftone.Error):
        halftone.tune(tmp_path / "bad.onnx")
    with pytest.raises(halftone.UsageError, match="model: a bytes"):
        halftone.tune(b"bytes")
    with pytest.raises(halftone.DatabaseError):
        halftone.Bank(tmp_path / "none").list()
    assert issubclass(halftone.Interrupted, KeyboardInterrupt)


def test_metric_gets_outputs_and_labels(model, samples):
    seen = []

    def right(outputs, classes, reference=None, samples=None):
        seen.append((outputs, classes, reference, samples))
        return (outputs["probabilities"].argmax(axis=1) == classes).astype(float)

    front = halftone.tune(model, samples.inputs, samples.labels, metric=right, metric_better="higher",
                          goal={"min_metric": 0.9}, confidence=None, heldout_share=0, **QUICK)
    tried, *_ = seen[0]  # one sample, before anything else
    assert tried["probabilities"].shape == (1, 10)
    outputs, classes, reference, names = seen[1]
    assert outputs["probabilities"].shape == (200, 10) and outputs["probabilities"].dtype == numpy.float32
    numpy.testing.assert_array_equal(classes, samples.labels)
    numpy.testing.assert_array_equal(outputs["probabilities"], reference["probabilities"])  # the first is float32
    assert names[3] == "inputs[3]"
    assert front.metric.startswith("function:") and "right@" in front.metric
    assert front.facts["metric"]["reference"] == pytest.approx(0.99)
    # The mean over samples of the function is that of the metric of the library.
    assert front.chosen.loss == pytest.approx(front.chosen.top1)
    assert front.chosen.accuracy[front.metric]["mean_interval"] is not None


def test_metric_of_outputs_alone_and_by_name(model, samples):
    calls = []

    def spread(outputs):
        return float(outputs["probabilities"].std())

    def named(outputs, *, labels):
        calls.append(labels)
        return 1.0

    front = halftone.tune(model, samples.inputs[:20], metric=spread, metric_better="lower", **QUICK)
    assert front.chosen.loss > 0
    halftone.tune(model, samples.inputs[:20], metric=named, metric_better="lower", **QUICK)
    assert calls and calls[0] is None, "there are no labels"


def test_what_a_metric_raises_comes_out(model, samples):
    def broken(outputs):
        raise LookupError("of the metric")

    with pytest.raises(LookupError, match="of the metric"):
        halftone.tune(model, samples.inputs[:20], metric=broken, metric_better="lower", **QUICK)
    with pytest.raises(TypeError, match="returned None"):
        halftone.tune(model, samples.inputs[:20], metric=lambda outputs: None, metric_better="lower", **QUICK)
    with pytest.raises(halftone.UnsupportedError, match="infinite or NaN"):
        halftone.tune(model, samples.inputs[:20], metric=lambda outputs: numpy.nan, metric_better="lower", **QUICK)
    with pytest.raises(halftone.UnsupportedError, match="gave 3 numbers"):
        halftone.tune(model, samples.inputs[:20], metric=lambda outputs: [1, 2, 3], metric_better="lower", **QUICK)


def test_changed_metric_has_another_name():
    from halftone._metric import name_of

    assert name_of(lambda outputs: 1.0) != name_of(lambda outputs: 2.0)
    same = [name_of(lambda outputs: 3.0) for _ in range(2)]
    assert same[0] == same[1]


def test_progress_is_told(model, samples):
    told = []
    front = halftone.tune(model, samples.inputs[:20], **{**QUICK, "on_progress": told.append})
    phases = {now.phase for now in told}
    assert {"plan", "search", "confirm"} <= phases
    assert all(isinstance(now, halftone.Progress) and str(now) for now in told)
    assert max(now.measured for now in told) > 0 and not front.interrupted


def test_callback_stops_the_search(model, samples):
    front = halftone.tune(model, samples.inputs[:20],
                          **{**QUICK, "budget": "10min", "on_progress": lambda now: now.measured < 2})
    assert front.interrupted and len(front) >= 1
    assert front[0].session().plan_digest == front[0].plan_digest


def test_other_threads_go_on(model, samples):
    """The lock of the interpreter is free meanwhile, and a thread that is not the main one may tune."""
    done = []

    def work():
        done.append(halftone.tune(model, samples.inputs, **{**QUICK, "budget": 4}))

    thread = threading.Thread(target=work)
    thread.start()
    rounds = 0
    while thread.is_alive():
        rounds += 1
        time.sleep(0.001)
    thread.join()
    assert len(done) == 1 and rounds > 20


def test_what_a_callback_raises_comes_out(model, samples):
    def broken(now):
        raise LookupError("of the callback")

    with pytest.raises(LookupError, match="of the callback"):
        halftone.tune(model, samples.inputs[:20], **{**QUICK, "on_progress": broken})


def test_output_folder_is_that_of_the_command_line(model, samples, tmp_path):
    front = halftone.tune(model, samples.inputs[:20], output=tmp_path / "out", **QUICK)
    assert front.folder == tmp_path / "out"
    for name in ("report.html", "report.md", "front.json", "front.csv", "point_1/arguments.txt"):
        assert (tmp_path / "out" / name).is_file()
    del front
    assert (tmp_path / "out/front.json").is_file()


def test_temporary_folder_goes_with_the_front(model, samples):
    front = halftone.tune(model, samples.inputs[:20], **QUICK)
    folder, point = front.folder, front[0]
    del front
    assert folder.is_dir() and point.session(), "the point keeps it"
    del point
    assert not folder.exists()


def test_warnings_are_those_of_the_front(model, samples):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        front = halftone.tune(model, samples.inputs[:20].astype(numpy.float64), **QUICK)
    texts = {str(one.message) for one in caught if one.category is halftone.HalftoneWarning}
    assert set(front.warnings) <= texts
    assert any("double values" in text for text in texts)
