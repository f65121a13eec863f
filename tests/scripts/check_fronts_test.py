"""Whether scripts/check_fronts.py accepts the files of a real run, and sees when they are of another plan.

    check_fronts_test.py <halftone> <source tree>
"""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HALFTONE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
spec = importlib.util.spec_from_file_location("check_fronts", SOURCE / "scripts/check_fronts.py")
check_fronts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_fronts)


class CheckFronts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="halftone-fronts-")
        cls.addClassCleanup(folder.cleanup)
        digits = SOURCE / "examples/digits"
        cls.folder = pathlib.Path(folder.name) / "digits"
        # More than the modes of the whole network.
        subprocess.run([HALFTONE, "tune", f"--model={digits}/model.onnx", f"--inputs={digits}/search_inputs.npy",
                        "--max_samples=40", "--max_trials=30", "--operator_tuning=off", "--threads=1", "--no_bank",
                        f"--output={cls.folder}"], check=True, capture_output=True)
        cls.front = json.loads((cls.folder / "front.json").read_text())

    def differences(self, front):
        return check_fronts.files_that_differ(HALFTONE, front, self.folder)

    def test_files_give_the_plans_that_were_measured(self):
        self.assertGreater(len(self.front["front"]), 0)
        self.assertEqual(self.differences(self.front), [])

    def test_another_plan_is_seen(self):
        point = self.front["front"][0]
        front = {**self.front, "front": [{**point, "plan_digest": "0" * 32}]}
        self.assertEqual(self.differences(front), [f"{point['folder']}: the files give plan {point['plan_digest']}, "
                                                   f"measured was {'0' * 32}"])

    # Lists of float32 operators say nothing of it.
    def test_another_16_bit_type_is_seen(self):
        point = {"folder": "made up", "kept_nodes": [], "low_precision_nodes": [],
                 "plan_digest": self.digest("allow_fp32_to_fp16")}
        for mode, count in (("allow_fp32_to_fp16", 0), ("allow_fp32_to_bf16", 1)):
            front = {**self.front, "front": [{**point, "arguments": [f"--precision_mode={mode}"]}]}
            self.assertEqual(len(self.differences(front)), count, mode)

    def digest(self, mode):
        explained = subprocess.run([HALFTONE, "explain", f"--model={SOURCE}/examples/digits/model.onnx",
                                    f"--precision_mode={mode}", "--format=json",
                                    f"--input_shape={self.front['model']['input_shapes']}"],
                                   check=True, capture_output=True, text=True)
        return json.loads(explained.stdout)["plan_digest"]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
