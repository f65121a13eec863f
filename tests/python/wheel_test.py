"""The wheel, in an environment of its own that has Debian's numpy and nothing of the build."""

import os
import subprocess
import sys
import venv
import zipfile

import pytest

from conftest import DIGITS, SOURCE

BUILD = os.environ.get("HALFTONE_BUILD")

SMOKE = """
import numpy, halftone
assert {environment!r} in halftone.__file__, halftone.__file__
inputs = numpy.load({inputs!r})
front = halftone.tune({model!r}, inputs[:40], budget=3, quantize="off", operator_tuning="off", threads=1,
                      on_progress=False)
output, = front[0].session(threads=1).run(None, {{"pixels": inputs[:1]}})
print(halftone.__version__, output.shape)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not BUILD:
        pytest.skip("HALFTONE_BUILD names no build")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, SOURCE / "src/python/build_backend.py", folder], check=True)
    path, = folder.iterdir()
    return path


def test_names_and_record(wheel):
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name.startswith("halftone-") and wheel.name.endswith(f"-{python}-{python}-linux_x86_64.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        record = archive.read(next(name for name in names if name.endswith("/RECORD"))).decode()
    assert sorted(line.split(",")[0] for line in record.splitlines()) == sorted(names)
    assert {"halftone/__init__.py", "halftone/py.typed", "halftone/_halftone.pyi"} <= set(names)
    assert len([name for name in names if name.endswith(".so")]) == 1


def test_installed_into_a_fresh_environment(wheel, tmp_path):
    pytest.importorskip("pip")
    environment = tmp_path / "environment"
    venv.create(environment, system_site_packages=True, with_pip=False)
    python = environment / "bin/python3"
    subprocess.run([sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--quiet",
                    "--disable-pip-version-check", wheel], check=True)
    script = SMOKE.format(environment=str(environment), model=str(DIGITS / "model.onnx"),
                          inputs=str(DIGITS / "search_inputs.npy"))
    without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run([python, "-W", "ignore", "-c", script], capture_output=True, text=True, env=without)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.endswith("(1, 10)\n")
