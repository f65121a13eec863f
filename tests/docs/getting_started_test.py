#!/usr/bin/env python3
"""docs/guide/getting_started.md runs as it is written, and each job ends with what it promises.

    getting_started_test.py <halftone> <source tree>
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HALFTONE = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
PAGE = (SOURCE / "docs/guide/getting_started.md").read_text()
HEADING = re.compile(r"^## (\d+)\. ", re.M)
BLOCK = re.compile(r"```sh\n(.*?)```", re.S)
# Exit codes of retune by its verdict; which of them a busy machine gives is no fault of the page.
RETUNED = {"holds": 0, "does_not_hold": 3, "inconclusive": 5}
ENDS = {7: tuple(RETUNED.values())}


def jobs():
    """The commands of each job, by its number."""
    parts = HEADING.split(PAGE)[1:]
    return {int(number): BLOCK.findall(text) for number, text in zip(parts[::2], parts[1::2])}


class GettingStarted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="halftone_getting_started_")
        cls.work = pathlib.Path(cls.folder.name)
        (cls.work / "examples").symlink_to(SOURCE / "examples")
        cls.environment = dict(os.environ, HOME=str(cls.work), XDG_DATA_HOME=str(cls.work / "data"),
                               PATH=f"{HALFTONE.parent}:{os.environ['PATH']}")
        cls.printed = {}
        cls.ended = {}
        for number, blocks in jobs().items():
            for block in blocks:
                done = subprocess.run(["bash", "-eu", "-c", block], cwd=cls.work, env=cls.environment,
                                      capture_output=True, text=True, check=False)
                if done.returncode not in ENDS.get(number, (0,)):
                    raise AssertionError(f"job {number} ended with {done.returncode}:\n{block}\n"
                                         f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
                cls.printed[number] = cls.printed.get(number, "") + done.stdout
                cls.ended[number] = done.returncode

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def front(self, name):
        return json.loads((self.work / "out" / name / "front.json").read_text())

    def chosen(self, name):
        points = [point for point in self.front(name)["front"] if point["chosen"]]
        self.assertEqual(len(points), 1, name)
        return points[0]

    def test_every_job_has_commands(self):
        self.assertEqual(sorted(jobs()), list(range(1, 9)))
        for number, blocks in jobs().items():
            self.assertTrue(blocks, number)

    def test_the_classifier_is_promised(self):
        self.assertIn("verdict: promised", self.printed[1])
        # The second where this CPU runs nothing faster than float32.
        self.assertRegex(self.printed[1], "Promised: (the drop of top-1 on new samples is at most|its outputs are those of float32)")

    def test_the_detector_has_a_point_by_its_own_metric(self):
        self.assertIn("Promised: the metric on new samples is at least", self.printed[2])
        self.assertNotIn("top-1", self.printed[2], "boxes are no classes")

    def test_the_recurrent_network_ran_over_sequences(self):
        self.assertIn("the fastest that meets an SQNR of at least 30 dB", self.printed[3])
        data = self.front("denoiser")["data"]
        self.assertEqual(data["samples"] + data["heldout_samples"], 32)

    def test_each_image_is_bounded(self):
        self.assertIn("Promised: 95 % of new samples have an SQNR of at least", self.printed[4])

    def test_ascend_has_files_and_no_times_of_this_cpu(self):
        self.assertIn("--soc_version=Ascend310P3", self.printed[5])
        self.assertIn("predicted", self.printed[5])
        self.assertGreaterEqual(self.chosen("ascend")["speed_up"], 1, "float16 is its default")

    def test_the_gates_pass_and_are_written(self):
        self.assertIn("gate search_sqnr_db<30: passed", self.printed[6])
        self.assertIn("<testsuite", (self.work / "out/gate.xml").read_text())

    def test_what_was_shipped_is_judged(self):
        self.assertIn("speed-up", self.printed[7])
        retuned = json.loads((self.work / "out/retuned/retune.json").read_text())
        self.assertEqual(self.ended[7], RETUNED[retuned["verdict"]])
        self.assertTrue(retuned["promise"]["holds"], "the same kernels and samples")
        for failure in retuned["failures"]:
            self.assertRegex(failure, "latency: |a run takes ", "nothing but the clock may fail")

    def test_the_comparison_says_what_differs(self):
        self.assertIn("max_top1_drop: 0.02 | none", self.printed[8])


if __name__ == "__main__":
    unittest.main()
