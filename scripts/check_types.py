#!/usr/bin/env python3
"""Checks that each type of the project is defined in one file, and that no function has its name: two types of one
qualified name are one type to the linker, and a type and a function of one name meet in no file.

    scripts/check_types.py    # a finding a line, exit code 1 if there are any

Reads *.h and *.cc of the product, benches, labs and tests. Types of anonymous namespaces and of functions are their
file's own. Python standard library only.
"""
import collections
import pathlib
import re
import sys

FOLDERS = ("include", "src", "search", "kernels", "knowledge_base", "bench", "tests", "examples", "labs")
# Types with several files of which one is compiled, and what chooses it.
ALTERNATIVES = {
    "halftone::ThreadPool::Impl": "kernels/CMakeLists.txt: oneTBB, or threads under the thread sanitizer",
}
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'')
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_TOKEN = re.compile(
    r"namespace\s*(?P<namespace>[\w:]*)\s*\{"
    r"|\b(?:struct|class|union|enum(?:\s+class|\s+struct)?)\s+(?:\[\[[^\]]*\]\]\s*)?(?P<type>\w[\w:]*(?:<[^;{}()]*>)?)"
    r"(?:\s+final)?\s*(?::[^{;()]*)?\{"
    r"|[\w>&*]\s+(?P<function>[A-Z]\w*)\((?=[^;{}]*\)[^;{}()]*[;{])"
    r"|[{}]")


def names_in(text):
    """Kind ("type" or "function") and qualified name of what a text defines or, of functions, declares outside of
    functions and anonymous namespaces; functions of classes are not among them."""
    for pattern, put in ((_RAW_TEXT, '""'), (_COMMENT, ""), (_TEXT, '""'), (_DIRECTIVE, "")):
        text = pattern.sub(put, text)
    scopes = []  # None: the file's own, a function or an anonymous namespace
    classes = []  # numbers of scopes up to each class
    for match in _TOKEN.finditer(text):
        if match[0] == "}":
            if classes and classes[-1] == len(scopes):
                classes.pop()
            if scopes:
                scopes.pop()
        elif match["type"]:
            if None not in scopes:
                yield "type", "::".join(scopes + [match["type"]])
            scopes.append(match["type"])
            classes.append(len(scopes))
        elif match["function"]:
            if None not in scopes and not classes:
                yield "function", "::".join(scopes + [match["function"]])
        else:
            scopes.append(match["namespace"] or None)


def findings(root):
    """One sentence for each name that several files define."""
    files = {"type": collections.defaultdict(list), "function": collections.defaultdict(list)}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc"):
                for kind, name in set(names_in(path.read_text(encoding="utf-8"))):
                    files[kind][name].append(str(path.relative_to(root)))
    for name, paths in sorted(files["type"].items()):
        if len(paths) > 1 and name not in ALTERNATIVES:
            yield f"{name} is defined in {' and '.join(paths)}: expected one file, rename one of them"
        if functions := files["function"].get(name):
            yield f"{name} is a type in {paths[0]} and a function in {functions[0]}: rename one of them"


def main():
    found = list(findings(pathlib.Path(__file__).resolve().parent.parent))
    for sentence in found:
        print(sentence, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
