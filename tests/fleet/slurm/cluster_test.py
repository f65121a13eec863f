"""The cluster of the tests itself: an array and what depends on it, a lost node, a lost controller, no process left behind.

    cluster_test.py [<halftone> <source tree>]

It needs neither of the two, which all tests of the folder get.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

from kept_processes import parents
from slurm_cluster import Node, wait_until
from slurm_test_case import SlurmTestCase, main

HANG = 120  # seconds after which a condition counts as never

OWNER = """
import sys
sys.path.insert(0, sys.argv[1])
from slurm_cluster import Cluster, Node
cluster = Cluster(sys.argv[2], [Node("n0")])
cluster.start()
job = cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=setsid sleep 1000 & sleep 1000").stdout.strip()
cluster.wait_until(lambda: sum(c == ["sleep", "1000"] for c in cluster.processes("n0").values()) == 2, 60, "job")
print(*[pid for name in cluster.kept for pid in (cluster.kept[name].keeper.pid, *cluster.processes(name))], flush=True)
sys.stdin.read()
"""


class ClusterTest(SlurmTestCase):
    nodes = (Node("n0", features="fast"), Node("n1", features="fast,big"), Node("n2"))

    def submit(self, script, *options):
        return self.cluster.run("sbatch", "--parsable", f"--wrap={script}", *options, cwd=self.folder).stdout.strip()

    def ended(self, job):
        states = [element.state for element in self.cluster.squeue(f"--job={job}", "--states=all")]
        return states if states and all(state in ("COMPLETED", "FAILED") for state in states) else None

    def test_array_then_what_depends_on_it(self):
        array = self.submit("touch end.$SLURM_ARRAY_TASK_ID; exit $((SLURM_ARRAY_TASK_ID == 7))", "--array=0-19",
                            "--output=/dev/null")
        after = self.submit("ls -d end.* | wc -l", f"--dependency=afterany:{array}", "--output=count")
        states = wait_until(lambda: self.ended(after) and self.ended(array), HANG, "end of the array")
        self.assertEqual(sorted(states), ["COMPLETED"] * 19 + ["FAILED"])
        self.assertEqual((self.folder / "count").read_text(), "20\n")

    def test_constraint_and_disk_of_a_node(self):
        job = self.submit("echo $SLURMD_NODENAME $TMPDIR; touch $TMPDIR/mine", "--constraint=big", "--output=where")
        wait_until(lambda: self.ended(job), HANG, "end of the job")
        self.assertEqual((self.folder / "where").read_text(), f"n1 {self.cluster.disk('n1')}\n")
        self.assertTrue((self.cluster.disk("n1") / "mine").exists())
        refused = self.cluster.run("sbatch", "--constraint=absent", "--wrap=true", check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("Invalid feature specification", refused.stderr)

    def test_lost_node(self):
        self.submit("echo run ${SLURM_RESTART_COUNT:-0} $SLURMD_NODENAME >> runs; touch $TMPDIR/found; setsid sleep 999 & "
                    "[ ${SLURM_RESTART_COUNT:-0} -gt 0 ] || sleep 999", "--constraint=fast", "--array=0", "--requeue",
                    "--output=/dev/null")
        runs = self.folder / "runs"
        lines = lambda: runs.read_text().splitlines() if runs.exists() else []  # noqa: E731
        first, = wait_until(lines, HANG, "first run")
        lost = first.split()[2]
        wait_until((self.cluster.disk(lost) / "found").exists, HANG, "file on the disk")
        pids = self.cluster.processes(lost)
        self.assertIn(["sleep", "999"], pids.values())
        self.cluster.kill_node(lost)
        self.assertEqual(set(pids) & set(parents()), set())
        self.assertFalse(self.cluster.disk(lost).exists(), "the disk is lost with its node")
        wait_until(lambda: len(lines()) == 2, HANG, "second run")
        other = ({"n0", "n1"} - {lost}).pop()
        self.assertEqual(lines(), [f"run 0 {lost}", f"run 1 {other}"])
        self.cluster.start_node(lost)
        wait_until(lambda: lost in self.cluster.idle_nodes(), HANG, "node that is back")


class ControllerTest(SlurmTestCase):
    nodes = (Node("n0"),)

    def test_lost_controller(self):
        """A job runs on without the controller, and the next one knows it, from the state that the first one wrote."""
        job = self.cluster.run("sbatch", "--parsable", "--wrap=until [ -e go ]; do sleep 0.1; done; touch went",
                               "--output=/dev/null", cwd=self.folder).stdout.strip()
        wait_until(lambda: self.cluster.squeue(f"--job={job}", "--states=RUNNING"), HANG, "start of the job")
        state = self.cluster.folder / "state/job_state"
        written = state.stat().st_mtime_ns if state.exists() else 0
        self.cluster.run("scontrol", "update", f"jobid={job}", "comment=changed")  # something to write
        wait_until(lambda: state.exists() and state.stat().st_mtime_ns > written, HANG, "state that has the job")
        self.cluster.kill_controller()
        asked = self.cluster.run("sinfo", env={"SLURM_TIMEOUT": "1"}, check=False)
        self.assertNotEqual(asked.returncode, 0)
        self.cluster.start_controller()
        self.assertEqual([element.id for element in self.cluster.squeue(f"--job={job}")], [job])
        (self.folder / "go").touch()
        wait_until((self.folder / "went").exists, HANG, "end of the job")


class EndTest(unittest.TestCase):
    def test_nothing_is_left_of_a_killed_test(self):
        """SIGKILL runs no cleanup: the keepers see it and end daemons, steps, tasks and what left their session."""
        here = str(pathlib.Path(__file__).resolve().parent)
        for how in ("kill", "terminate"):
            with self.subTest(how), tempfile.TemporaryDirectory(prefix="fleet.") as folder:
                with subprocess.Popen([sys.executable, "-B", "-c", OWNER, here, folder], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, text=True) as owner:
                    pids = [int(pid) for pid in owner.stdout.readline().split()]
                    getattr(owner, how)()
                    owner.wait()
                self.assertGreater(len(pids), 8)
                wait_until(lambda: not set(pids) & set(parents()), HANG, "end of all processes")


if __name__ == "__main__":
    main([sys.argv[0], *sys.argv[3:]])
