#!/usr/bin/env python3
"""Tunes networks on ONNX Runtime, runs the files of each front there, and prints a table.

  labs/onnxruntime/ort_fronts.py LIBRARY MODELS NETWORK[,NETWORK...] [--budget=60s] [--threads=1] [--output=FOLDER]

LIBRARY is a libonnxruntime.so.1, MODELS a folder with NETWORK/model.onnx and its test data. FOLDER (default
build/ort_fronts) keeps the fronts. Needs build/release/bin/halftone and halftone_ort_front. Two rows a front: its
fastest point and its fastest with 30 dB; "there again" is the file of the point in a plain session, timed anew.
"""
import argparse
import json
import pathlib
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
BIN = REPOSITORY / "build/release/bin"
GOOD_DB = 30


def tune(arguments, network, front):
    """Exit code of the tuning run, whose text goes to front/../NETWORK.log."""
    model = arguments.models / network
    command = [BIN / "halftone", "tune", f"--model={model}", f"--inputs={model}",
               f"--measure=ort:{arguments.library}", f"--threads={arguments.threads}", "--quantize=on",
               "--no_bank", f"--budget={arguments.budget}", f"--output={front}"]
    with open(f"{front}.log", "w", encoding="utf-8") as log:
        return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False).returncode


def run_files(arguments, network, front):
    model = arguments.models / network
    command = [BIN / "halftone_ort_front", f"--library={arguments.library}", f"--model={model}",
               f"--inputs={model}", f"--front={front}", f"--threads={arguments.threads}"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def db_of(row):
    return row["promised_accuracy"]["sqnr_db"]["mean"]


def lines(network, rows):
    """Markdown rows of the fastest point and of the fastest good one."""
    good = [row for row in rows if db_of(row) >= GOOD_DB]
    for name, row in (("fastest", rows[0]), (f"{GOOD_DB} dB", good[0] if good else None)):
        if row is None:
            continue
        low, high = row["promised_interval"]
        low_again, high_again = row["interval"]
        run = row["runtime"] or {}
        yield (f"| {network} | {name} | {1e3 * row['float32_s']:.2f} ms | {row['promised_speed_up']:.2f} "
               f"[{low:.2f}, {high:.2f}] | {row['speed_up']:.2f} [{low_again:.2f}, {high_again:.2f}] | "
               f"{db_of(row):.2f} dB | {row['sqnr_db']:.2f} dB | {run.get('low_ran', 0)} of {run.get('low_asked', 0)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("networks")
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, default=REPOSITORY / "build/ort_fronts")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    print("| network | point | float32 | speed-up | there again | SQNR | there again | products in 8 bits |")
    print("|---|---|---|---|---|---|---|---|")
    failed = False
    for network in arguments.networks.split(","):
        front = arguments.output / network.replace("/", "_")
        if tune(arguments, network, front) != 0:
            print(f"| {network} | tune failed: {front}.log | | | | | | |")
            failed = True
            continue
        for line in lines(network, run_files(arguments, network, front)):
            print(line, flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
