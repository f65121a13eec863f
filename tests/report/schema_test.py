"""front.json against docs/reference/front.schema.json, and junit.xml as a CI server reads it.

    schema_test.py <halftone_example_reports> <halftone> <source tree>

Exit code 77 (skipped) without Debian's python3-jsonschema.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

try:
    import jsonschema
except ImportError:
    print("SKIPPED: the schema of front.json is checked with Debian's python3-jsonschema")
    sys.exit(77)

GATE_FAILED = 4


def closed(schema):
    """Without fields that the schema does not name: users may see such of newer versions, we must not."""
    if isinstance(schema, dict):
        more = {"additionalProperties": False} if "properties" in schema else {}
        return {**{key: closed(value) for key, value in schema.items()}, **more}
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads((SOURCE / "docs/reference/front.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(closed(cls.schema))

    def complaints(self, document):
        return [f"{'/'.join(map(str, e.path))}: {e.message}" for e in self.validator.iter_errors(document)]

    def test_examples_are_valid(self):
        for folder in sorted(FOLDER.iterdir()):
            with self.subTest(folder.name):
                self.assertEqual(self.complaints(json.loads((folder / "front.json").read_text())), [])

    def test_histograms_are_valid(self):
        schema = json.loads((SOURCE / "docs/reference/histograms.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        for name in ("example", "hostile", "large"):
            document = json.loads((FOLDER / name / "histograms.json").read_text())
            self.assertEqual([error.message for error in validator.iter_errors(document)], [], name)
        self.assertEqual((FOLDER / "empty" / "histograms.json").read_text(), "")
        for path, value in ((("schema_version",), 2), (("surprise",), 1), (("tensors", 1, "scale"), 0),
                            (("tensors", 1, "histogram", "counts"), []), (("tensors", 1, "seen", "observed"), [1]),
                            (("weights", 0, "scales"), [1, 2]), (("weights", 0, "places"), [[1, 2]])):
            bad = json.loads((FOLDER / "example" / "histograms.json").read_text())
            place = bad
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            self.assertNotEqual(list(validator.iter_errors(bad)), [], path)

    def test_the_schema_refuses_what_is_not_so(self):
        good = json.loads((FOLDER / "example" / "front.json").read_text())
        for what in (("schema_version", 2), ("front", [{}]), ("gates", None), ("sensitivity", [{"node": 1}]),
                     ("chosen_point", {}), ("surprise", 1)):
            bad = copy.deepcopy(good)
            bad[what[0]] = what[1]
            self.assertNotEqual(self.complaints(bad), [], what)
        for key in good:
            if key in self.schema["required"]:
                bad = copy.deepcopy(good)
                del bad[key]
                self.assertNotEqual(self.complaints(bad), [], key)

    def test_every_field_of_the_schema_occurs(self):
        # A field that no output has would never be checked.
        found = set()
        for name in ("example", "hostile"):
            found |= set(json.loads((FOLDER / name / "front.json").read_text()))
        self.assertEqual(set(self.schema["properties"]) - found, set())

    def test_examples_are_junit(self):
        for folder in sorted(FOLDER.iterdir()):
            with self.subTest(folder.name):
                root = ElementTree.parse(folder / "junit.xml").getroot()
                self.assertEqual(root.tag, "testsuites")
                for suite in root:
                    cases = suite.findall("testcase")
                    self.assertEqual(int(suite.get("tests")), len(cases))
                    self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
                    for case in cases:
                        self.assertTrue(case.get("name") and case.get("classname"))

    def test_a_real_run(self):
        digits = SOURCE / "examples/digits"
        with tempfile.TemporaryDirectory() as out:
            command = [HALFTONE, "tune", f"--model={digits}/model.onnx", f"--inputs={digits}/search_inputs.npy",
                       f"--labels={digits}/search_labels.npy", f"--heldout_inputs={digits}/heldout_inputs.npy",
                       f"--heldout_labels={digits}/heldout_labels.npy", "--no_bank", "--max_trials=16",
                       "--threads=1", "--color=always",
                       f"--output={out}", f"--junit={out}/gates.xml", "--fail_if=sqnr_db<1000",
                       "--fail_if=top1<0.5,speed_up<=0"]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, GATE_FAILED, done.stderr)
            self.assertIn("\x1b[", done.stdout)
            self.assertNotIn("\x1b", done.stderr)  # no terminal: progress comes in lines
            self.assertNotIn("\r", done.stderr)
            document = json.loads((pathlib.Path(out) / "front.json").read_text())
            self.assertEqual(self.complaints(document), [])
            self.assertEqual([gate["passed"] for gate in document["gates"]], [False, True, True])
            self.assertIn("'--fail_if=sqnr_db<1000,top1<0.5,speed_up<=0'", document["command"])
            nodes = document["chosen_point"]["nodes"]
            self.assertIn("stem/conv", [node["node"] for node in nodes])
            self.assertTrue(all(node["sqnr_db"] > 0 for node in nodes if node["sqnr_db"] is not None))
            worst = document["chosen_point"]["worst_samples"]
            chosen = next(point for point in document["front"] if point["chosen"])
            self.assertEqual(worst[0]["sample"], chosen["accuracy"]["sqnr_db"]["worst_sample"])
            self.assertAlmostEqual(worst[0]["sqnr_db"], chosen["accuracy"]["sqnr_db"]["worst"], places=9)
            self.assertEqual((pathlib.Path(out) / "gates.xml").read_text(),
                             (pathlib.Path(out) / "junit.xml").read_text())
            cases = ElementTree.parse(pathlib.Path(out) / "junit.xml").getroot().findall("*/testcase")
            failed = [case.get("name") for case in cases if case.find("failure") is not None]
            self.assertEqual(failed, ["not sqnr_db<1000"])
            self.assertIn("expected: sqnr_db of at least 1000", cases[1].find("failure").text)
            self.assertTrue((pathlib.Path(out) / "report.html").stat().st_size > 100_000)


if __name__ == "__main__":
    HALFTONE, SOURCE = sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="halftone-reports-") as folder:
        FOLDER = pathlib.Path(folder)
        subprocess.run([sys.argv[1], folder], check=True)
        unittest.main(argv=sys.argv[:1], verbosity=2)
