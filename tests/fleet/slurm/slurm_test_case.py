"""What the tests with a cluster share: a cluster for each class, and the end of a test program.

Exit code 77 (skipped) with a sentence where Slurm is not installed or cannot run; with HALFTONE_REQUIRE_SLURM=1, which
`scripts/test.sh fleet` sets, that is a failure.
"""
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import unittest

from slurm_cluster import Cluster, ClusterError, Node, missing_programs

SKIPPED = 77
NODES = (Node("n0"), Node("n1"))


class SlurmTestCase(unittest.TestCase):
    """A cluster for the tests of a class, which name its nodes and the lines of its slurm.conf."""
    nodes = NODES
    settings = {}

    @classmethod
    def setUpClass(cls):
        # A short path: it holds sockets, whose names are bounded by 107 bytes.
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet."))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.cluster = Cluster(cls.folder / "cluster", cls.nodes, **cls.settings)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def run(self, result=None):
        """A failure prints the ends of the daemons' logs."""
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            print(self.cluster.printed_logs(), file=sys.stderr)
            self.explain_failure()

    def explain_failure(self):
        """Prints what helps to understand it."""


def skip(sentence):
    if os.environ.get("HALFTONE_REQUIRE_SLURM") == "1":
        sys.exit(f"error: {sentence}")
    print(f"skipped: {sentence}")
    sys.exit(SKIPPED)


def main(argv=None):
    """Runs the tests of the program, where a cluster can run."""
    # SIGTERM becomes an exception, so that what is open closes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if missing := missing_programs():
        skip(f"{', '.join(missing)} not found: `scripts/test.sh fleet` installs what tests of a fleet need")
    with tempfile.TemporaryDirectory(prefix="fleet.") as folder:
        try:
            Cluster(folder, [Node("n0")]).__enter__().stop()
        except ClusterError as error:
            skip(f"Slurm is installed and a cluster of one node does not start here: {error}")
    unittest.main(argv=argv)
