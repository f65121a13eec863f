#!/usr/bin/env python3
"""Checks that comments hold no code examples: nothing compiles them, and they go stale.

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


def findings(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
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
