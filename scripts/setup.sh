# What quickstart.sh and test.sh share: packages, number of jobs, configure and build. Sourced.
# shellcheck shell=bash

repository=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '== %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# packages_of <group>...: the names in packages.txt that belong to these groups.
packages_of() {
  awk -v groups="$*" '
    BEGIN { split(groups, list, " "); for (i in list) wanted[list[i]] = 1 }
    { sub(/#.*/, "") }
    NF && ($2 in wanted) { print $1 }' "$repository/scripts/packages.txt"
}

# Those of the given packages that dpkg does not report as installed.
missing_packages() {
  local package
  for package in "$@"; do
    # Several lines for several architectures; an error, so nothing, for a name never seen here.
    if ! dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -x installed >/dev/null; then
      printf '%s\n' "$package"
    fi
  done
}

# require_packages <group>...: installs what is missing; touches neither network nor apt otherwise.
require_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here: packages not checked (scripts/packages.txt lists them); CMake names what it misses"
    return
  fi
  local wanted missing
  mapfile -t wanted < <(packages_of "$@")
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]} == 0)); then
    return
  fi
  local as_root=() command="apt-get install --no-install-recommends ${missing[*]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing. Run as root: apt-get update && $command"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update || fail "apt-get update failed; what is missing needs: $command"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${missing[@]}" ||
    fail "could not install all packages. Run as root: apt-get update && $command"
}

# require_packages_without_services <group>...: the same for packages with daemons. What it installs starts no service, neither
# now nor at the next boot. What was installed before stays as it is.
require_packages_without_services() {
  local wanted missing package service as_root=() policy=/usr/sbin/policy-rc.d status=0
  mapfile -t wanted < <(packages_of "$@")
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]} == 0)) || ! command -v dpkg-query >/dev/null; then
    require_packages "$@"
    return
  fi
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing: ${missing[*]}. Install them as root; none of their services has to run"
    as_root=(sudo)
  fi
  (
    # Debian asks this program whether an installed service may start; 101 is no.
    if [[ ! -e $policy ]]; then
      trap '"${as_root[@]}" rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install --mode=755 /dev/stdin "$policy" ||
        fail "could not write $policy, without which the packages would start services"
    fi
    require_packages "$@"
  ) || status=$?
  for package in "${missing[@]}"; do
    for service in $(dpkg-query -L "$package" 2>/dev/null | sed -n 's|^/etc/init[.]d/||p'); do
      "${as_root[@]}" update-rc.d "$service" disable
    done
  done
  return "$status"
}

# Compiler processes at a time: one a core, but no more than memory holds. The largest files take
# 1.5 GB (gcc 12, -O2); a container's limit counts where there is one.
build_jobs() {
  local kb limit jobs cores
  kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
  if [[ $limit != max ]] && ((limit / 1024 < kb)); then
    kb=$((limit / 1024))
  fi
  jobs=$((kb / 1572864))
  cores=$(nproc)
  ((jobs <= cores)) || jobs=$cores
  ((jobs >= 1)) || jobs=1
  echo "$jobs"
}

# What build_preset adds to the preset; the build folder remembers it.
cmake_options=()

# build_preset <preset> [target...]: into build/<preset>, as CMakePresets.json says; no target: all.
build_preset() {
  local preset=$1 jobs
  shift
  jobs=$(build_jobs)
  local options=("${cmake_options[@]}")
  if command -v ccache >/dev/null; then
    # The sloppiness that ccache needs to cache files with precompiled headers.
    options+=("-DCMAKE_CXX_COMPILER_LAUNCHER=cmake;-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache")
  fi
  # A compiler that the tests do not build with may warn of more.
  if [[ $preset == release && $("${CXX:-c++}" -dumpversion) != 12* ]]; then
    options+=(-DHALFTONE_WARNINGS_AS_ERRORS=OFF)
  fi
  say "configuring build/$preset"
  cmake --preset "$preset" "${options[@]}"
  say "building with $jobs jobs"
  cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}
}
