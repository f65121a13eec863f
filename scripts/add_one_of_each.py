#!/usr/bin/env python3
"""Adds one of each kind of thing in CONTRIBUTING.md's table to a copy of the sources.

    scripts/add_one_of_each.py                           # the files that it edits are those that the table names
    scripts/add_one_of_each.py --build=build/test        # and they compile, with the flags of that build
    scripts/add_one_of_each.py --build=build/test --run  # and are linked with the rest of it, and tests run

What is added: one_of_each.py. --keep=FOLDER leaves the copy there.
"""
import argparse
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from one_of_each import KINDS, Insert, Listed, New  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ("src", "kernels", "search", "knowledge_base", "tests", "bench", "labs", "docs", "examples")
NOT_COPIED = shutil.ignore_patterns("corpus", "data", "measurements")
HEADINGS = ("to add", "new", "change", "written by tests", "where it applies")
PATH = re.compile(r"(beside )?`([\w.<>*-]+(?:/[\w.<>*-]+)+)`")


class Failure(Exception):
    pass


@dataclasses.dataclass
class Row:
    """Of the table: patterns of paths by column."""
    new: list
    change: list
    golden: list
    where: list


def pattern_of(match):
    beside, path = match.group(1), match.group(2)
    if beside:
        path = os.path.dirname(path) + "/<any>"
    return path


def matches(pattern, path):
    parts = re.split(r"<\w+>", pattern)
    return re.fullmatch(r"[^/]+".join(re.escape(part) for part in parts), path) is not None


def table_rows(text):
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == len(HEADINGS) and cells[0] != HEADINGS[0] and not cells[0].startswith("---"):
            rows[cells[0]] = Row(*([pattern_of(m) for m in PATH.finditer(cell)] for cell in cells[1:]))
    if not rows:
        raise Failure(f"CONTRIBUTING.md: expected a table with the columns {', '.join(HEADINGS)}, found none")
    return rows


def compare(kind, column, patterns, paths):
    """The paths of a kind against a column of its row, both ways."""
    for path in sorted(paths):
        if not any(matches(pattern, path) for pattern in patterns):
            yield f"{kind.row}: {path} belongs to the column '{column}' of CONTRIBUTING.md"
    for pattern in patterns:
        if not any(matches(pattern, path) for path in paths):
            yield f"{kind.row}: CONTRIBUTING.md has {pattern} in '{column}', and adding one does without it"


def new_paths(kind):
    return {edit.path for edit in kind.edits if isinstance(edit, New)}


def changed_paths(kind):
    return {edit.path for edit in kind.edits if not isinstance(edit, New)}


def check_table(rows):
    for kind in KINDS:
        if kind.row not in rows:
            yield f"CONTRIBUTING.md: no row '{kind.row}'"
            continue
        row = rows[kind.row]
        yield from compare(kind, "new", row.new, new_paths(kind))
        yield from compare(kind, "change", row.change, changed_paths(kind))
        yield from compare(kind, "written by tests", row.golden, kind.golden)
        places = len(new_paths(kind) | changed_paths(kind))
        if kind.most_places and places > kind.most_places:
            yield f"{kind.row}: {places} files to edit, at most {kind.most_places}"
    for name, row in rows.items():
        for pattern in row.change + row.golden + row.where:
            if not re.search("[<*]", pattern) and not (ROOT / pattern).exists():
                yield f"CONTRIBUTING.md, '{name}': there is no {pattern}"


def apply(edit, root):
    path = root / edit.path
    if isinstance(edit, New):
        if path.exists():
            raise Failure(f"{edit.path} is there already: give the example another name")
        path.write_text(edit.text)
        return
    text = path.read_text()
    if isinstance(edit, Listed):
        found = re.findall(r"(?<![\w.])((?:\w+/)*)" + re.escape(edit.like) + r"(?![\w.])", text)
        if len(found) != 1:
            raise Failure(f"{edit.path}: expected '{edit.like}' once, found it {len(found)} times")
        edit = Insert(edit.path, found[0] + edit.like, f" {found[0]}{edit.name}")
    if text.count(edit.after) != 1:
        raise Failure(f"{edit.path}: expected this text once, found it {text.count(edit.after)} times:\n{edit.after}")
    path.write_text(text.replace(edit.after, edit.after + edit.text))


