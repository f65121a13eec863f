"""What the tests of `halftone fleet` share: small networks, a fleet's file, and questions about its folder.

Networks are the digits network with a bit of its weights changed, so that each has trials of its own. A search of four
plans takes half a second. A gate makes a moment in a search last: its metric is a program that waits for a file.
"""
import contextlib
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import zlib

import slurm_test_case
from slurm_cluster import Node, wait_until
from slurm_test_case import SlurmTestCase

HANG = 240  # seconds after which a condition counts as never
MAX_TRIALS = 4
# Of the digits network: block1/conv2/weight, float32.
WEIGHTS_AT, WEIGHTS = 59838, 9216

GATE = """#!/bin/sh
# gate.sh FOLDER LEAST OUTPUTS: a metric. Counts its calls; from the one after LEAST it waits for FOLDER/open.
echo >> "$1/calls"
if [ "$(wc -l < "$1/calls")" -gt "$2" ]; then
  touch "$1/waits"
  until [ -e "$1/open" ]; do sleep 0.1; done
fi
echo 1
"""


class Gate:
    """Holds a search after `least` calls of its metric, until open()."""

    def __init__(self, folder, least):
        self.folder, self.least = folder, least
        folder.mkdir()
        (folder / "gate.sh").write_text(GATE)

    def options(self):
        return {"metric": f"command:/bin/sh {self.folder}/gate.sh {self.folder} {self.least}", "metric_better": "higher"}

    def waits(self):
        return (self.folder / "waits").exists()

    def calls(self):
        return len((self.folder / "calls").read_text().splitlines())

    def open(self):
        (self.folder / "open").touch()


class Fleet:
    """A fleet's folder, and the program."""

    def __init__(self, test, file, folder):
        self.test, self.file, self.folder = test, file, folder
        self.round = folder / "rounds/1"

    def submit(self, *options, check=True):
        return self.test.halftone("fleet", "submit", self.file, *options, check=check)

    def command(self, name, *options, check=True):
        return self.test.halftone("fleet", name, self.folder, *options, check=check)

    def items(self):
        """State and text by (kind, network)."""
        status = json.loads(self.command("status", "--format=json").stdout)
        return {(item["kind"], item["network"]): (item["state"], item["text"]) for item in status["items"]}

    def states(self):
        return {key: state for key, (state, _) in self.items().items()}

    def jobs(self, purpose):
        """Records of jobs that were submitted, in order."""
        records = [json.loads(path.read_text()) for path in sorted((self.round / "jobs").glob("*.json"))]
        return [record for record in records if record["purpose"] == purpose]

    def job_state(self, purpose):
        """State of the last job of a purpose in Slurm's words, the same of all its elements."""
        job = self.jobs(purpose)[-1]["job"]
        states = {element.state for element in self.test.cluster.squeue(f"--jobs={job}", "--states=all")}
        return states.pop() if len(states) == 1 else states

    def results(self):
        """result.json by (kind, network)."""
        return {(path.parts[-3], path.parts[-2]): json.loads(path.read_text())
                for path in (self.round / "results").glob("*/*/result.json")}

    def result(self, kind, network):
        """Folder of a result."""
        return self.round / "results" / kind / network

    def merged(self, kind):
        """Trials in the bank of all results of a kind."""
        return count_trials(self.folder / "merged" / kind)

    def unmerged(self, kind, networks):
        """The one of these that no merge between tasks has had; None while two are missing."""
        listed = self.folder / f"merged/.{kind}.list"
        known = {line.split()[1] for line in listed.read_text().splitlines()} if listed.exists() else set()
        left = [name for name in networks if name not in known]
        return left[0] if len(left) == 1 else None

    def left_over(self):
        """What tasks leave that did not end well: checkpoints, progress, results in the making."""
        found = [path for name in ("partial", "running") for path in (self.round / name).rglob("*") if not path.is_dir()]
        found += [path for path in (self.round / "results").glob("*/*") if not (path / "result.json").exists()]
        return [str(path.relative_to(self.round)) for path in found]

    def a_minute_later(self):
        """What shows the progress of a task counts as long as it is fresh."""
        for path in (self.round / "running").glob("*/*.json"):
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 120))

    def logs(self):
        return "".join(f"--- {path.name}\n{path.read_text(errors='replace')}" for path in sorted((self.round / "logs").glob("*")))

    def wait_for_results(self, count):
        wait_until(lambda: len(self.results()) >= count, HANG, f"{count} results")

    def wait_for_end(self):
        """All of its jobs are out of the queue, the merge and the report too."""
        own = {record["job"] for path in (self.round / "jobs").glob("*.json") for record in [json.loads(path.read_text())]}
        wait_until(lambda: not [element for element in self.test.cluster.squeue() if element.id.split("_")[0] in own],
                   HANG, "end of all jobs of the fleet")


