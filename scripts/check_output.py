#!/usr/bin/env python3
"""Checks that the product prints, writes and deletes files, starts programs and compares instruction sets in one place each.

    scripts/check_output.py     # a finding a line, exit code 1 if there are any

What is printed elsewhere would reach a terminal with the control characters of a model's names; what is written
elsewhere would replace devices and links by plain files; what deletes elsewhere may delete what it did not write; what starts programs elsewhere leaves them behind; what compares Highway's targets elsewhere forgets the next
target. Looks at code, not at comments; programs that are not the
product (bench, labs, examples, tests) may do as they like. Python standard library only.
"""
import argparse
import dataclasses
import fnmatch
import pathlib
import re
import sys

FOLDERS = ("include", "src", "search", "knowledge_base", "kernels")


@dataclasses.dataclass(frozen=True)
class Rule:
    what: re.Pattern
    files: tuple  # that may, as shell patterns
    instead: str


RULES = (
    Rule(re.compile(r"\bfmt::v?print\b|\bstd::(?:cout|cerr|clog)\b|\bstd(?:out|err)\b"
                    r"|\b(?:std::)?(?:v?f?printf|dprintf|f?puts|f?putc|putchar|fwrite|perror|syslog)\s*\("),
         (), "print with src/cli/terminal.h"),
    Rule(re.compile(r"(?<![\w.>:])(?:::)?write\s*\(\s*(?:STD|\w+\.get\(\)|descriptor)"),
         ("src/base/file_descriptor.cc", "src/cli/file_size_limit.cc", "src/cli/out_of_memory.cc"),
         "write with src/base/output_file.h, print with src/cli/terminal.h"),
    Rule(re.compile(r"\bWriteAll\s*\("),
         ("src/base/file_descriptor.*", "src/base/output_file.cc", "src/base/run_program.cc", "src/base/temporary_folder.cc", "src/cli/terminal.cc"),
         "write with src/base/output_file.h, print with src/cli/terminal.h"),
    Rule(re.compile(r"\bofstream\b|\bstd::fstream\b|\bfopen\s*\(|\bO_(?:WRONLY|RDWR|CREAT)\b"
                    r"|(?:\bstd::|\bfs::|\bfilesystem::|(?<!\w)::)(?:copy|copy_file)\s*\("),
         ("src/base/output_file.cc", "src/base/file_lock.cc", "src/base/folder_guard.cc", "src/base/run_program.cc",
          "src/base/supervised_program.cc", "src/base/temporary_folder.cc", "src/cli/terminal.cc"),
         "write with src/base/output_file.h"),
    Rule(re.compile(r"(?:\bstd::|\bfs::|\bfilesystem::|(?<![\w.>:])::)"
                    r"(?:remove|remove_all|rename|renameat2?|resize_file|unlink|unlinkat|rmdir|f?truncate(?:64)?)\s*\("
                    r"|\bO_TRUNC\b"),
         ("src/base/move_folder.cc", "src/base/output_file.cc", "src/base/published_folder.cc", "src/base/remove_below.cc",
          "src/base/temporary_folder.cc"),
         "delete with src/base/remove_below.h, replace with src/base/output_file.h"),
    Rule(re.compile(r"(?<![\w.>])(?:::)?(?:popen|v?fork|_Fork|posix_spawnp?|exec(?:vp?|vpe|lp?|le|ve)|system)\s*\("),
         ("src/base/folder_guard.cc", "src/base/supervised_program.cc", "src/runtimes/onnxruntime/try_apart.cc"),
         "run programs with src/base/run_program.h"),
    Rule(re.compile(r"\bHWY_TARGET\s*[<>=!]=?|\bHWY_(?:S?SSE|AVX|NEON|SVE)\w*|\b__AVX\w*__\b"),
         ("kernels/vector_capabilities.h", "kernels/vector_targets.h", "kernels/cpu_isa.cc"),
         "ask HALFTONE_CAN() of kernels/vector_capabilities.h"),
)

_COMMENT = re.compile(r"//.*$")


def findings(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                code = _COMMENT.sub("", line)
                for rule in RULES:
                    found = rule.what.search(code)
                    if found and not any(fnmatch.fnmatchcase(name, pattern) for pattern in rule.files):
                        yield f"{name}:{number}: '{found[0].strip()}': {rule.instead}"


def main():
    parser = argparse.ArgumentParser(description="Checks who prints, writes files and compares instruction sets.")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    found = list(findings(parser.parse_args().root))
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