def copy_sources(to):
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder, ignore=NOT_COPIED)


class Build:
    """A build of ROOT, and what is compiled of the copy with its flags."""

    def __init__(self, folder, copy):
        self.folder = folder.resolve()
        self.copy = copy
        self.objects = copy / "objects"
        self.entries = {}
        commands = self.folder / "compile_commands.json"
        if not commands.exists():
            raise Failure(f"there is no {commands}: configure that build first")
        if "/Unity/" in commands.read_text():  # files of groups have no command of their own
            self.folder /= "apart"
            self.run(["cmake", "-S", str(ROOT), "-B", str(self.folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                      "-DHALFTONE_WARNINGS_AS_ERRORS=ON", "-DHALFTONE_UNITY=OFF"], "configuring", folder=ROOT)
            commands = self.folder / "compile_commands.json"
        for entry in json.loads(commands.read_text()):
            file = pathlib.Path(entry["file"])
            if file.is_relative_to(ROOT):
                self.entries.setdefault(file.relative_to(ROOT).as_posix(), entry)

    def entry_of(self, path):
        """Of the file, or of a neighbour where it is new."""
        if path in self.entries:
            return self.entries[path]
        folder = os.path.dirname(path)
        near = [other for other in self.entries if os.path.dirname(other) == folder]
        if not near:
            raise Failure(f"{path}: no file beside it is compiled")
        return self.entries[near[0]]

    def words(self, path):
        """Command without output and file; launchers such as ccache, dependencies and outputs are left out."""
        entry = self.entry_of(path)
        words = shlex.split(entry["command"])
        while "=" in words[0] or os.path.basename(words[0]) in ("ccache", "env"):
            words.pop(0)
        kept = []
        skip = 0
        for word in words:
            if skip:
                skip -= 1
            elif word in ("-o", "-MF", "-MT", "-MQ"):
                skip = 1
            elif word not in ("-c", "-MD", "-MMD", entry["file"]):
                kept.append(self.moved(word))
        return kept

    def moved(self, word):
        """-I of the sources is that of the copy; the program that tests start is the linked one."""
        if word == f"-I{ROOT}":
            return f"-I{self.copy}"
        return word.replace(f"{self.folder}/bin/halftone\"", f"{self.copy}/halftone\"")

    def run(self, words, what, folder=None):
        result = subprocess.run(words, cwd=folder or self.folder, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise Failure(f"{what}:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
        return result.stdout

    def check(self, path):
        self.run(self.words(path) + ["-fsyntax-only", str(self.copy / path)], path)

    def compile(self, path):
        to = self.object_of(path)
        to.parent.mkdir(parents=True, exist_ok=True)
        self.run(self.words(path) + ["-c", "-o", str(to), str(self.copy / path)], path)

    def object_of(self, path):
        return self.objects / f"{path}.o"

    def output_of(self, path):
        """Where the build has the object of the file, or of its neighbour."""
        words = shlex.split(self.entry_of(path)["command"])
        return words[words.index("-o") + 1]

    def target_of(self, path):
        """Of the object libraries that cmake/halftone_targets.cmake makes, the library that holds them."""
        return re.search(r"CMakeFiles/([^/]+)\.dir/", self.output_of(path)).group(1).removesuffix("_cold")

    def link(self, target, paths):
        """The target with the objects of the copy before those of its libraries."""
        commands = self.run(["ninja", "-t", "commands", f"bin/{target}"], target)
        link = shlex.split(commands.splitlines()[-1])
        words = link[link.index("&&") + 1:]
        words = words[:words.index("&&")]
        libraries = {os.path.basename(word) for word in words if word.endswith(".a")}
        own = {self.output_of(path): str(self.object_of(path)) for path in paths if path in self.entries}
        # Before the libraries that have the object, or the one beside a new file; or beside an object of the target.
        added = [str(self.object_of(path)) for path in paths
                 if f"lib{self.target_of(path)}.a" in libraries
                 or (path not in self.entries and self.output_of(path) in words)]
        words = [own.get(word, word) for word in words]
        at = words.index("-o")
        words[at + 1] = str(self.copy / target)
        return words[:at] + added + words[at:]


def sources_of(kinds):
    paths = []
    for kind in kinds:
        for path in [edit.path for edit in kind.edits] + list(kind.also_compile):
            if path.endswith(".cc") and path not in paths:
                paths.append(path)
    return paths


def in_parallel(work, paths):
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 1))) as pool:
        list(pool.map(work, paths))


