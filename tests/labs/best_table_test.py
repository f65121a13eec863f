"""best_table.py chooses the best of both programs within the bound, and says what is missing."""
import copy
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "labs/onnxruntime"))
import best_table  # noqa: E402


def form(ms, rel_l2):
    """Against 4 ms of float32 and 2 ms of the tuned point."""
    return {"ms": ms, "rel_l2": rel_l2, "ratio": ms / 4, "ratio_interval": [ms / 4, ms / 4], "ratio_to_best": ms / 2}


FORMS = {
    "ours_f32": form(4.0, 1e-6),
    "ours_best": form(2.0, 5e-3),
    "peer_f32": form(6.0, 0.0),
    "peer_f16": form(5.0, 2e-3),
    "peer_int8": form(1.0, 3e-1),
}
DOCUMENT = {
    "halftone": "0.2.0", "bound": 0.01, "threads": 1, "onnxruntime": "1.30.0", "cpu": "Some(R) CPU @ 2.5GHz (Some 6.85)",
    "compiler": "gcc 12.2", "time": "2026-11-25T14:00:00.000Z", "budget_s": 3.0,
    "networks": [{"network": "mnist", "forms": FORMS, "random_weights": False, "other_cores": 0.05}],
}


def changed(**forms):
    document = copy.deepcopy(DOCUMENT)
    document["networks"][0]["forms"].update(forms)
    return document


# name, document, the row of the network.
CASES = (
    ("all forms run", DOCUMENT,
     "| mnist | 4.000 | 2.000 (5e-03) | 6.000 | 5.000 (2e-03) | 1.000 (3e-01) | 1.50 | 3.00 | 2.50 |"),
    ("int8 keeps the bound", changed(peer_int8=form(1.0, 1e-3)),
     "| mnist | 4.000 | 2.000 (5e-03) | 6.000 | 5.000 (2e-03) | 1.000 (1e-03) | 1.50 | 3.00 | 0.50 |"),
    ("float16 is slower", changed(peer_f16=form(8.0, 2e-3)),
     "| mnist | 4.000 | 2.000 (5e-03) | 6.000 | 8.000 (2e-03) | 1.000 (3e-01) | 1.50 | 3.00 | 3.00 |"),
    ("float16 overflows", changed(peer_f16=form(5.0, None)),
     "| mnist | 4.000 | 2.000 (5e-03) | 6.000 | 5.000 (overflow) | 1.000 (3e-01) | 1.50 | 3.00 | 3.00 |"),
    ("float16 is refused", changed(peer_f16={"missing": "ONNX Runtime: no"}),
     "| mnist | 4.000 | 2.000 (5e-03) | 6.000 | - | 1.000 (3e-01) | 1.50 | 3.00 | 3.00 |"),
    ("the point misses the bound", changed(ours_best=form(2.0, 2e-2)),
     "| mnist | 4.000 | 4.000 (0e+00) | 6.000 | 5.000 (2e-03) | 1.000 (3e-01) | 1.50 | 1.50 | 1.25 |"),
    ("the point is slower", changed(ours_best=form(4.4, 5e-3)),
     "| mnist | 4.000 | 4.000 (0e+00) | 6.000 | 5.000 (2e-03) | 1.000 (3e-01) | 1.50 | 1.50 | 1.25 |"),
    ("there is no point", changed(ours_best={"missing": "halftone: there is no tuned point"}),
     "| mnist | 4.000 | 4.000 (0e+00) | 6.000 | 5.000 (2e-03) | 1.000 (3e-01) | 1.50 | 1.50 | 1.25 |"),
)


class BestTable(unittest.TestCase):
    def test_rows(self):
        for name, document, expected in CASES:
            with self.subTest(name):
                self.assertEqual(best_table.table(document)[2], expected)

    def test_geometric_means_are_the_last_line(self):
        document = copy.deepcopy(DOCUMENT)
        document["networks"].append(changed(peer_f32=form(24.0, 0.0))["networks"][0] | {"network": "other"})
        self.assertEqual(best_table.report(document)[-1], "| **geometric mean** |  |  |  |  |  | **3.00** | **6.00** | **2.50** |")

    def test_notes(self):
        document = changed(peer_f16={"missing": "ONNX Runtime: no\nkernel"}, ours_best=form(2.0, 2e-2))
        document["networks"][0]["random_weights"] = True
        document["networks"] += [
            {"network": "a", "not_compared": "halftone: no operator"}, {"network": "b", "failure": "the outputs disagree"},
            changed(ours_best=form(4.4, 5e-3))["networks"][0] | {"network": "c"},
        ]
        self.assertEqual(best_table.notes(document), [
            "- mnist: no float16 of ONNX Runtime: ONNX Runtime: no kernel",
            "- mnist: float32 is the best: the tuned point misses the bound here: 2.000 (2e-02)",
            "- a: not compared: halftone: no operator",
            "- b: the outputs disagree",
            "- c: float32 is the best: the tuned point is slower here: 4.400 (5e-03)",
            "- random weights, whose errors say little: mnist",
        ])
        self.assertEqual(len(best_table.table(document)), 5)

    def test_names_of_cpus(self):
        for cpu, name in (
            ("Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz (GenuineIntel 6.85)", "intel-xeon-gold-6130-cpu-2-10ghz"),
            ("AMD EPYC (AuthenticAMD 25.17)", "amd-epyc"),
            ("unknown CPU", "unknown-cpu"),
        ):
            self.assertEqual(best_table.name_of_cpu(cpu), name)

    def test_pages(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            made = best_table.write_page(DOCUMENT, "the command", "", folder)
            self.assertEqual(made.name, "2026-11-25-some-cpu-2-5ghz-vs-onnxruntime.md")
            self.assertIn("\nthe command\n", made.read_text())
            self.assertEqual(best_table.write_page(DOCUMENT, "", "zen4", folder).name, "2026-11-25-zen4-vs-onnxruntime.md")
            with self.assertRaisesRegex(SystemExit, "^error: .*zen4-vs-onnxruntime.md is there and stays as it was measured"):
                best_table.write_page(DOCUMENT, "", "zen4", folder)


if __name__ == "__main__":
    unittest.main()
