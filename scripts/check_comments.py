#!/usr/bin/env python3
"""Checks that comments hold no code examples: nothing compiles them, and they go stale. In headers, checks that they
begin with a noun or a verb.

    scripts/check_comments.py    # a finding a line, exit code 1 if there are any

An example is an indented comment line that reads as C++: a declaration, a call, an assignment to a member, a loop, a
closing brace. Formulas, tables and command lines stay. Compiled examples are in examples/. Python standard library only.
"""
import argparse
import pathlib
import re
import sys

FOLDERS = ("include", "src", "search", "knowledge_base", "kernels", "bench", "labs", "tests", "examples")

_INDENTED = re.compile(r"^\s*///?(?: {2,}|\t+)(\S.*?)\s*$")
_EXAMPLE = re.compile(
    r"^(?:"
    r"\}[;,]?|"                                                          # a closing brace
    r"(?:for|while|if|switch) \(.*\) ?\{?|"                              # control flow
    r"(?:auto|const|using|return|throw|template|typedef|static|struct|class)\b.*[;{]|"
    r"#include [<\"].*|"
    r"[A-Za-z_]\w*(?:::\w+)*(?:<[^;]*>)?[&*]? [A-Za-z_]\w*(?: ?= ?.*|\(.*\)|\{.*\})?;|"  # Type name = value;
    r"[A-Za-z_]\w*(?:::\w+)+(?:<[^;]*>)?[&*]? [A-Za-z_]\w*[({=].*|"      # a::Type name(first line of several
    r"[A-Za-z_]\w*(?:(?:\.|->|::)\w+)*\(.*\);|"                          # object.Call(...);
    r"[A-Za-z_]\w*(?:(?:\.|->)\w+)+ = .*;"                               # object.member = value;
    r")(?: *//.*)?$")

# A comment in a header that begins so leaves its noun out: "Of the kernels that ...", "What is known of ...".
_WITHOUT_NOUN = re.compile(r"^\s*//\s+(What|Of|As|By|Whether|Why|How|Those|That|Which|Where)\b")


def leading_findings(path, lines):
    """Comments that begin without a noun or a verb: (number, first word)."""
    for number, line in enumerate(lines, 1):
        begins = number == 1 or not lines[number - 2].lstrip().startswith("//")
        match = _WITHOUT_NOUN.match(line) if begins and path.suffix == ".h" else None
        if match:
            yield number, match[1]


def findings(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, word in leading_findings(path, lines):
                yield (f"{path.relative_to(root).as_posix()}:{number}: the comment begins with '{word}': "
                       "begin with the noun that it is about, or with a verb")
            for number, line in enumerate(lines, 1):
                comment = _INDENTED.match(line)
                if comment and _EXAMPLE.match(comment[1]):
                    yield (f"{path.relative_to(root).as_posix()}:{number}: '{comment[1]}': "
                           "say it in words, or compile it in examples/")


def main():
    parser = argparse.ArgumentParser(description="Checks that comments hold no code examples.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(parser.parse_args().root))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
