"""`halftone fleet` on a cluster that fails: a node lost, a task killed, a controller killed.

    fault_test.py <halftone> <source tree>
"""
import os
import signal

from fleet_test_case import HANG, MAX_TRIALS, FleetTestCase, count_trials, main
from slurm_cluster import Node, wait_until

HELD = "launch failed requeued held"  # what Slurm says of it


class FaultTest(FleetTestCase):
    def wait_for_checkpoint(self, fleet, network, gate):
        """The search waits, and the folder has all that it measured before: so many trials."""
        wait_until(gate.waits, HANG, "search that waits")
        disk = self.cluster.disk(self.node_of(fleet))
        measured = wait_until(lambda: count_trials(disk), HANG, "trials on the disk of the node")
        checkpoint = fleet.round / "partial/zen5" / network
        wait_until(lambda: count_trials(checkpoint) >= measured, HANG, f"checkpoint of {measured} trials")
        return count_trials(checkpoint)

    def node_of(self, fleet):
        """Where the one task runs that is left."""
        job = fleet.jobs("tasks")[-1]["job"]

        def one_node():
            nodes = [element.node for element in self.cluster.squeue(f"--jobs={job}", "--states=RUNNING")]
            return nodes[0] if len(nodes) == 1 else None
        return wait_until(one_node, HANG, "task that is left")

    def work_process(self, node):
        """`halftone fleet work` on a node."""
        found = [pid for pid, words in self.cluster.processes(node).items() if words[1:3] == ["fleet", "work"]]
        self.assertEqual(len(found), 1, self.cluster.processes(node))
        return found[0]

    def test_lost_node(self):
        """The search goes on on another node, with the trials of its checkpoint; the disk of the lost one is gone."""
        gate = self.gate(least=3)
        fleet = self.fleet([(self.network("alpha"), gate.options()), self.network("beta")])
        fleet.submit()
        fleet.wait_for_results(1)
        known = self.wait_for_checkpoint(fleet, "alpha", gate)
        lost = self.node_of(fleet)
        self.cluster.kill_node(lost)
        gate.open()
        fleet.wait_for_results(2)
        fleet.wait_for_end()
        result = fleet.results()["zen5", "alpha"]
        self.assertNotEqual(result["node"], lost)
        self.assertGreaterEqual(result["known"], known)
        self.assertEqual(result["measured"] + result["known"], MAX_TRIALS)
        self.assertEqual(result["attempts"], 2)
        self.assertEqual(set(fleet.states().values()), {"done"})
        self.assertEqual(fleet.left_over(), [])
        self.cluster.start_node(lost)
        wait_until(lambda: lost in self.cluster.idle_nodes(), HANG, "node that is back")

    def test_killed_task(self):
        """Slurm does not run it again: status says so, and resume submits it, and it alone."""
        gate = self.gate(least=3)
        fleet = self.fleet([(self.network("alpha"), gate.options()), self.network("beta")])
        fleet.submit()
        fleet.wait_for_results(1)
        known = self.wait_for_checkpoint(fleet, "alpha", gate)
        node = self.node_of(fleet)
        os.kill(self.work_process(node), signal.SIGKILL)
        fleet.wait_for_end()
        fleet.a_minute_later()
        state, text = fleet.items()["zen5", "alpha"]
        self.assertEqual(state, "to do")
        self.assertIn("ended without a result", text)
        self.assertIn("halftone fleet resume", fleet.command("status").stdout)
        self.assertEqual(fleet.command("status", "--check", check=False).returncode, 3)
        before = fleet.results()["zen5", "beta"]
        gate.open()  # for the search that lost its task, which ends after the trial that it measures
        wait_until(lambda: not [words for words in self.cluster.processes(node).values() if "tune" in words], HANG,
                   "end of the search that lost its task")
        self.assertIn("zen5: 1 network in 1 task", fleet.command("resume").stdout)
        with open(fleet.jobs("tasks")[-1]["list"]) as file:
            self.assertEqual(file.read(), "alpha\n")
        fleet.wait_for_results(2)
        fleet.wait_for_end()
        result = fleet.results()["zen5", "alpha"]
        self.assertGreaterEqual(result["known"], known)
        self.assertEqual(result["measured"] + result["known"], MAX_TRIALS)
        self.assertEqual(fleet.results()["zen5", "beta"], before)
        self.assertEqual(set(fleet.states().values()), {"done"})
        self.assertEqual(fleet.left_over(), [])


class ControllerTest(FleetTestCase):
    nodes = (Node("n0", features="zen5"), Node("n1", features="zen5"))

    def test_lost_controller(self):
        """What ran without it is a result; the rest runs, and `resume` sees to what Slurm forgot."""
        gate = self.gate()
        paths = [self.network(name) for name in ("alpha", "beta", "gamma", "delta")]
        fleet = self.fleet([(paths[0], gate.options()), *paths[1:]])
        fleet.submit()
        wait_until(gate.waits, HANG, "search that waits")
        self.cluster.kill_controller()
        gate.open()
        fleet.wait_for_results(1)
        self.cluster.start_controller()

        # Where Slurm forgot that it had started an element, it starts it again, and where the element still runs it takes
        # the node out of service and holds the element for ever: the one is an administrator's, the other is for resume.
        def all_done():
            self.cluster.resume_nodes()
            if not [element for element in self.cluster.squeue() if element.reason not in (HELD, "Dependency")]:
                fleet.command("resume")
            return not self.cluster.squeue() and len(fleet.results()) == len(paths)
        wait_until(all_done, HANG, "results of all networks and an empty queue")
        self.assertEqual(set(fleet.states().values()), {"done"})
        self.assertEqual(fleet.left_over(), [])
        fleet.command("merge")
        self.assertEqual(fleet.merged("zen5"), sum(count_trials(fleet.result("zen5", path.stem)) for path in paths))


if __name__ == "__main__":
    main()
