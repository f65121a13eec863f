#!/usr/bin/env bash
# Builds everything with warnings as errors and runs every test.
#
#   scripts/test.sh                      Release: all tests, the slow ones too; the build of quickstart.sh. Files that changed lately
#                                        are compiled by themselves as well
#   scripts/test.sh test                 the same with each file compiled by itself
#   scripts/test.sh asan|tsan            the fast tests under sanitizers
#   scripts/test.sh dev|clang            Debug; Release with clang 14
#   scripts/test.sh fuzz                 each parser for a minute with clang's libFuzzer
#   scripts/test.sh tidy                 clang-tidy over every file (a build, no tests)
#   scripts/test.sh fleet                `halftone fleet` on a Slurm cluster in a folder, which other presets skip without Slurm;
#                                        installs Slurm, but enables and starts no service
#   scripts/test.sh [preset] -R search   what follows the preset goes to ctest
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh

preset="release"
if (($# > 0)) && [[ $1 != -* ]]; then
  preset=$1
  shift
fi

case $preset in
  release | test) require_packages build python test ;;
  dev | asan | tsan) require_packages build test ;;
  tidy | clang | fuzz) require_packages build test lint ;;
  fleet)
    require_packages build
    require_packages_without_services slurm
    build_preset release halftone
    HALFTONE_REQUIRE_SLURM=1 ctest --preset release --label-regex '^slurm$' "$@"
    exit
    ;;
  *) fail "unknown preset '$preset': expected release, test, dev, asan, tsan, clang, fuzz, tidy or fleet" ;;
esac
if [[ $preset == release || $preset == test ]]; then
  cmake_options=(-DHALFTONE_PYTHON=ON)
fi
build_preset "$preset"
if [[ $preset == release ]]; then
  # What groups hide, in files that changed lately; preset test compiles every file by itself.
  cmake --preset test -B build/alone -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${cmake_options[@]}" >build/alone.log 2>&1 ||
    fail "could not configure build/alone: see build/alone.log"
  say "compiling changed files by themselves"
  python3 -B scripts/compile_alone.py build/alone
fi
if [[ $preset == tidy ]]; then
  say "clang-tidy found nothing"
  exit
fi
ctest --preset "$preset" --parallel "$(nproc)" "$@"
