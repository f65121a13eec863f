"""real_size.py reads what run prints; real_size_table.py computes areas and speed-ups of judged fronts."""
import importlib.util
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "labs/real_size"
SCRIPT = FOLDER / "real_size_table.py"


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE = load("real_size_table")
MEASURE = load("real_size")
PRINTED = """measured by tune at 2026-11-28T09:35:58Z: speed-up 2.346x [2.189, 2.604], 40.5 dB SQNR, halftone 0.1.0
sqnr_db          mean 40.5141      worst 40.5141 (sample 0 (test_data_set_0[0]))
rel_l2           mean 0.0094253    worst 0.0094253 (sample 0 (test_data_set_0[0]))
timed runs: 17, 0:01 so far
speed-up 2.201x [2.121, 2.238] over fp32; 15.5 ms a run, fp32 33.8 ms
"""


def network():
    def search(strategy, runs, plans):
        return {"strategy": strategy, "runs": runs, "plans": len(plans), "points": [{"plan": plan} for plan in plans],
                "phases": [{"phase": "search", "seconds": 0.2 * runs}]}

    return {"network": "net", "run_s": 0.5,
            "judged": {"a": {"latency_ratio": 0.5, "rel_l2": 1e-2}, "b": {"latency_ratio": 0.8, "rel_l2": 1e-4}},
            "searches": {"model-30": search("model", 30, ["a"]), "model-120": search("model", 120, ["a", "b"]),
                         "random-30": search("random", 30, []), "random-120": search("random", 120, ["b"])}}


class RealSize(unittest.TestCase):
    def test_a_judgement_is_of_this_run_and_not_of_tune(self):
        self.assertEqual(MEASURE.judgement_in(PRINTED), {"latency_ratio": 1 / 2.201, "rel_l2": 0.0094253})
        with self.assertRaises(MEASURE.Failed):
            MEASURE.judgement_in("\n".join(PRINTED.splitlines()[:-1]))


class RealSizeTable(unittest.TestCase):
    def test_an_area_is_what_the_points_cover(self):
        self.assertEqual(TABLE.area([]), 0)
        self.assertAlmostEqual(TABLE.area([(0.5, 1e-2)]), 0.5 * 40 / 140)
        self.assertAlmostEqual(TABLE.area([(0.5, 1e-2), (0.8, 1e-4)]), (0.2 * 40 + 0.5 * 40) / 140)
        self.assertAlmostEqual(TABLE.area([(0.8, 1e-4), (0.9, 1e-2)]), 0.2 * 80 / 140, msg="a dominated point adds nothing")
        self.assertAlmostEqual(TABLE.area([(1.2, 0)]), 0, msg="nor does one slower than float32")
        self.assertAlmostEqual(TABLE.area([(0.0, 0)]), 1)

    def test_float32_keeps_every_bound(self):
        self.assertEqual(TABLE.speed_up([(0.5, 1e-2)], 1e-3), 1)
        self.assertEqual(TABLE.speed_up([(0.5, 1e-2), (0.8, 1e-4)], 1e-2), 2)

    def test_shares_are_of_the_longest_search_of_the_first_strategy(self):
        rows = TABLE.quality([network()], [1e-2, 1e-3])
        share = 0.5 * 40 / (0.2 * 40 + 0.5 * 40)
        self.assertIn(f"| net | 500 | 30 | {share:.3f} 2.00, 1.00 | 0.000 1.00, 1.00 |", rows)
        self.assertIn(f"| net | 500 | 120 | 1.000 2.00, 1.25 | {0.2 * 80 / 28:.3f} 1.25, 1.25 |", rows)

    def test_the_mean_of_networks_is_geometric(self):
        self.assertAlmostEqual(TABLE.geometric_mean([0.25, 1]), 0.5)
        other = network()
        other["judged"]["b"]["latency_ratio"] = 0.5
        rows = TABLE.quality([network(), other], [1e-2])
        mean = math.sqrt(0.5 * 40 / 28 * 0.5)
        self.assertTrue(any(row.startswith(f"| **geometric mean** |  | 30 | **{mean:.3f}**") for row in rows), rows)

    def test_costs_are_in_float32_runs(self):
        self.assertIn("| net | 30 | 1 | 12 |", TABLE.cost([network()]))

    def test_a_file_without_searches_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "net.json"
            file.write_text(json.dumps({**network(), "searches": {}}), encoding="utf-8")
            run = subprocess.run([sys.executable, SCRIPT, file], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("no search is in these files", run.stderr)


if __name__ == "__main__":
    unittest.main()
