"""int8_acceptance_table.py judges the figures that int8_acceptance.sh keeps."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "labs/int8_acceptance/int8_acceptance_table.py"

PLANS = ("int8", "int8, float32 ends")


def point(ratio, decibels, formats=()):
    return {"latency_ratio": ratio, "speed_up": 1 / ratio, "accuracy": {"sqnr_db": {"mean": decibels}},
            "options": {"node_formats": dict(formats)}}


def front(points, predictions=()):
    return {"front": points, "search": {"measured": 25}, "predictions": [
        {"configuration": "qint8 for 2 nodes", "predicted": {"rel_l2": 10 ** (-p / 20)}, "measured": {"rel_l2": 10 ** (-m / 20)}}
        for p, m in predictions]}


class Int8AcceptanceTable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, value):
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), encoding="utf-8")

    def row(self, number, *options, code=0):
        run = subprocess.run([sys.executable, SCRIPT, self.path, f"--rows={number}", *options], capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, code, run.stderr)
        return [cell.strip() for cell in run.stdout.splitlines()[4].split("|")][3:5]

    def errors(self, *ratios):
        for i, ratio in enumerate(ratios):
            self.write(f"error/net{i}.json", {"networks": [{"ours": dict.fromkeys(PLANS, ratio), "theirs": 1.0, "random_weights": False}]})
        self.write("error/squeezenet.json", {"networks": [{"ours": dict.fromkeys(PLANS, 0.25), "theirs": 1.0, "random_weights": False}]})

    def test_errors_within_their_bounds_pass(self):
        self.errors(0.5, 0.5)
        self.assertEqual(self.row(5)[1], "PASS")

    def test_one_error_above_that_of_the_peer_fails_with_its_network(self):
        self.errors(1.1, 0.01)
        self.assertEqual(self.row(5)[1], "FAIL: net0: 1.10 of its error, demanded at most 1")

    def test_a_larger_geometric_mean_fails(self):
        self.errors(0.9, 0.9)
        self.assertEqual(self.row(5)[1], "FAIL: geometric mean 0.59, demanded 0.5")

    def test_missing_networks_are_skipped_and_missing_figures_are_not_computed(self):
        measured, verdict = self.row(5, f"--models={self.path}")
        self.assertEqual(measured, "-")
        self.assertTrue(verdict.startswith("SKIPPED: none of dnsmos"), verdict)
        self.assertEqual(self.row(5, code=1)[1], "NOT COMPUTED: no figures of errors against ONNX Runtime")

    def test_fronts_are_judged_by_area_and_by_the_fastest_point(self):
        self.write("tune/net/off/front.json", front([point(0.5, 70)]))
        self.write("tune/net/on/front.json", front([point(0.5, 70), point(0.25, 35, {"conv": "qint8"})]))
        measured, verdict = self.row(7)
        self.assertIn("hypervolume not smaller in 1 of 1 networks; gain of 1.2x or more at 30 dB in 1, at 40 dB in 0", measured)
        self.assertNotIn("hypervolume is smaller", verdict)
        self.write("tune/net/on/front.json", front([point(0.6, 70)]))
        measured, verdict = self.row(7)
        self.assertIn("no int8 on the front of net", measured)
        self.assertIn("hypervolume is smaller with int8 in 1 (noise included): net", verdict)

    def test_predictions_are_judged_by_median_and_rank(self):
        self.write("tune/net/on/front.json", front([], [(20, 21), (30, 31), (40, 41)]))
        self.assertEqual(self.row(8), ["median error 1.00 dB of 3 plans with int8 in 1 networks; rank correlation 1.00 in the "
                                       "median network", "PASS"])
        self.write("tune/net/on/front.json", front([], [(20, 41), (30, 31), (40, 21)]))
        self.assertIn("rank correlation -1.00 in the median network, demanded 0.9", self.row(8)[1])

    def test_without_bias_correction_predictions_have_to_fail(self):
        self.write("tune/net/on/front.json", front([], [(20, 21), (30, 31), (40, 41)]))

        def plans(decibels):
            return [{"quantised": 3, "predicted": 10 ** (-40 / 20), "measured": 10 ** ((decibels - 40) / 20)}] * 3
        self.write("prediction/net.json", {"networks": [{"plans": plans(-1.0), "plans_without_bias_correction": plans(3.0)}]})
        measured, verdict = self.row(8)
        self.assertIn("net -1.0 dB, without bias correction +3.0", measured)
        self.assertEqual(verdict, "PASS")
        self.write("prediction/net.json", {"networks": [{"plans": plans(-1.0), "plans_without_bias_correction": plans(1.0)}]})
        self.assertEqual(self.row(8)[1], "FAIL: without bias correction the predictions do not fail visibly")

    def test_costs_are_a_share_of_ten_minutes(self):
        row = {"calibration_s": 60, "probes_s": 40, "probes_without_int8_s": 10, "samples": 64, "peak_bytes": 2 ** 20}
        self.write("cost/squeezenet.json", {"networks": [row]})
        self.assertEqual(self.row(9)[1], "PASS")
        self.write("cost/squeezenet.json", {"networks": [row | {"calibration_s": 61}]})
        self.assertEqual(self.row(9)[1], "FAIL: 15.2 % of the budget, allowed 15 %")


if __name__ == "__main__":
    unittest.main()
