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
if [[ $build_it ]]; then
  require_packages build python
  # The build folder remembers it.
  cmake --preset release -DHALFTONE_PYTHON=ON >/dev/null
  build_preset release
fi
[[ -f $build/CPackConfig.cmake ]] || fail "expected $build/CPackConfig.cmake, found none; build first, without --no-build"

packages=$build/packages
rm -rf -- "$packages"
say "packing into $packages"
# What CPack copies lies there, too, and is of no use later.
(cd -- "$build" && cpack -G DEB)
rm -rf -- "$packages/_CPack_Packages"
ls -l -- "$packages"
