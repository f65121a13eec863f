#!/usr/bin/env python3
"""Checks that relative links and anchors of the documents exist.

    scripts/check_links.py    # a finding a line, exit code 1 if there are any

Reads *.md, labs/*.md, docs/*.md, docs/*/*.md and examples/*/*.md on disk. Links to other hosts are not
followed; what stands in code is no link. Anchors are those that GitHub makes of headings. Python standard library only.
"""
import argparse
import pathlib
import re
import sys
import urllib.parse

DOCUMENTS = ("*.md", "labs/*.md", "docs/*.md", "docs/*/*.md", "examples/*/*.md")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
_CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$")


def prose(path):
    """(line number, text) of every line that is not in a fenced block."""
    fence = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = _FENCE.match(line)
        if fence is None and match is None:
            yield number, line
        elif fence is None:
            fence = match[1]
        elif match and match[1].startswith(fence) and line.strip() == match[1]:
            fence = None


def links(path):
    """(line number, target) of every link and picture."""
    for number, line in prose(path):
        for match in _LINK.finditer(_CODE.sub("", line)):
            yield number, match[1]


def anchors(path):
    """Of headings: small letters, blanks become hyphens, other signs go; -1, -2 where one repeats."""
    counts = {}
    for _, line in prose(path):
        match = _HEADING.match(line)
        if match:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            count = counts.get(name, 0)
            counts[name] = count + 1
            yield f"{name}-{count}" if count else name


def finding_of(root, path, target):
    """What is wrong with one link of a document; None: nothing."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) or target.startswith("//"):
        return None
    name, _, anchor = urllib.parse.unquote(target).partition("#")
    file = (path.parent / name).resolve() if name else path.resolve()
    if not file.is_relative_to(root.resolve()):
        return f"{target} leads out of the repository"
    if not file.exists():
        return f"{target}: there is no {file.relative_to(root.resolve())}"
    if anchor and file.suffix == ".md" and anchor not in anchors(file):
        return f"{target}: no heading of {file.relative_to(root.resolve())} has this anchor"
    return None


def findings(root):
    for path in sorted({path for pattern in DOCUMENTS for path in root.glob(pattern)}):
        for number, target in links(path):
            finding = finding_of(root, path, target)
            if finding:
                yield f"{path.relative_to(root)}:{number}: {finding}"


def main():
    parser = argparse.ArgumentParser(description="Checks the links of the documents.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(parser.parse_args().root))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
