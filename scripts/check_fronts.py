#!/usr/bin/env python3
"""Checks fronts that scripts/results.sh made: global modes and written files.

    HALFTONE=build/release/bin/halftone scripts/check_fronts.py build/results

For every NETWORK/front.json of the folder:
  - every global mode (nothing kept, customized or set by node) that the knowledge base has a measurement of
    is on the front, or a member is no less accurate and no slower beyond a tie (3 %, docs/internals/latency.md);
  - the files of every point, given to `halftone explain`, resolve to the plan of the point: the same dtypes
    and implementation modes, by the digest of the plan.
Prints a line per network and every violation; exit code 1 when there was one. Standard library only.
"""
import json
import os
import pathlib
import subprocess
import sys

TIE = 1.03
GLOBAL = {"schema", "precision_mode", "op_precision_given", "impl_mode_by_type"}


def measured_of(trial):
    """Latency ratio and loss, None where rejected."""
    measurement = trial.get("measurement")
    if not measurement:
        return None
    losses = {m["name"]: m["mean"] for m in measurement["metrics"]}
    return measurement["ratio"], losses["rel_l2"]


def trials_by_model(halftone, bank):
    lines = subprocess.run([halftone, "bank", "export", f"--op_bank_path={bank}"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    models = {row["key"]: row["model_hash"] for row in rows if row.get("row") == "workload"}
    trials = {}
    for row in rows:
        if row.get("row") == "trial":
            trials.setdefault(models[row["workload"]], []).append(row)
    return trials


def global_modes_left_out(front, trials):
    members = [(p["latency_ratio"], p["accuracy"]["rel_l2"]["mean"]) for p in front["front"]]
    last = {t["plan_digest"]: t for t in trials if set(t["candidate"]) <= GLOBAL}  # confirmed ones come later
    count, bad = 0, []
    for trial in last.values():
        measured = measured_of(trial)
        if measured is None:
            continue
        count += 1
        ratio, loss = measured
        # float32 itself (ratio 1, loss 0) is what the front is compared with.
        if ratio < 1 and not any(r <= TIE * ratio and l <= loss for r, l in members + [(1.0, 0.0)]):
            bad.append(f"{trial['candidate']['precision_mode']}: {ratio:.3f} of the time, loss {loss:.3g}")
    return count, bad


def files_that_differ(halftone, front, folder):
    bad = []
    for point in front["front"]:
        arguments = point["arguments"]
        if not any(argument.startswith("--input_shape=") for argument in arguments):  # as version 0.1.0 wrote them
            arguments = [f"--input_shape={front['model']['input_shapes']}", *arguments]
        command = [halftone, "explain", f"--model={os.path.abspath(front['model']['path'])}", "--format=json",
                   *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if done.returncode != 0:
            bad.append(f"{point['folder']}: {done.stderr.strip()}")
            continue
        explained = json.loads(done.stdout)
        if explained["plan_digest"] == point["plan_digest"]:
            continue
        bad.append(f"{point['folder']}: the files give plan {explained['plan_digest']}, measured was "
                   f"{point['plan_digest']}")
        kept = {n["node"] for n in explained["nodes"] if n["compute"] == "float32"}
        for name in point["kept_nodes"]:
            if name not in kept:
                bad.append(f"{point['folder']}: '{name}' is not in float32")
        for name in point["low_precision_nodes"]:
            if name in kept:
                bad.append(f"{point['folder']}: '{name}' is in float32")
    return bad


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    results = pathlib.Path(sys.argv[1])
    halftone = os.path.abspath(os.environ.get("HALFTONE", "build/release/bin/halftone"))
    trials = trials_by_model(halftone, results / "bank")
    failed = False
    for path in sorted(results.glob("*/front.json")):
        front = json.loads(path.read_text())
        count, left_out = global_modes_left_out(front, trials.get(front["model"]["hash"], []))
        differ = files_that_differ(halftone, front, path.parent)
        points = len(front["front"])
        print(f"{path.parent.name}: {count} global plans, {len(left_out)} left out; "
              f"files of {points} points, {len(differ)} differences")
        for line in left_out + differ:
            print(f"  {line}")
        failed = failed or count == 0 or bool(left_out) or bool(differ)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