def written(copy):
    """Documents and golden texts that differ from those of ROOT, but for what was edited by hand."""
    by_hand = {edit.path for kind in KINDS for edit in kind.edits}
    paths = set()
    for folder in ("tests/golden", "docs"):
        for path in (copy / folder).rglob("*"):
            name = path.relative_to(copy).as_posix()
            same = (ROOT / name).exists() and path.is_file() and path.read_bytes() == (ROOT / name).read_bytes()
            if path.is_file() and not same and name not in by_hand:
                paths.add(name)
    return paths


def prove(build, copy, sources, kinds):
    for kind in kinds:
        for proof in kind.proofs:
            if not (build.folder / "bin" / proof.target).exists():
                raise Failure(f"{proof.target} is not built in {build.folder}")
            if proof.target == "cli_test":
                build.run(build.link("halftone", sources), "linking halftone")
            build.run(build.link(proof.target, sources), f"linking {proof.target}")
            environment = dict(os.environ, HALFTONE_SOURCE_DIR=str(copy), TEST_TMPDIR=f"{copy}/",
                               UPDATE_GOLDEN="1" if proof.updates else "")
            result = subprocess.run([str(copy / proof.target), f"--gtest_filter={proof.filter}"], cwd=copy,
                                    env=environment, capture_output=True, text=True, check=False)
            count = re.search(r"\[  PASSED  \] (\d+) test", result.stdout)
            if result.returncode != 0 or not count or count.group(1) == "0":
                raise Failure(f"{kind.row}: {proof.target} {proof.filter}\n{result.stdout[-3000:]}{result.stderr[-1000:]}")
            print(f"{kind.row}: {count.group(1)} tests of {proof.target}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="a build folder, for its flags")
    parser.add_argument("--run", action="store_true", help="link with that build, and run tests")
    parser.add_argument("--only", metavar="ROW", help="compile and test this kind alone")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the copy in this folder, which must not exist")
    arguments = parser.parse_args()
    findings = list(check_table(table_rows((ROOT / "CONTRIBUTING.md").read_text())))
    if findings:
        raise Failure("\n".join(findings))
    with contextlib.ExitStack() as stack:
        copy = arguments.keep or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="one_of_each_")))
        copy = copy.resolve()
        copy_sources(copy)
        for kind in KINDS:
            for edit in kind.edits:
                apply(edit, copy)
        for kind in KINDS:
            print(f"{kind.row}: {len(new_paths(kind) | changed_paths(kind))} files")
        if arguments.build is None:
            return
        build = Build(arguments.build, copy)
        kinds = [kind for kind in KINDS if arguments.only in (None, kind.row)]
        sources = sources_of(kinds)
        in_parallel(build.compile if arguments.run else build.check, sources)
        print(f"{len(sources)} files compile")
        if not arguments.run:
            return
        prove(build, copy, sources, kinds)
        found = written(copy)
        expected = {path for kind in kinds for path in kind.golden}
        # Some files are written by the tests of another kind.
        differing = sorted(found ^ expected if arguments.only is None else found - expected)
        if differing:
            raise Failure(f"written by the tests or named in the table, but not both: {', '.join(differing)}")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
