#!/usr/bin/env python3
"""Compiles each C++ file that changed lately by itself, without code: a group hides a missing #include.

  scripts/compile_alone.py BUILD [--since=COMMIT] [--most=80] [--jobs=N]

BUILD is a build folder of preset `test`, configured with CMAKE_EXPORT_COMPILE_COMMANDS; nothing in it has to be built. Sources are
compiled by their own commands, headers by that of a source near them. Without --since: files that the commits of the last six hours
before the newest one changed, and those that git does not know or that differ from it. At most --most files, those of the newest
commits first. Exit code 1: a file does not compile; its errors are printed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOURS = 6


def git(*arguments):
    return subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True).stdout


def changed_files(since):
    """Names of changed files that exist, relative to ROOT, newest first; of COMMIT..now or of the last hours."""
    names = git("diff", "--name-only", "HEAD").split() + git("ls-files", "--others", "--exclude-standard").split()
    newest_s = int(git("log", "-1", "--format=%ct"))
    span = [f"{since}..HEAD"] if since else [f"--since={newest_s - 3600 * HOURS}", "HEAD"]
    names += git("log", "--first-parent", "-m", "--format=", "--name-only", *span).split()
    return [name for name in dict.fromkeys(names) if (ROOT / name).exists()]


def is_header(name):
    """True for a header that has to compile alone; parts of others are named NAME-inl.h."""
    return name.endswith(".h") and not name.endswith("-inl.h")


def commands_of(build):
    """Compile commands of the build by file relative to ROOT: (folder, arguments without the file and its output)."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["directory"], entry["file"])
        if not file.is_relative_to(ROOT):
            continue
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        while arguments[0].endswith(("ccache", "cmake", "env")) or "=" in arguments[0] or arguments[0] in ("-E", "env"):
            arguments = arguments[1:]
        output = arguments.index("-o")
        arguments = arguments[:output] + arguments[output + 2:]
        kept = [word for word in arguments if word not in ("-c", entry["file"])]
        commands[str(file.relative_to(ROOT))] = (entry["directory"], kept)
    return commands


def nearest(header, commands):
    """The file with a command that shares the longest path with the header."""
    return max(commands, key=lambda file: len(os.path.commonpath([file, header])))


def compile_one(name, commands):
    """Errors of the compiler; empty: there are none."""
    by = name if name in commands else nearest(name, commands)
    folder, arguments = commands[by]
    # A header is included, not compiled: it may have parts that a main file warns of.
    source, text = (["-x", "c++", "-"], f'#include "{name}"\n') if is_header(name) else ([str(ROOT / name)], None)
    run = subprocess.run([*arguments, f"-I{ROOT}", "-fsyntax-only", *source], cwd=folder, input=text, capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{name} does not compile by itself:\n{run.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument("--most", type=int, default=80)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    try:
        changed = changed_files(arguments.since)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no history of git here, so no file is known to have changed: nothing compiled by itself ({error})")
        return 0
    commands = commands_of(arguments.build.resolve())
    names = [name for name in changed if name in commands or is_header(name)]
    some = names[:arguments.most]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        errors = [text for text in pool.map(lambda name: compile_one(name, commands), some) if text]
    print("\n".join(errors), end="\n" if errors else "")
    print(f"compiled {len(some)} of {len(names)} changed files by themselves, {len(errors)} with errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
