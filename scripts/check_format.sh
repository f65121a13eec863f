#!/usr/bin/env bash
# Fails when clang-format 14 would change a C++ file. To mend: clang-format-14 -i <file>.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# What git tracks; in an unpacked archive, what lies in the source folders.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  mapfile -d '' -t files < <(git ls-files -z --cached -- '*.h' '*.cc')
else
  mapfile -d '' -t files < <(find include src kernels search knowledge_base bench labs tests examples -name '*.h' -print0 -o -name '*.cc' -print0)
fi
present=()
for file in "${files[@]}"; do
  [[ -f $file ]] && present+=("$file")
done
((${#present[@]} > 0)) || { echo "error: no C++ files found in $PWD" >&2; exit 1; }
clang-format-14 --dry-run -Werror "${present[@]}"
