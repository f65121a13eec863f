"""`halftone fleet` with a shared folder that is full: nothing is lost, and what was measured is not measured again.

    full_folder_test.py <halftone> <source tree>

The folder is a small tmpfs in a mount name space of the test's own; exit code 77 (skipped) where that is refused.
"""
import errno
import subprocess

from fleet_test_case import HANG, MAX_TRIALS, FleetTestCase, main
from slurm_cluster import Node, wait_until

SIZE = 16 << 20


class FullFolderTest(FleetTestCase):
    nodes = (Node("n0", features="zen5"),)  # its disk has what could not be published

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.small = cls.folder / "small"
        cls.small.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", cls.small], check=True)
        cls.addClassCleanup(subprocess.run, ["umount", "-l", cls.small])

    def shared_folder(self):
        return self.small

    def fill(self):
        """No byte is left; the file that holds them."""
        path = self.small / "filler"
        with open(path, "wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
        return path

    def test_full_folder(self):
        gate = self.gate()
        fleet = self.fleet([(self.network("alpha"), gate.options())])
        fleet.submit()
        wait_until(gate.waits, HANG, "search that waits")
        filler = self.fill()
        gate.open()
        fleet.wait_for_end()
        self.assertEqual(fleet.results(), {})
        fleet.a_minute_later()
        self.assertEqual(fleet.states(), {("zen5", "alpha"): "to do"})
        log = fleet.logs()
        self.assertIn("the result of 'alpha' could not be published: ", log)
        self.assertIn("No space left on device; it stays in", log)
        filler.unlink()
        calls = gate.calls()
        fleet.command("resume")
        fleet.wait_for_results(1)
        fleet.wait_for_end()
        self.assertEqual(gate.calls(), calls, "nothing is measured again")
        result = fleet.results()["zen5", "alpha"]
        self.assertEqual(result["measured"], MAX_TRIALS)
        self.assertEqual(fleet.left_over(), [])


if __name__ == "__main__":
    main(in_own_mounts=True)
