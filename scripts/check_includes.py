#!/usr/bin/env python3
"""Checks the include rules of include_rules.py and draws docs/internals/dependencies.svg from them.

    scripts/check_includes.py           # checks; a finding a line, exit code 1 if there are any
    scripts/check_includes.py --draw    # writes docs/internals/dependencies.svg

Python standard library only. Reads the files on disk, not the index.
"""
import argparse
import fnmatch
import pathlib
import re
import sys

import draw_dependencies
from include_rules import (FOLDERS, LONG_FILES, LOOK_AGAIN_ABOVE, MEASURING, MOST_PUBLIC_HEADERS, PUBLIC_FOLDER, TEST_ROOT,
                           TEST_SUPPORT, THIRD_PARTY, Folder, covering_row, is_within, top_folders)

_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# Some libraries are by custom included with quotes.
_LIBRARIES = tuple(prefix for prefix, _ in THIRD_PARTY)
_PICTURE = "docs/internals/dependencies.svg"


def table_findings(folders=FOLDERS):
    """The table itself: rows name only rows above them."""
    seen = []
    for folder in folders:
        headers = [covering_row(h, folders) for h in folder.headers]
        for name in (*folder.may, *(row.name if row else "no row" for row in headers)):
            # A row inside the named folder has its direct files alone; any other row has all of it.
            named = [f for f in folders if f.name == name or
                     (is_within(f.name, name) and not is_within(folder.name, name))]
            if not named or not all(f in seen for f in named):
                yield f"include_rules.py: {folder.name} names {name}, which is not in a row above it"
        seen.append(folder)


def sources(root):
    """All C++ files, as paths relative to the root, sorted."""
    tops = sorted({f.name.split("/")[0] for f in (*FOLDERS, *MEASURING)} | {TEST_ROOT})
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc"):
                yield path.relative_to(root).as_posix()


def includes(root, path):
    """(line number, '<' or '\"', name) of every include."""
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        match = _INCLUDE.match(line)
        if match:
            # The public headers, as programs outside the tree include them.
            is_public = match[2].startswith("halftone/")
            yield number, '"' if is_public else match[1], f"include/{match[2]}" if is_public else match[2]


def rule_for(path):
    """The row that governs a file; None for a file that no row covers."""
    if path.startswith(TEST_ROOT + "/"):
        return _test_rule(path)
    return covering_row(path, (*FOLDERS, *MEASURING))


def _test_rule(path):
    everything = (*(f.name for f in FOLDERS), TEST_SUPPORT)
    name = path.split("/")[1]
    if name in ("support", "cli", "fuzz"):
        return Folder(f"{TEST_ROOT}/{name}", "", may=everything)
    if name == "install":  # a program outside the repository
        return Folder(f"{TEST_ROOT}/{name}", "")
    for folder in top_folders((*FOLDERS, *MEASURING)):
        if folder.name.split("/")[-1] == name:
            return Folder(f"{TEST_ROOT}/{name}", "", may=(*folder.may, folder.name, TEST_SUPPORT),
                          headers=folder.headers)
    return None


def _may_include(rule, name):
    if name in rule.headers or is_within(name, PUBLIC_FOLDER):
        return True
    row = rule_for(name)
    if row is None:
        return False
    if row.name == rule.name:
        return True
    # A folder that the row lies in is named for its direct files, any other one with all inside.
    return any(row.name == may if is_within(rule.name, may) else name.startswith(may + "/")
               for may in rule.may)


def _own_include_finding(root, rule, name):
    if not (root / name).is_file():
        return f'"{name}" does not exist: includes are relative to the repository root'
    if _may_include(rule, name):
        return None
    may = ", ".join((*rule.may, *rule.headers)) or "nothing else of ours"
    return f'{rule.name} may not include "{name}"; it may include {may}'


def _other_include_finding(path, name):
    if "." not in name and "/" not in name:
        return None  # the standard library
    for prefix, patterns in THIRD_PARTY:
        if name.startswith(prefix):
            if any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns):
                return None
            return f"<{name}> may only be included by {', '.join(patterns)}"
    return f"<{name}> is not in the table of third-party headers (scripts/include_rules.py)"


