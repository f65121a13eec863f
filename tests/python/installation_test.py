"""The operator library of an Ascend installation, as the variables of its set_env.sh name it."""

import pytest

import halftone


def explained(model, **options):
    return str(halftone.explain(model, target="Ascend310P3", **options))


@pytest.fixture
def machine(monkeypatch):
    """The variables of a machine, which a test sets."""
    for name in ("HALFTONE_OPS_INFO", "ASCEND_OPP_PATH", "ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_a_folder_without_a_library_is_a_warning(model, machine, tmp_path):
    machine.setenv("HALFTONE_OPS_INFO", "builtin")
    plan = explained(model)
    machine.delenv("HALFTONE_OPS_INFO")
    machine.setenv("ASCEND_OPP_PATH", str(tmp_path / "nowhere"))
    with pytest.warns(halftone.HalftoneWarning, match="ASCEND_OPP_PATH names the folder .*nowhere"):
        assert explained(model) == plan


def test_its_library_takes_the_place_of_the_built_in_one(model, machine, tmp_path):
    library = tmp_path / "opp/built-in/op_impl/ai_core/tbe/config/ascend310p/aic-ascend310p-ops-info.json"
    library.parent.mkdir(parents=True)
    library.write_text('{"Relu": {"input0": {"dtype": "float16"}, "output0": {"dtype": "float16"}}}')
    machine.setenv("ASCEND_TOOLKIT_HOME", str(tmp_path))
    with pytest.raises(halftone.Error, match="EZ3003"):  # the network has more than Relu
        explained(model)
    explained(model, ops_info="builtin")
