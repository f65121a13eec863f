"""quantization.json, as the golden test has it, against docs/reference/quantization.schema.json.

    schema_test.py <source tree>

Exit code 77 (skipped) without Debian's python3-jsonschema.
"""
import copy
import json
import pathlib
import sys
import unittest

try:
    import jsonschema
except ImportError:
    print("SKIPPED: the schema of quantization.json is checked with Debian's python3-jsonschema")
    sys.exit(77)


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = json.loads((SOURCE / "docs/reference/quantization.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(cls.schema)
        cls.good = json.loads((SOURCE / "tests/golden/quantization/quantization.json").read_text())

    def complaints(self, document):
        return [f"{'/'.join(map(str, e.path))}: {e.message}" for e in self.validator.iter_errors(document)]

    def test_what_is_written_is_valid(self):
        self.assertEqual(self.complaints(self.good), [])

    def test_every_field_of_the_schema_occurs(self):
        # A field that no output has would never be checked.
        self.assertEqual(set(self.schema["properties"]), set(self.good))

    def test_missing_keys_are_refused(self):
        for key in self.schema["required"]:
            bad = copy.deepcopy(self.good)
            del bad[key]
            self.assertNotEqual(self.complaints(bad), [], key)

    def test_wrong_values_are_refused(self):
        for path, value in ((("schema_version",), 2), (("tool", "name"), "x"), (("model_hash",), "12"),
                            (("surprise",), 1), (("calibration", "samples"), -1), (("operators", "conv"), "int4"),
                            (("activations", "input", "scale"), 0), (("activations", "input", "zero_point"), 256),
                            (("activations", "input", "dtype"), "int8"), (("activations", "input", "range"), [1]),
                            (("weights", "fc.weight", "scales"), []), (("weights", "fc.weight", "zero_points"), [128]),
                            (("bias_shifts", "conv"), 1), (("per_channel_weights",), 1), (("digest",), "")):
            bad = copy.deepcopy(self.good)
            place = bad
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = value
            self.assertNotEqual(self.complaints(bad), [], path)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1], verbosity=2)
