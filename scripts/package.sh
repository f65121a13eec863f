#!/usr/bin/env bash
# Builds the Debian packages, and the Python wheel where the build has the Python package, into build/release/packages:
#   scripts/package.sh               builds first
#   scripts/package.sh --no-build    packs what build/release holds
# Installs nothing; scripts/check_packages.sh tries the packages in a clean Debian 12.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/setup.sh
source scripts/setup.sh

build=build/release
case ${1:-} in
  '') build_it=yes ;;
  --no-build) build_it= ;;
  *) fail "expected --no-build or nothing, found '$1'" ;;
esac
require_packages build python package
if [[ $build_it ]]; then
  # Read by build_preset.
  # shellcheck disable=SC2034
  cmake_options=(-DHALFTONE_PYTHON=ON)
  build_preset release halftone halftone_shared halftone_python halftone_python_files
fi
[[ -f $build/CPackConfig.cmake ]] || fail "expected $build/CPackConfig.cmake, found none; build first, without --no-build"

packages=$build/packages
rm -rf -- "$packages"
say "packing into $packages"
# What CPack copies lies there, too, and is of no use later.
(cd -- "$build" && cpack -G DEB)
rm -rf -- "$packages/_CPack_Packages"
if [[ -d $build/python ]]; then
  HALFTONE_BUILD=$build /usr/bin/python3 src/python/build_backend.py "$packages"
fi
ls -l -- "$packages"
