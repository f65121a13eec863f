#!/usr/bin/env python3
"""Packs the built Python package as a wheel: a build backend for pip, and a program.

    src/python/build_backend.py FOLDER    # the wheel of build/release, or of $HALFTONE_BUILD, into FOLDER
    pip wheel src/python                  # the same

Builds with CMake (HALFTONE_PYTHON=ON) where the module is not there. The wheel is for this Python and this kind of
machine, and needs Debian's shared libraries (docs/guide/python.md). Python standard library only.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAME = "halftone"


def _version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(halftone VERSION ([0-9.]+)", text).group(1)


def _tag():
    """"cp311-cp311-linux_x86_64": interpreter, its interface, machine."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[^a-zA-Z0-9]', '_', sysconfig.get_platform())}"


def _package():
    """The folder of the built package."""
    build = pathlib.Path(os.environ.get("HALFTONE_BUILD", ROOT / "build/release"))
    package = build / "python" / NAME
    module = "_halftone" + sysconfig.get_config_var("EXT_SUFFIX")
    if not (package / module).is_file():
        if "HALFTONE_BUILD" in os.environ:
            sys.exit(f"error: expected {package / module}, found none; configure with -DHALFTONE_PYTHON=ON and build "
                     "halftone_python")
        subprocess.run(["cmake", "--preset", "release", "-DHALFTONE_PYTHON=ON",
                        f"-DPython_EXECUTABLE={sys.executable}"], cwd=ROOT, check=True)
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "halftone_python"], cwd=ROOT, check=True)
    return package, module


def _metadata():
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {_version()}\n"
            "Summary: Finds the fastest mix of precisions that keeps an ONNX network accurate\n"
            f"Requires-Python: =={sys.version_info.major}.{sys.version_info.minor}.*\nRequires-Dist: numpy\n")


def _record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def _write(folder, files):
    """The archive; dates are fixed, so that equal files give equal wheels. Returns its name."""
    info = f"{NAME}-{_version()}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: halftone\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    files = {**files, f"{info}/METADATA": _metadata().encode(), f"{info}/WHEEL": wheel.encode(),
             f"{info}/top_level.txt": f"{NAME}\n".encode()}
    record = "\n".join(_record_line(name, content) for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}\n{info}/RECORD,,\n".encode()
    name = f"{NAME}-{_version()}-{_tag()}.whl"
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            member = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            member.external_attr = (0o755 if path.endswith(".so") else 0o644) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517."""
    package, module = _package()
    sources = pathlib.Path(__file__).resolve().parent / NAME
    files = {f"{NAME}/{path.name}": path.read_bytes() for path in sorted(sources.iterdir())
             if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
    files[f"{NAME}/{module}"] = (package / module).read_bytes()
    return _write(wheel_directory, files)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: src/python/build_backend.py FOLDER")
    print(pathlib.Path(sys.argv[1]) / build_wheel(sys.argv[1]))