def file_findings(root, path):
    text = (root / path).read_text(encoding="utf-8")
    lines = text.count("\n")
    if lines > LOOK_AGAIN_ABOVE and path not in LONG_FILES:
        yield (f"{path}: {lines} lines, look again above {LOOK_AGAIN_ABOVE}: split it if it holds several concepts, "
               "else give the reason in LONG_FILES (scripts/include_rules.py)")
    # Highway compiles an -inl.h once per instruction set: its guard toggles instead.
    guard = "#if defined(HALFTONE_" if path.endswith("-inl.h") else "#pragma once"
    if path.endswith(".h") and not re.search(f"^{re.escape(guard)}", text, re.MULTILINE):
        yield f"{path}: no '{guard}'"
    rule = rule_for(path)
    if rule is None:
        yield f"{path}: no row of scripts/include_rules.py covers this file"
        return
    for number, bracket, name in includes(root, path):
        if bracket == '"' and not name.startswith(_LIBRARIES):
            finding = _own_include_finding(root, rule, name)
        else:
            finding = _other_include_finding(path, name)
        if finding:
            yield f"{path}:{number}: {finding}"


def long_file_findings(root, long_files=LONG_FILES):
    """Rows of files that are gone, or no longer long."""
    for path in long_files:
        file = root / path
        lines = file.read_text(encoding="utf-8").count("\n") if file.is_file() else 0
        if lines <= LOOK_AGAIN_ABOVE:
            yield f"include_rules.py: LONG_FILES names {path}, which has {lines} lines: remove its row"


def public_header_findings(root):
    """The public headers are few. (What they include: their row in FOLDERS, and THIRD_PARTY.)"""
    headers = list((root / PUBLIC_FOLDER).glob("*.h"))
    if len(headers) > MOST_PUBLIC_HEADERS:
        yield (f"{PUBLIC_FOLDER}: {len(headers)} headers, at most {MOST_PUBLIC_HEADERS} are allowed: join some, "
               "or leave to the inside what no program needs")


def component_findings(root):
    """Kernel families that include the code of a shared component which their table does not name."""
    shared = root / "kernels/shared_components.h"
    text = shared.read_text(encoding="utf-8") if shared.is_file() else ""
    for comment, component in re.findall(r"((?:^//.*\n)+)inline constexpr Component (\w+)", text, re.MULTILINE):
        headers = re.findall(r"kernels/[\w/-]+\.h", comment)
        yield from (f"kernels/shared_components.h: {component} names {header}, which is not there"
                    for header in headers if not (root / header).is_file())
        for table in sorted((root / "kernels").glob("*/table.cc")):
            rows = table.read_text(encoding="utf-8")
            if component in rows or (component == "kPanels" and "TileRow(" in rows):
                continue
            others = [header for header in headers if (root / header).parent != table.parent]
            for path in sorted(table.parent.iterdir()):
                used = [name for _, _, name in includes(root, path.relative_to(root).as_posix()) if name in others] \
                    if path.suffix in (".h", ".cc") else []
                if used:
                    yield (f"{table.relative_to(root).as_posix()}: no row names {component}, whose {used[0]} "
                           f"{path.name} includes: a change of it would leave measurements as they are")


def findings(root):
    yield from table_findings()
    yield from component_findings(root)
    for path in sources(root):
        yield from file_findings(root, path)
    yield from public_header_findings(root)


def target_findings(root):
    """Sources that Highway compiles for instruction sets that kernels/vector_targets.h declines."""
    for path in sorted((root / "kernels").rglob("*.cc")):
        text = path.read_text(encoding="utf-8")
        each_target = re.search(r'#include ["<]hwy/foreach_target.h', text)
        targets = text.find('#include "kernels/vector_targets.h"')
        if each_target and not 0 <= targets < each_target.start():
            yield f'{path.relative_to(root)}: includes hwy/foreach_target.h without "kernels/vector_targets.h" before it'


def main():
    parser = argparse.ArgumentParser(description="Checks who includes what.")
    parser.add_argument("--draw", action="store_true", help=f"write {_PICTURE}")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    picture = arguments.root / _PICTURE
    if arguments.draw:
        picture.write_text(draw_dependencies.svg(FOLDERS), encoding="utf-8")
        return 0
    found = [*findings(arguments.root), *long_file_findings(arguments.root), *target_findings(arguments.root)]
    if not picture.is_file() or picture.read_text(encoding="utf-8") != draw_dependencies.svg(FOLDERS):
        found.append(f"{_PICTURE}: not what the rules say; run scripts/check_includes.py --draw")
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
