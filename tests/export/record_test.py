"""FILE.export.json against docs/reference/export.schema.json, for every format.

    record_test.py <halftone> <source tree>

Exit code 77 (skipped) without Debian's python3-jsonschema.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import jsonschema
except ImportError:
    print("SKIPPED: export.json is checked with Debian's python3-jsonschema")
    sys.exit(77)


def closed(schema):
    """Without fields that the schema does not name."""
    if isinstance(schema, dict):
        more = {"additionalProperties": False} if "properties" in schema else {}
        return {**{key: closed(value) for key, value in schema.items()}, **more}
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


def export(folder, *options):
    digits = SOURCE / "examples/digits"
    return subprocess.run([HALFTONE, "export", f"--model={digits}/model.onnx", "--input_shape=pixels:1,1,8,8",
                           f"--output={folder}", *options], capture_output=True, text=True)


class Records(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((SOURCE / "docs/reference/export.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(closed(schema))
        cls.required = schema["required"]

    def complaints(self, document):
        return [f"{'/'.join(map(str, e.path))}: {e.message}" for e in self.validator.iter_errors(document)]

    def check_folder(self, folder):
        """Every record is valid and names what lies there; all else is named by one."""
        records = {path.name: json.loads(path.read_text()) for path in folder.glob("*.export.json")}
        named = set(records)
        for name, record in records.items():
            with self.subTest(name):
                self.assertEqual(self.complaints(record), [])
                self.assertEqual(name, record["file"] + ".export.json")
                self.assertIn(record["file"], record["command"])
                self.assertEqual(subprocess.run(["bash", "-n", "-c", record["command"]]).returncode, 0)
                # Each loss by nodes has a sentence.
                for why in {loss["why"] for loss in record["losses"]}:
                    self.assertTrue(any(why in note for note in record["notes"]), why)
                named |= {record["file"], *record["beside"]}
        self.assertEqual({path.name for path in folder.iterdir()}, named)
        return records

    def test_all_formats_of_16_bits(self):
        with tempfile.TemporaryDirectory() as folder:
            done = export(folder, "--precision_mode=allow_mix_precision_bf16", "--to=all")
            self.assertEqual(done.returncode, 0, done.stderr)
            records = self.check_folder(pathlib.Path(folder))
            formats = {record["format"] for record in records.values()}
            self.assertLessEqual({"onnx-mixed", "onnx-rounded", "onnx-qdq:flavour=ort", "encodings:flavour=1.0.0",
                                  "trtexec", "polygraphy", "openvino"}, formats)
            self.assertIn("warning: ", done.stderr)
            self.assertIn("digits.quant.cfg is not written: the plan has no operator in 8 bits", done.stderr)
            self.assertEqual(len({record["plan"] for record in records.values()}), 1)
            mixed = records["digits.mixed.onnx.export.json"]["losses"]
            self.assertIn({"node": "stem/conv", "asked": "bfloat16", "written": "float32", "why":
                           "operators computed in float32 between Casts, because opset 17 has no bfloat16 Conv "
                           "and opset 22 has"}, mixed)
            brain = records["digits.encodings.json.export.json"]["losses"]
            self.assertTrue(brain)
            self.assertEqual({loss["asked"] for loss in brain}, {"bfloat16"})
            self.assertEqual(records["digits.rounded.onnx.export.json"]["verified_by"],
                             "ONNX Runtime 1.30.0 on the CPU")
            self.assertIsNone(records["trtexec.args.export.json"]["verified_by"])

    def test_strict_leaves_out_what_loses(self):
        with tempfile.TemporaryDirectory() as folder:
            done = export(folder, "--precision_mode=allow_mix_precision_bf16", "--to=encodings,onnx-rounded", "--strict")
            self.assertEqual(done.returncode, 1)
            self.assertIn("error: --strict: 1 of 2 files were not written (warnings above)", done.stderr)
            self.assertEqual(set(self.check_folder(pathlib.Path(folder))), {"digits.rounded.onnx.export.json"})

    def test_the_points_of_a_front(self):
        with tempfile.TemporaryDirectory() as folder:
            digits = SOURCE / "examples/digits"
            front = pathlib.Path(folder) / "front"
            subprocess.run([HALFTONE, "tune", f"--model={digits}/model.onnx", f"--inputs={digits}/search_inputs.npy",
                            "--max_samples=10", "--quantize=on", "--no_bank", "--max_trials=12", "--threads=1",
                            "--operator_tuning=off", f"--output={front}"], check=True, capture_output=True)
            points = sorted(path.name for path in front.glob("point_*"))
            out = pathlib.Path(folder) / "out"
            done = subprocess.run([HALFTONE, "export", f"--model={digits}/model.onnx", f"--point={front}", "--to=all",
                                   f"--output={out}"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(path.name for path in out.iterdir()), points)
            for point in points:
                plan = json.loads((front / point / "point.json").read_text())
                for record in self.check_folder(out / point).values():
                    self.assertIn(record["plan"], json.dumps(plan))

    def test_the_schema_refuses_what_is_not_so(self):
        with tempfile.TemporaryDirectory() as folder:
            export(f"{folder}/net.json", "--precision_mode=allow_mix_precision_bf16", "--to=encodings")
            good = json.loads((pathlib.Path(folder) / "net.json.export.json").read_text())
        self.assertEqual(self.complaints(good), [])
        for key, value in (("schema_version", 1), ("plan", "x"), ("losses", [{}]), ("command", ""), ("beside", ["a", "a"]),
                           ("verified_by", 1), ("surprise", 1)):
            bad = copy.deepcopy(good)
            bad[key] = value
            self.assertNotEqual(self.complaints(bad), [], key)
        for key in self.required:
            bad = copy.deepcopy(good)
            del bad[key]
            self.assertNotEqual(self.complaints(bad), [], key)


if __name__ == "__main__":
    HALFTONE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
