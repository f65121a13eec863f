#!/usr/bin/env python3
"""Writes docs/reference/statements.md from tests/docs/statements.txt, and checks that its tests exist.

    scripts/statements.py [--check] [FOLDER OF THE PROJECT]

--check writes nothing: exit code 1, one sentence for each fault, where a test that is named is not there or
docs/reference/statements.md is not what would be written.
"""
import argparse
import dataclasses
import pathlib
import re
import sys

TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+), (\w+)\)", re.MULTILINE)
C_TEST = re.compile(r"^static void (Test\w+)\(void\)", re.MULTILINE)
DEVICE = "device: "


class StatementError(Exception):
    """A line of the table that is not as its head says."""


@dataclasses.dataclass
class Statement:
    number: str  # "P1"
    text: str
    tests: list  # "Suite.Case", "Suite.Case/row"
    device: str  # why no test shows it; empty: tests do


@dataclasses.dataclass
class Document:
    letter: str
    title: str
    statements: list


def read_table(text):
    """The documents of a table; StatementError with the number of a line that does not fit."""
    documents = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        head = re.fullmatch(r"== (\w): (.+)", line)
        if head:
            documents.append(Document(head[1], head[2], []))
            continue
        if not documents:
            raise StatementError(f"line {number}: expected '== ID: title' first")
        statements = documents[-1].statements
        if not line.startswith(" "):
            statements.append(Statement(f"{documents[-1].letter}{len(statements) + 1}", line, [], ""))
        elif not statements or statements[-1].tests or statements[-1].device:
            raise StatementError(f"line {number}: expected one line of tests below a statement")
        elif line.strip().startswith(DEVICE):
            statements[-1].device = line.strip()[len(DEVICE):]
        else:
            statements[-1].tests = line.split()
    return documents


def files_of_tests(root):
    """The files that define each test, by "Suite.Case", of C by "file.TestCase". Two files may have one name."""
    files = {}
    for path in sorted((root / "tests").rglob("*.c")):
        for case in C_TEST.findall(path.read_text(encoding="utf-8")):
            files.setdefault(f"{path.stem}.{case}", []).append(path)
    for path in sorted((root / "tests").rglob("*.cc")):
        for suite, case in TEST.findall(path.read_text(encoding="utf-8")):
            files.setdefault(f"{suite}.{case}", []).append(path)
    return files


def faults_of(documents, files):
    """One sentence for each statement without tests, and for each test or row that is not there."""
    faults = []
    for document in documents:
        for statement in document.statements:
            if not statement.tests and not statement.device:
                faults.append(f"{statement.number} has no test")
            for test in statement.tests:
                name, _, row = test.partition("/")
                if name not in files:
                    faults.append(f"{statement.number} names the test {name}, which no file below tests/ has")
                elif row and not any(row in other.read_text(encoding="utf-8")
                                     for path in files[name] for other in path.parent.glob("*.*")):
                    faults.append(f"{statement.number} names the row {row} of {name}, which its folder does not have")
    return faults


def shown(test, files, root):
    name = test.partition("/")[0]
    path = files[name][0].relative_to(root)
    return f"[`{test}`](../../{path})"


def page(documents, files, root):
    """The text of docs/reference/statements.md."""
    count = sum(len(document.statements) for document in documents)
    device = sum(bool(statement.device) for document in documents for statement in document.statements)
    lines = [
        "# Statements of the guides",
        "",
        "<!-- Written by scripts/statements.py from tests/docs/statements.txt. -->",
        "",
        "For those who check halftone against the guides: what the five documents for users say, in our words, and the",
        f"tests that show it: {count} statements, of which {device} are about what only a device can show.",
    ]
    for document in documents:
        lines += ["", f"## {document.title}", "", "| | statement | shown by |", "|---|---|---|"]
        for statement in document.statements:
            by = " ".join(shown(test, files, root) for test in statement.tests)
            lines.append(f"| {statement.number} | {statement.text} | {by or 'a device: ' + statement.device} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    table = root / "tests/docs/statements.txt"
    try:
        documents = read_table(table.read_text(encoding="utf-8"))
    except StatementError as error:
        sys.exit(f"{table}: {error}")
    files = files_of_tests(root)
    faults = faults_of(documents, files)
    target = root / "docs/reference/statements.md"
    if not faults:
        text = page(documents, files, root)
        if not arguments.check:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            faults = [f"{target} is not what {table} gives: run scripts/statements.py"]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
