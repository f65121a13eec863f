#!/usr/bin/env python3
"""The rows of halftone_kernel_choice as a page: labs/kernel_choice/bench_kernel_choice.sh.

  labs/kernel_choice/kernel_choice_table.py ROWS [--page=FILE]

Prints the geometric means of all rows of a number of threads, and the worst network; writes the page with --page.
Exit code 1 where there are no rows.
"""
import argparse
import collections
import datetime
import math
import pathlib
import platform
import re
import sys

ROW = re.compile(r"^(\S+)\s+(\S+)\s+(\d+)\s+(\d+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)$")
HEADER = ("network", "operators with another kernel: profile", "full", "seconds: profile", "full", "profile / static",
          "profile / best")


def rows_of(text):
    """{threads: [cells of a row]}"""
    rows = collections.defaultdict(list)
    for line in text.splitlines():
        if match := ROW.match(line):
            name, threads, *numbers = match.groups()
            rows[threads].append([name, *numbers])
    return rows


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def summary(threads, rows):
    static = geometric_mean([float(row[5]) for row in rows])
    best = geometric_mean([float(row[6]) for row in rows])
    worst = max(rows, key=lambda row: float(row[6]))
    return (f"{len(rows)} networks, {threads} thread{'s' * (threads != '1')}: profile / static order {static:.4f}, profile / best {best:.4f} "
            f"(geometric means); worst {worst[6]} ({worst[0]}); demanded 1.02 and 1.08")


def name_of_cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def page(rows):
    lines = [
        f"# {name_of_cpu()}: kernels chosen with the machine profile", "", "```sh", "labs/kernel_choice/bench_kernel_choice.sh <models>", "```", "",
        f"{datetime.date.today().isoformat()}. Each network was tuned with the machine profile and in full, in two knowledge bases; then the kernels of both, and "
        "the static order, were compared in paired rounds. Ratios of times: below 1 the profile's kernels are faster. The first network pays for the profile.",
    ]
    for threads, of in rows.items():
        lines += ["", summary(threads, of) + ".", "", "| " + " | ".join(HEADER) + " |", "|---" * len(HEADER) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in of]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="The rows of halftone_kernel_choice as a page.")
    parser.add_argument("rows")
    parser.add_argument("--page", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = rows_of(pathlib.Path(arguments.rows).read_text(encoding="utf-8"))
    if not rows:
        sys.exit(f"error: '{arguments.rows}' has no row of a network")
    for threads, of in rows.items():
        print(summary(threads, of))
    if arguments.page is not None:
        if arguments.page.exists():
            sys.exit(f"error: {arguments.page} is there and stays as it was measured: give another name with --measurements=NAME")
        arguments.page.write_text(page(rows), encoding="utf-8")
        print(f"{arguments.page}: written; give it a row in docs/measurements/README.md", file=sys.stderr)


if __name__ == "__main__":
    main()
