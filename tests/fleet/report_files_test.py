"""Files of a fleet's report as others read them: JSON by its schema, CSV, the page in a headless Chromium.

    report_files_test.py <halftone_example_fleet_reports> <source tree> [folder that keeps the files]

Exit code 77 (skipped) without Debian's python3-jsonschema; the page's tests skip without a browser.
"""
import copy
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "report"))
import browser as browsers  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("SKIPPED: the schema of report.json is checked with Debian's python3-jsonschema")
    sys.exit(77)

EXAMPLES = ("example", "retune", "hostile", "empty")
PHONE = 360
LARGE_ROWS = 20000


def closed(schema):
    """Without members that the schema does not name: users may see such of newer versions, we must not."""
    if isinstance(schema, dict):
        more = {"additionalProperties": False} if "properties" in schema else {}
        return {**{key: closed(value) for key, value in schema.items()}, **more}
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


def document(name):
    return json.loads((FOLDER / name / "report.json").read_text())


class Json(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((SOURCE / "docs/reference/fleet_report.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.schema = schema
        cls.validator = jsonschema.Draft202012Validator(closed(schema))

    def complaints(self, value):
        return [f"{'/'.join(map(str, e.path))}: {e.message}" for e in self.validator.iter_errors(value)]

    def test_examples_are_valid(self):
        for name in EXAMPLES:
            with self.subTest(name):
                self.assertEqual(self.complaints(document(name)), [])

    def test_the_schema_refuses_what_is_not_so(self):
        good = document("example")
        for key, value in (("format", 2), ("items", [{}]), ("moves", None), ("means", [{"networks_of": 1}]), ("surprise", 1)):
            self.assertNotEqual(self.complaints({**good, key: value}), [], key)
        for key in good:
            bad = copy.deepcopy(good)
            del bad[key]
            self.assertNotEqual(self.complaints(bad), [], key)
        for key in good["items"][0]:
            bad = copy.deepcopy(good)
            del bad["items"][0][key]
            if key not in ("judged_by", "exit_code"):  # what others depend on
                self.assertNotEqual(self.complaints(bad), [], key)

    def test_every_member_of_an_item_occurs(self):
        found = {key for name in EXAMPLES for item in document(name)["items"] for key in item}
        self.assertEqual(set(self.schema["properties"]["items"]["items"]["properties"]) - found, set())

    def test_every_verdict_but_one_occurs(self):
        verdicts = {v for name in EXAMPLES for move in document(name)["moves"] for v in move["verdicts"]}
        known = set(self.schema["properties"]["moves"]["items"]["properties"]["verdicts"]["items"]["enum"])
        self.assertEqual(known - verdicts, {"plan changed"})

    def test_an_item_stands_on_a_line(self):
        lines = (FOLDER / "large/report.json").read_text().splitlines()
        items = [line for line in lines if line.startswith('{"network":"network_00042"') and '"state"' in line]
        self.assertEqual([json.loads(line.rstrip(",]"))["kind"] for line in items], ["zen5", "sapphire"])


class Csv(unittest.TestCase):
    def test_rows_are_those_of_the_json(self):
        for name in EXAMPLES:
            with self.subTest(name), open(FOLDER / name / "report.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
                expected = []
                for item in document(name)["items"]:
                    cells = {**item["bounds"], "chosen": item["chosen"]} if "bounds" in item else {"": None}
                    expected += [(bound, cell["speed_up"] if cell else None) for bound, cell in cells.items()]
                self.assertEqual([(row["bound"], float(row["speed_up"]) if row["speed_up"] else None) for row in rows], expected)


@unittest.skipUnless(browsers.find(), "needs a Chromium")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browsers.Browser(browsers.find())

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def open(self, name, **settings):
        page = self.browser.open(FOLDER / name / "report.html", **settings)
        self.addCleanup(page.close)
        return page

    def test_nothing_is_asked_for_and_nothing_complains(self):
        for name in EXAMPLES:
            with self.subTest(name):
                page = self.open(name)
                self.assertEqual(page.requests(), [(FOLDER / name / "report.html").resolve().as_uri()])
                self.assertEqual(page.complaints(), [])

    def test_names_stay_text(self):
        page = self.open("hostile")
        self.assertIn("<script>alert('x')</script>|a|", page.evaluate("document.querySelector('h1').textContent"))
        self.assertEqual(page.evaluate("document.scripts.length"), 1)
        kind = "results/%3Cscript%3Ealert%28%27x%27%29%3C/script%3E%7Ca%7C%22b%22%2Cc/"
        self.assertTrue(page.evaluate("document.querySelector('th a').getAttribute('href')").startswith(kind))

    def test_rows_are_cells_under_their_headings(self):
        page = self.open("example")
        self.assertEqual(page.evaluate(
            "[...document.querySelectorAll('table')].every(t => t.caption && [...t.tBodies[0].rows].every("
            "r => r.cells.length === t.tHead.rows[0].cells.length && r.cells[0].scope === 'row'))"), True)

    def test_without_scripts_the_tables_are_there(self):
        page = self.open("example", scripts=False)
        self.assertEqual(page.evaluate("document.querySelectorAll('#speed-ups tbody tr').length"), 10)
        self.assertIn("1 fails now", page.evaluate("document.getElementById('moves').textContent"))

    def test_a_phone_needs_no_scrolling_sideways(self):
        for name in EXAMPLES:
            with self.subTest(name):
                page = self.open(name, width=PHONE)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE)

    def test_twenty_thousand_rows_open_and_filter(self):
        page = self.open("large")
        self.assertEqual(page.evaluate("document.querySelectorAll('#speed-ups tbody tr').length"), LARGE_ROWS)
        page.evaluate("(() => { const f = document.querySelector('#speed-ups input'); f.value = 'network_00042';"
                      "f.dispatchEvent(new Event('input')); })()")
        self.assertEqual(page.evaluate("document.querySelectorAll('#speed-ups tbody tr:not([hidden])').length"), 2)


if __name__ == "__main__":
    SOURCE = pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="halftone-fleet-reports-") as folder:
        FOLDER = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else folder)
        subprocess.run([sys.argv[1], FOLDER], check=True)
        unittest.main(argv=sys.argv[:1], verbosity=2)
