"""README says in its first screen how to begin: both commands, and that they are there. It has at most 150 lines of 80 columns,
shows the run that its picture and docs/guide/reading_results.md show, and one default of --budget with other pages and sources."""
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_SCREEN = 24  # lines of a terminal


class Readme(unittest.TestCase):
    def test_both_commands_stand_in_the_first_screen(self):
        first = "\n".join((ROOT / "README.md").read_text().splitlines()[:FIRST_SCREEN])
        for command in ("scripts/quickstart.sh", "scripts/test.sh"):
            with self.subTest(command):
                self.assertRegex(first, rf"(?m)^{re.escape(command)}\b", "as a line to copy")
                self.assertTrue(os.access(ROOT / command, os.X_OK))

    def test_it_is_short_and_fits_a_terminal(self):
        lines = (ROOT / "README.md").read_text().splitlines()
        self.assertLessEqual(len(lines), 150)
        for number, line in enumerate(lines, 1):
            self.assertLessEqual(len(line), 80, f"README.md:{number}")

    def test_files_to_begin_in_are_there(self):
        text = (ROOT / "README.md").read_text().split("To add one,")[1]
        paths = re.findall(r"`((?:src|search|kernels)/[^`]*)`", text)
        self.assertGreater(len(paths), 9)
        for path in paths:
            with self.subTest(path):
                self.assertTrue((ROOT / path).exists())

    def test_front_page_and_picture_show_one_run(self):
        first, whole = (front_in(ROOT / name) for name in ("README.md", "docs/guide/reading_results.md"))
        self.assertGreater(len(first), 3)
        self.assertEqual(first, whole[:len(first)])
        rows = [re.match(r"\d+ ([* ])  ([\d.]+)x ", line) for line in whole]
        shown = [(row[1] == "*", float(row[2])) for row in rows if row]
        picture = (ROOT / "docs/guide/front_digits.svg").read_text()
        # Two labels of the axis give its scale.
        (at_a, a), (at_b, b) = [(float(y) - 4, float(x)) for y, x in re.findall(r'y="([\d.]+)" text-anchor="end">([\d.]+)x<', picture)][:2]
        drawn = [(int(r) > 5, a + (float(y) - at_a) * (b - a) / (at_b - at_a))
                 for y, r in re.findall(r'<circle cx="[\d.]+" cy="([\d.]+)" r="(\d)"', picture)]
        self.assertEqual([chosen for chosen, _ in drawn], [chosen for chosen, _ in shown])
        for (_, of_picture), (_, of_table) in zip(drawn, shown):
            self.assertAlmostEqual(of_picture, of_table, delta=0.002)  # half a digit of the picture, and one of the table

    def test_one_default_of_the_budget(self):
        minutes = re.search(r'kDefaultBudget = "(\d+)min"', (ROOT / "include/halftone/goal.h").read_text())[1]
        for name, words in (("README.md", rf"takes {minutes}\s+minutes at most"),
                            ("docs/guide/getting_started.md", f"the default of {minutes} minutes"),
                            ("docs/internals/search.md", f"takes {minutes} minutes at most")):
            with self.subTest(name):
                self.assertRegex((ROOT / name).read_text(), words)
        self.assertNotRegex((ROOT / "docs/guide/getting_started.md").read_text(), r"default of \d+ plans")


def front_in(path):
    """The lines of the first table of a front in a document, to the end of its block or an empty line."""
    lines = path.read_text().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith("#    speed-up"))
    end = next(i for i in range(begin, len(lines)) if not lines[i].strip() or lines[i].startswith("```"))
    return lines[begin:end]


if __name__ == "__main__":
    unittest.main()
