#!/usr/bin/env python3
"""A fleet of every network of a folder on a Slurm cluster of two nodes on this machine, killed in the middle and resumed.

  labs/fleet/fleet_acceptance.py [FOLDER] [--budget=20s] [--output=DIR] [--halftone=PROGRAM]

FOLDER holds a subfolder with a model.onnx for each network; without it $HALFTONE_SHARED_DIR/models or shared/models beside the
repository. A third of the way a node is lost with its disk while it tunes; half of the way all jobs of the fleet are cancelled,
and `halftone fleet resume` goes on. Prints a line for each step and what was seen; exit code 1 where a network has no result or more
than one, where what was done is done again, or where the report is missing. Needs Slurm: scripts/test.sh fleet installs it.
"""
import argparse
import collections
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tests/fleet/slurm"))
from slurm_cluster import Cluster, Node, missing_programs  # noqa: E402

STEP_SECONDS = 3600  # for one step: a hang, nothing else


def say(line):
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def default_models():
    shared = os.environ.get("HALFTONE_SHARED_DIR", REPOSITORY.parent / "shared")
    return pathlib.Path(shared) / "models"


class Fleet:
    def __init__(self, cluster, halftone, folder, models, budget):
        self.cluster, self.halftone, self.folder = cluster, halftone, folder
        file = folder.parent / "fleet.yaml"
        # One thread each: the nodes share the cores of one machine.
        file.write_text(f"fleet: {folder}\nengine: slurm\ncheckpoint: 3\n"
                        f"kinds: {{this: {{constraint: acceptance}}}}\n"
                        f"defaults: {{budget: {budget}, threads: 1}}\n"
                        f"networks: [{{each: '{models}/*'}}]\n")
        self.file = file
        self.results_folder = folder / "rounds/1/results/this"

    def command(self, name, *words, check=True):
        target = self.file if name == "submit" else self.folder
        return self.cluster.run(self.halftone, "fleet", name, target, *words, check=check, seconds=600)

    def networks(self):
        return [network["name"] for network in json.loads((self.folder / "rounds/1/plan.json").read_text())["networks"]]

    def results(self):
        return {path.parent.name: path.stat().st_mtime_ns for path in self.results_folder.glob("[!.]*/result.json")}

    def details(self):
        return {name: json.loads((self.results_folder / name / "result.json").read_text()) for name in self.results()}

    def wait_for(self, count):
        self.cluster.wait_until(lambda: len(self.results()) >= count, STEP_SECONDS, f"{count} results")

    def node_with_checkpoint(self):
        """A node that tunes a network which has a checkpoint, and the network."""
        for path in (self.folder / "rounds/1/running/this").glob("*.json"):
            try:
                running = json.loads(path.read_text())
            except (OSError, ValueError):
                continue
            partial = self.folder / "rounds/1/partial/this" / path.stem
            busy = {element.node for element in self.cluster.squeue("--states=running")}
            if list(partial.glob("bank.*")) and running["node"] in busy and not (self.results_folder / path.stem).exists():
                return running["node"], path.stem
        return None


def run(cluster, arguments, folder):
    fleet = Fleet(cluster, arguments.halftone, folder / "fleet", arguments.models, arguments.budget)
    say(fleet.command("submit").stdout.strip().replace("\n", "; "))
    networks = fleet.networks()
    fleet.wait_for(len(networks) // 3)
    node, lost = cluster.wait_until(fleet.node_with_checkpoint, STEP_SECONDS, "task with a checkpoint")
    cluster.kill_node(node)
    say(f"{len(fleet.results())} of {len(networks)} done; {node} lost with its disk while it tuned {lost}")
    fleet.wait_for(len(networks) // 2)
    cluster.start_node(node)
    cluster.run("scancel", "--user=" + os.environ.get("USER", "root"))
    cluster.wait_until(lambda: not cluster.squeue(), STEP_SECONDS, "end of all jobs")
    before = fleet.results()
    say(f"{len(before)} of {len(networks)} done; all jobs cancelled")
    say(fleet.command("status").stdout.strip().replace("\n", "; "))
    cluster.wait_until(lambda: set(cluster.nodes) <= cluster.idle_nodes(), STEP_SECONDS, "idle nodes")
    say(fleet.command("resume").stdout.strip().replace("\n", "; "))
    cluster.wait_until(lambda: not cluster.squeue(), STEP_SECONDS, "end of all jobs")
    again = fleet.command("resume")
    say("second resume: " + again.stdout.strip().replace("\n", "; "))
    return judge(fleet, networks, before, lost)


def judge(fleet, networks, before, lost):
    after, details = fleet.results(), fleet.details()
    findings = [f"no result of {name}" for name in networks if name not in after]
    findings += [f"{name} was done again" for name, at in before.items() if after.get(name) != at]
    findings += [f"no {name}" for name in ("report.html", "report.md", "report.csv", "report.json")
                 if not (fleet.folder / "rounds/1" / name).exists()]
    findings += [f"left over: {path}" for path in (fleet.folder / "rounds/1/partial/this").glob("*")]
    ends = collections.Counter(result["end"] for result in details.values())
    say("; ".join(f"{count} {end}" for end, count in sorted(ends.items())))
    known = {name: result["known"] for name, result in details.items() if result["known"]}
    say(f"plans known from checkpoints: {known}; {lost}: {details.get(lost, {}).get('known')} known, "
        f"{details.get(lost, {}).get('measured')} measured")
    say(f"plans measured in all: {sum(result['measured'] for result in details.values())}")
    status = fleet.command("status", "--check", check=False)
    say(f"status --check: exit code {status.returncode}")
    for finding in findings:
        say("FINDING " + finding)
    return 1 if findings else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="?", type=pathlib.Path, default=default_models())
    parser.add_argument("--budget", default="20s")
    parser.add_argument("--output", type=pathlib.Path, default=REPOSITORY / "build/fleet_acceptance")
    parser.add_argument("--halftone", type=pathlib.Path, default=REPOSITORY / "build/release/bin/halftone")
    arguments = parser.parse_args()
    if missing := missing_programs():
        sys.exit(f"Slurm is not here ({', '.join(missing)}): scripts/test.sh fleet installs it")
    if not arguments.models.is_dir():
        sys.exit(f"no folder of networks at {arguments.models}: name one, or set HALFTONE_SHARED_DIR")
    folder = arguments.output.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as cluster_folder:
        nodes = [Node("n0", features="acceptance"), Node("n1", features="acceptance")]
        with Cluster(cluster_folder, nodes) as cluster:
            return run(cluster, arguments, folder)


if __name__ == "__main__":
    sys.exit(main())
