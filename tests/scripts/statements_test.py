"""statements.py finds what it is there to find: one table a case, beside one test of two rows."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import statements  # noqa: E402

TESTS = 'TEST_P(Suite, Case) {\n}\nRow kRows[] = {{"one"}, {"other"}};\n'

# name, text of the table, what the one fault or the error says; None: nothing is found.
CASES = (
    ("a test", "== A: Title\nA line.\n  Suite.Case\n", None),
    ("a row", "== A: Title\nA line.\n  Suite.Case/one Suite.Case/other\n", None),
    ("a device", "== A: Title\nA line.\n  device: the reason\n", None),
    ("a comment", "# head\n\n== A: Title\nA line.\n  Suite.Case\n", None),
    ("nothing", "== A: Title\nA line.\nAnother.\n  Suite.Case\n", "A1 has no test"),
    ("no such test", "== A: Title\nA line.\n  Suite.None\n", "A1 names the test Suite.None"),
    ("no such row", "== A: Title\nA line.\n  Suite.Case/third\n", "A1 names the row third of Suite.Case"),
    ("the second document", "== A: Title\n== B: Other\nA line.\n", "B1 has no test"),
    ("no document", "A line.\n  Suite.Case\n", "line 1: expected '== ID: title' first"),
    ("two lines of tests", "== A: T\nA line.\n  Suite.Case\n  Suite.Case\n", "line 4: expected one line of tests"),
)


class Statements(unittest.TestCase):
    def test_cases(self):
        for name, text, expected in CASES:
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / "tests/area").mkdir(parents=True)
                (root / "tests/area/case_test.cc").write_text(TESTS)
                try:
                    found = statements.faults_of(statements.read_table(text), statements.files_of_tests(root))
                except statements.StatementError as error:
                    found = [str(error)]
                if expected is None:
                    self.assertEqual(found, [])
                else:
                    self.assertEqual(len(found), 1)
                    self.assertIn(expected, found[0])

    def test_the_page_has_every_statement(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tests/area").mkdir(parents=True)
            (root / "tests/area/case_test.cc").write_text(TESTS)
            table = "== A: Title\nFirst.\n  Suite.Case/one\nSecond.\n  device: why\n"
            page = statements.page(statements.read_table(table), statements.files_of_tests(root), root)
            self.assertIn("| A1 | First. | [`Suite.Case/one`](../../tests/area/case_test.cc) |\n", page)
            self.assertIn("| A2 | Second. | a device: why |\n", page)


if __name__ == "__main__":
    unittest.main()
