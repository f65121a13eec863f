#!/usr/bin/env python3
"""Fronts that each strategy finds on networks of real size in budgets of so many float32 runs.

  labs/real_size/real_size.py NETWORK... [--output=FOLDER] [--runs=30,120,400,1500] [--strategies=model,greedy]
                              [--goal=TEXT] [--judge_runs=80] [--threads=1] [--halftone=PROGRAM]

NETWORK is a folder with model.onnx, and with samples in test_data_set_0 if it has any; else the samples are random. A budget is that
number of runs of the network in float32 on one sample, which are timed first. Each search has an empty knowledge base. All points
of all fronts of a network are then judged: measured once more against float32 in a process of their own, in a random order, so that no
figure of a table is one that a search chose by.

FOLDER (default build/real_size of the repository) gets NETWORK.json and the reports of each search in NETWORK/STRATEGY-RUNS. A
search or a judgement that is there is not run again, so an interrupted measurement goes on with the same command.
labs/real_size/real_size_table.py prints the tables. Pin it to a core (taskset -c 1) of an idle machine.
"""

import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# Fewest seconds of a judgement: loading, compiling and the accuracy of the samples come before the rounds.
LEAST_JUDGED_S = 3


class Failed(Exception):
    """The program ended with an exit code that no result has."""


def run(program, command, *options, results=(0,)):
    finished = subprocess.run([program, command, *options], capture_output=True, text=True, check=False)
    if finished.returncode not in results:
        raise Failed(f"{command} {' '.join(options)}\nexit code {finished.returncode}: {finished.stderr.strip()[-500:]}")
    return finished.stdout + finished.stderr


def seconds(text):
    """Of '15.5 ms', as halftone prints times."""
    value, unit = text.split()
    return float(value) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def number_after(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        raise Failed(f"expected {pattern!r} in what run printed: {text[-500:]}")
    return found.group(1)


def of_network(folder, threads):
    options = [f"--model={folder / 'model.onnx'}", f"--threads={threads}"]
    samples = folder / "test_data_set_0"
    return options + ([f"--inputs={samples}"] if samples.is_dir() else [])


def float32_run(program, network):
    """Seconds of a run of the network in float32 on one sample."""
    text = run(program, "run", *network, "--precision_mode=must_keep_origin_dtype", "--budget=10s")
    return seconds(number_after(r"a run, fp32 (\S+ \S+)", text))


def search(program, network, strategy, budget_s, goal, folder):
    """Runs one search with an empty knowledge base unless its report is there."""
    if (folder / "front.json").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    options = [f"--strategy={strategy}", f"--budget={budget_s:.3f}s", "--confidence=none", f"--op_bank_path={folder / 'bank'}",
               f"--output={folder}"] + ([f"--goal={goal}"] if goal else [])
    # 3: nothing was faster, or nothing met the bound.
    run(program, "tune", *network, *options, results=(0, 3))


def judgement_in(text):
    """Latency over that of float32, and relative L2 error, in what run printed of a point."""
    # What tune found stands in a line before.
    return {"latency_ratio": 1 / float(number_after(r"^speed-up ([0-9.]+)x", text)),
            "rel_l2": float(number_after(r"^rel_l2 +mean (\S+)", text))}


def judge(program, network, folder, budget_s):
    return judgement_in(run(program, "run", *network, f"--point={folder}", f"--op_bank_path={folder.parent / 'bank'}",
                            f"--budget={budget_s:.3f}s"))


def search_of(folder):
    """What the tables need of front.json: plans of the front, their number, phases."""
    path = folder / "front.json"
    if not path.exists():
        return {"points": [], "plans": 0, "phases": []}
    front = json.loads(path.read_text(encoding="utf-8"))
    return {"points": [{"plan": point["plan_digest"], "folder": point["folder"]} for point in front["front"]],
            "plans": front["search"]["measured"], "elapsed_s": front["search"]["elapsed_s"], "phases": front["search"]["phases"]}


def measure(program, folder, arguments):
    output = arguments.output / folder.name
    summary = arguments.output / f"{folder.name}.json"
    network = of_network(folder, arguments.threads)
    result = json.loads(summary.read_text(encoding="utf-8")) if summary.exists() else {
        "network": folder.name, "run_s": float32_run(program, network), "searches": {}, "judged": {}}

    def keep():
        summary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")

    keep()
    for runs in arguments.runs:
        for strategy in arguments.strategies:
            name = f"{strategy}-{runs}"
            print(f"{folder.name}: {strategy}, {runs} runs of {1e3 * result['run_s']:.3g} ms", file=sys.stderr, flush=True)
            search(program, network, strategy, runs * result["run_s"], arguments.goal, output / name)
            result["searches"][name] = {"strategy": strategy, "runs": runs, **search_of(output / name)}
            keep()
    places = {point["plan"]: output / name / point["folder"]
              for name, found in result["searches"].items() for point in found["points"]}
    waiting = [plan for plan in places if plan not in result["judged"]]
    random.Random(len(waiting)).shuffle(waiting)
    for done, plan in enumerate(waiting):
        print(f"{folder.name}: judging {done + 1} of {len(waiting)}", file=sys.stderr, flush=True)
        result["judged"][plan] = judge(program, network, places[plan], max(LEAST_JUDGED_S, arguments.judge_runs * result["run_s"]))
        keep()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="+", type=pathlib.Path, metavar="NETWORK")
    parser.add_argument("--output", type=pathlib.Path, default=REPOSITORY / "build/real_size")
    parser.add_argument("--runs", type=lambda text: [int(part) for part in text.split(",")], default=[30, 120, 400, 1500])
    parser.add_argument("--strategies", type=lambda text: text.split(","), default=["model", "greedy", "nsga2", "random", "bisect"])
    parser.add_argument("--goal", default="")
    parser.add_argument("--judge_runs", type=int, default=80)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--halftone", type=pathlib.Path, default=REPOSITORY / "build/release/bin/halftone")
    arguments = parser.parse_args()
    if not arguments.halftone.exists():
        sys.exit(f"no program at {arguments.halftone}: build it with scripts/quickstart.sh, or name another with --halftone")
    for folder in arguments.networks:
        if not (folder / "model.onnx").exists():
            sys.exit(f"no model at {folder / 'model.onnx'}: NETWORK is a folder that holds model.onnx")
    arguments.output.mkdir(parents=True, exist_ok=True)
    failed = 0
    for folder in arguments.networks:
        try:
            measure(str(arguments.halftone), folder, arguments)
        except Failed as error:
            failed += 1
            print(f"error: {folder.name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
