#!/usr/bin/env bash
# Tries the packages of scripts/package.sh in a clean Debian 12: installs them by apt, runs the program, tunes the
# shipped example, builds programs against libhalftone-dev, runs a point from C++, C and Python, and removes them.
#   scripts/check_packages.sh [--base=FILE.tar] [--mirror=URL] [FOLDER]      FOLDER: build/release/packages
# --base: the clean system, unpacked in place of what debootstrap makes; a file that is not there yet is written.
# Needs root, debootstrap and a mirror. Writes below a temporary folder that it removes; mounts are its own.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh

base=
mirror=http://deb.debian.org/debian
packages=build/release/packages
for argument in "$@"; do
  case $argument in
    --base=?*) base=${argument#*=} ;;
    --mirror=?*) mirror=${argument#*=} ;;
    -*) fail "expected --base=FILE.tar or --mirror=URL, found '$argument'" ;;
    *) packages=$argument ;;
  esac
done

shopt -s nullglob
debs=("$packages"/*.deb)
((${#debs[@]} > 0)) || fail "expected packages in $packages, found none; scripts/package.sh makes them"
((EUID == 0)) || fail "expected root, which debootstrap and chroot need; run it with sudo"
command -v debootstrap >/dev/null || fail "debootstrap is missing; apt-get install debootstrap"

root=$(mktemp -d)
trap 'rm -rf --one-file-system -- "$root"' EXIT
if [[ -s $base ]]; then
  say "unpacking $base"
  tar -C "$root" -xf "$base"
else
  say "making a clean Debian 12 from $mirror"
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -5 "$root.log"; rm -f -- "$root.log"; fail "debootstrap failed; is $mirror there?"; }
  rm -f -- "$root.log"
  if [[ $base ]]; then
    tar -C "$root" -cf "$base" .
  fi
fi
mkdir "$root/packages"
cp -- "${debs[@]}" "$root/packages/"
# The clean system may have been made elsewhere.
cp -- /etc/resolv.conf "$root/etc/resolv.conf"

cat >"$root/packages/smoke.sh" <<'SMOKE'
set -euo pipefail
say() { printf '== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
# require_text <text> <command...>: the command's output has the text.
require_text() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "'$*' failed: $output"
  [[ $output == *"$text"* ]] || fail "'$*': expected '$text', found: $output"
}
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
mount -t proc proc /proc
apt-get update -qq
install() { apt-get install -qq --no-install-recommends "$@" >/packages/apt.log 2>&1 || { tail -20 /packages/apt.log; fail "apt-get install $*"; }; }

say "halftone alone"
install ./halftone_*.deb
require_text "halftone 0." halftone --version
[[ -s /usr/share/man/man1/halftone.1.gz && -s /usr/share/bash-completion/completions/halftone ]] ||
  fail "expected the manual page and the completion"
digits=/usr/share/doc/halftone/examples/digits
cd /root
halftone tune --model=$digits/model.onnx --inputs=$digits/search_inputs.npy --labels=$digits/search_labels.npy \
  --heldout_inputs=$digits/heldout_inputs.npy --heldout_labels=$digits/heldout_labels.npy \
  --budget=15s --op_bank_path=bank --output=out >tune.txt 2>&1 || { tail -20 tune.txt; fail "tune"; }
[[ -s out/report.html && -s out/point_1/point.json ]] || fail "tune: expected out/report.html and out/point_1"
require_text "speed-up" halftone run --model=$digits/model.onnx --inputs=$digits/heldout_inputs.npy --point=out/point_1

say "libhalftone-dev"
install /packages/libhalftone0_*.deb /packages/libhalftone-dev_*.deb g++ cmake make
examples=/usr/share/doc/libhalftone-dev/examples
mkdir consumer
cat >consumer/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(halftone REQUIRED)
add_executable(run_point /usr/share/doc/libhalftone-dev/examples/04_run_point.cc)
target_link_libraries(run_point PRIVATE halftone::halftone)
CMAKE
cmake -S consumer -B consumer/build -DCMAKE_BUILD_TYPE=Release >cmake.txt || { tail cmake.txt; fail "find_package(halftone)"; }
cmake --build consumer/build >>cmake.txt 2>&1 || { tail -20 cmake.txt; fail "building a program of C++"; }
require_text "the digit is a 7, on every thread" consumer/build/run_point $digits/model.onnx out/point_1
# Words of pkg-config are options.
# shellcheck disable=SC2046
gcc -std=c11 $examples/05_run_point.c $(pkg-config --cflags --libs halftone) -o run_point_c
require_text "the digit is a 7" ./run_point_c $digits/model.onnx out/point_1

if compgen -G '/packages/python3-halftone_*.deb' >/dev/null; then
  say "python3-halftone"
  install /packages/python3-halftone_*.deb
  python3 - $digits >python.txt 2>&1 <<'PYTHON' || { tail -20 python.txt; fail "tuning in Python"; }
import sys

import halftone
import numpy

digits = sys.argv[1]
inputs, labels = numpy.load(digits + "/search_inputs.npy"), numpy.load(digits + "/search_labels.npy")
front = halftone.tune(digits + "/model.onnx", inputs, labels, budget="10s", output="python_out", on_progress=False)
session = front[0].session(threads=1)
scores, = session.run(None, {"pixels": inputs[:1]})
again, = halftone.Session(digits + "/model.onnx", point="out/point_1", threads=1).run(None, {"pixels": inputs[:1]})
assert scores.shape == again.shape == (1, 10)
PYTHON
  require_text "the digit is a 7" consumer/build/run_point $digits/model.onnx python_out/point_1
  require_text "speed-up" halftone run --model=$digits/model.onnx --inputs=$digits/heldout_inputs.npy \
    --point=python_out/point_1
fi

say "removing them"
apt-get purge -qq '.*halftone.*' >/packages/apt.log 2>&1 || fail "apt-get purge"
left=$(find /usr \( -name '*halftone*' \) | head -5)
[[ -z $left ]] || fail "left behind: $left"
SMOKE

say "in $root: $(cd -- "$packages" && echo *.deb)"
# Mounts of the shell inside end with it.
unshare --mount --pid --fork chroot "$root" /bin/bash -c 'cd /packages && bash smoke.sh'
say "the packages work"
