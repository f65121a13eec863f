"""Errors and warnings call options as Python does: no option of the command line, no function of C++."""

import re

import numpy
import pytest

import halftone

OPTION = re.compile(r"(?<![\w-])--[a-z]|AddShape")
# A command line to type, "halftone explain --machine", is one in every language.
COMMAND = re.compile(r"halftone [a-z-]+( --[a-z_]+)+")


def option_in(text):
    """The option of the command line that a sentence names outside of a command; None: none."""
    return OPTION.search(COMMAND.sub("", text))


def test_commands_are_no_options():
    assert option_in("it is slow (halftone explain --machine says why)") is None
    assert option_in("give --inputs, as halftone run --point does") is not None
    assert option_in("halftone: --inputs is missing") is not None


# Calls that fail, or warn, in functions that take options; {model} and {folder} are filled in.
CALLS = {
    "shape_of_tune": lambda model, folder: halftone.tune(model, input_shapes="pixels:1,1,9,9", budget=1),
    "shape_of_run": lambda model, folder: halftone.run(model, input_shape="pixels:1,1,9,9"),
    "shape_of_session": lambda model, folder: halftone.Session(model, input_shapes="pixels:1,1,9,9"),
    "shape_of_no_input": lambda model, folder: halftone.explain(model, input_shape="nope:1"),
    "mode": lambda model, folder: halftone.explain(model, precision_mode="nope"),
    "two_modes": lambda model, folder: halftone.explain(model, precision_mode="force_fp16", precision_mode_v2="fp16"),
    "lists": lambda model, folder: halftone.explain(model, precision_mode="force_fp16",
                                                    modify_mixlist=written(folder / "m.json", '{"white-list": {}}')),
    "implementations": lambda model, folder: halftone.explain(model, op_select_implmode="nope"),
    "types": lambda model, folder: halftone.explain(model, optypelist_for_implmode="Relu"),
    "outputs": lambda model, folder: halftone.explain(model, output_type="nope"),
    "inputs": lambda model, folder: halftone.explain(model, input_fp16_nodes="nope"),
    "target": lambda model, folder: halftone.explain(model, target="nope"),
    "node": lambda model, folder: halftone.explain(model, node="nope"),
    "point": lambda model, folder: halftone.run(model, point=folder),
    "bank": lambda model, folder: halftone.Bank(folder).list(),
    "session_of_bank": lambda model, folder: halftone.Session(model, bank=folder),
    "metric": lambda model, folder: halftone.tune(model, metric="nope", budget=1),
    "metric_better": lambda model, folder: halftone.run(model, metric="command:true"),
    "strategy": lambda model, folder: halftone.tune(model, strategy="nope", budget=1),
    "state": lambda model, folder: halftone.run(model, state="nope"),
    "image": lambda model, folder: halftone.run(model, numpy.zeros((2, 1, 8, 8), "float32"), image="range=1"),
    "measure": lambda model, folder: halftone.run(model, measure="nope"),
    "goal": lambda model, folder: halftone.tune(model, goal="nope=1", budget=1),
    "quantize": lambda model, folder: halftone.tune(model, quantize="nope", budget=1),
    "switches": lambda model, folder: halftone.tune(model, fusion_switch_file=folder / "nope", budget=1),
}


def written(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", CALLS)
def test_an_error_has_the_words_of_python(name, model, tmp_path):
    with pytest.raises(halftone.Error) as raised:
        CALLS[name](model, tmp_path)
    assert option_in(str(raised.value)) is None, str(raised.value)


def test_another_shape_is_told_of_add_shape(model):
    session = halftone.Session(model)
    with pytest.raises(halftone.Error) as raised:
        session.run({"pixels": numpy.zeros((1, 1, 9, 9), "float32")})
    assert "add_shape()" in str(raised.value)
    assert option_in(str(raised.value)) is None, str(raised.value)


def test_warnings_and_verdicts_have_the_words_of_python(model, tmp_path):
    with pytest.warns(halftone.HalftoneWarning) as warned:
        front = halftone.tune(model, budget=2, bank=tmp_path / "bank", operator_tuning="off")
    texts = [str(each.message) for each in warned] + [front.verdict] + front.warnings
    assert any("the samples are random" in text for text in texts), texts
    for text in texts + halftone.run(model).warnings:
        assert option_in(text) is None, text
