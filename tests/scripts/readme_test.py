"""README says in its first screen how to begin: both commands, and that they are there. It is 80 columns wide."""
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

    def test_lines_fit_80_columns(self):
        for number, line in enumerate((ROOT / "README.md").read_text().splitlines(), 1):
            self.assertLessEqual(len(line), 80, f"README.md:{number}")


if __name__ == "__main__":
    unittest.main()