class FleetTestCase(SlurmTestCase):
    halftone_program = None  # set by main()
    source = None
    nodes = (Node("n0", features="zen5"), Node("n1", features="zen5"))

    def setUp(self):
        self.work = self.shared_folder() / self.id().split(".")[-1]
        self.work.mkdir()
        self.fleets = []

    def shared_folder(self):
        """Where the fleets of the class lie."""
        return self.folder

    def explain_failure(self):
        for element in self.cluster.squeue("--states=all"):
            print(element)
        print(self.cluster.run("sinfo", "-N", "-o", "%N %T %E", check=False).stdout)
        for fleet in self.fleets:
            print(f"=== {fleet.folder}\n{fleet.command('status', check=False).stdout}{fleet.logs()}")

    def halftone(self, *words, check=True):
        return self.cluster.run(self.halftone_program, *words, check=check, seconds=300, cwd=self.work)

    def network(self, name):
        """Path of a network; each name has another weight changed by its last bit."""
        model = bytearray((self.source / "examples/digits/model.onnx").read_bytes())
        model[WEIGHTS_AT + 4 * (zlib.crc32(name.encode()) % WEIGHTS)] ^= 1
        path = self.work / "models" / f"{name}.onnx"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(model)
        return path

    def broken_network(self, name):
        path = self.network(name)
        path.write_bytes(path.read_bytes()[:1000])
        return path

    def fleet(self, networks, kinds=None, name="fleet", **defaults):
        """A fleet of networks: paths, or a path and its options. Kinds: a constraint by name."""
        digits = self.source / "examples/digits"
        options = {"inputs": f"{digits}/search_inputs.npy", "labels": f"{digits}/search_labels.npy", "max_trials": MAX_TRIALS,
                   "quantize": "off", "operator_tuning": "off", "threads": 1, **defaults}
        rows = []
        for network in networks:
            path, own = network if isinstance(network, tuple) else (network, {})
            rows.append({"model": str(path), **own})
        file = self.work / f"{name}.yaml"
        # JSON is YAML.
        file.write_text(json.dumps({
            "fleet": str(self.work / name), "engine": "slurm", "checkpoint": 0,
            "kinds": {kind: {"constraint": constraint} for kind, constraint in (kinds or {"zen5": "zen5"}).items()},
            "defaults": {key: str(value) for key, value in options.items()}, "networks": rows}, indent=1))
        made = Fleet(self, file, self.work / name)
        self.fleets.append(made)
        return made

    def gate(self, least=2):
        return Gate(self.folder / f"gate.{self.work.name}", least)


def count_trials(folder):
    """Trials in the banks of a folder: those of the newest copy, where there are several; 0: none is there yet."""
    try:
        banks = sorted(folder.rglob("halftone.db"), key=lambda path: path.stat().st_mtime_ns)
        if not banks:
            return 0
        with contextlib.closing(sqlite3.connect(f"file:{banks[-1]}?mode=ro", uri=True)) as database:
            return database.execute("SELECT count(*) FROM trial").fetchone()[0]
    except (OSError, sqlite3.Error):
        return 0  # a copy that is just replaced, a bank that is just made


def main(*, in_own_mounts=False):
    """Runs the tests of a program called with <halftone> <source tree> and words for unittest."""
    if in_own_mounts and os.environ.get("HALFTONE_OWN_MOUNTS") != "1":
        enter_own_mounts()
    program, source, *words = sys.argv[1:]
    FleetTestCase.halftone_program = pathlib.Path(program).resolve()
    FleetTestCase.source = pathlib.Path(source).resolve()
    slurm_test_case.main([sys.argv[0], *words])


def enter_own_mounts():
    """This program again, where its mounts are its own. Root alone may mount what Slurm runs on."""
    command = ["unshare", "--mount"]
    if os.geteuid() != 0:
        refusal = "only root may mount one"
    elif not shutil.which("unshare") or subprocess.run([*command, "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                                                       capture_output=True).returncode:
        refusal = "`unshare --mount` does not work here"
    else:
        os.execvpe("unshare", [*command, sys.executable, "-B", *sys.argv], {**os.environ, "HALFTONE_OWN_MOUNTS": "1"})
    print(f"skipped: a test with a full folder needs a small file system, and {refusal}")
    sys.exit(slurm_test_case.SKIPPED)
