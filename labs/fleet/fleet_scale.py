#!/usr/bin/env python3
"""Times of `halftone fleet` on a fleet of many networks that do not exist: copies of one real result.

  labs/fleet/fleet_scale.py [--networks=10000] [--output=DIR] [--halftone=PROGRAM]

Tunes examples/digits once on the engine local, gives its result to six tenths of the networks, shows two tenths as running and leaves
two tenths to do. Prints a Markdown table: processor time and clock of each command, medians of five, and the size of the report.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DIGITS = REPOSITORY / "examples/digits"
RUNS = 5


def clone(fleet, networks):
    """One round with `networks` in place of its one network."""
    round_folder = fleet / "rounds/1"
    plan = json.loads((round_folder / "plan.json").read_text())
    network, results = plan["networks"][0], round_folder / "results/any"
    real = json.loads((results / network["name"] / "result.json").read_text())
    shutil.rmtree(results)
    plan["networks"] = [{**network, "name": f"net{i:05}"} for i in range(networks)]
    (round_folder / "plan.json").write_text(json.dumps(plan))
    running = round_folder / "running/any"
    running.mkdir(parents=True, exist_ok=True)
    for i, one in enumerate(plan["networks"]):
        if i % 10 < 6:
            folder = results / one["name"]
            folder.mkdir(parents=True)
            (folder / "result.json").write_text(json.dumps({**real, "network": one["name"]}))
        elif i % 10 < 8:
            progress = {"node": "n0", "job": "", "begin": real["begin"], "at": real["begin"], "attempt": 1, "progress": None}
            (running / f"{one['name']}.json").write_text(json.dumps(progress))


def timed(words):
    """Medians of processor time and clock, in seconds."""
    processor, clock = [], []
    for _ in range(RUNS):
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        clock.append(time.monotonic() - begin)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(processor), statistics.median(clock)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=int, default=10000)
    parser.add_argument("--output", type=pathlib.Path, default=REPOSITORY / "build/fleet_scale")
    parser.add_argument("--halftone", type=pathlib.Path, default=REPOSITORY / "build/release/bin/halftone")
    arguments = parser.parse_args()
    if not os.access(arguments.halftone, os.X_OK):
        sys.exit(f"no program at {arguments.halftone}: run scripts/quickstart.sh, or name one with --halftone")
    output = arguments.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    one = output / "one.yaml"
    one.write_text(f"fleet: fleet\nengine: local\ndefaults: {{budget: 8, threads: 1, inputs: {DIGITS}/search_inputs.npy}}\n"
                   f"networks: [{DIGITS}]\n")
    subprocess.run([arguments.halftone, "fleet", "submit", one], stdout=subprocess.DEVNULL, check=True)
    clone(output / "fleet", arguments.networks)
    models = output / "models"
    models.mkdir()
    for i in range(arguments.networks):
        (models / f"net{i:05}.onnx").symlink_to(DIGITS / "model.onnx")
    many = output / "many.yaml"
    many.write_text("fleet: other\nnetworks: [{each: 'models/*', budget: 5min}]\nengine: local\n")
    commands = {
        "`fleet submit --dry_run`": ["submit", "--dry_run", many],
        "`fleet status`": ["status", output / "fleet"],
        "`fleet report`": ["report", output / "fleet"],
    }
    print(f"| command, {arguments.networks} networks | CPU, s | clock, s |\n|---|---|---|")
    for name, words in commands.items():
        processor, clock = timed([arguments.halftone, "fleet", *words])
        print(f"| {name} | {processor:.2f} | {clock:.2f} |", flush=True)
    sizes = [f"{path.suffix[1:]} {path.stat().st_size / 1e6:.1f} MB" for path in sorted((output / "fleet/rounds/1").glob("report.*"))]
    print(f"\nThe report: {', '.join(sizes)}.")


if __name__ == "__main__":
    main()
