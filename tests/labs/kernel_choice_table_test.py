"""kernel_choice_table.py reads the rows that halftone_kernel_choice prints."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "labs/kernel_choice/kernel_choice_table.py"
ROWS = """network                  threads  profile   full   profile s   full s   profile/static   profile/best
mnist                          1        0      0         4.0      1.7            0.500          1.000
vgg19                          1        2      3         7.3     39.0            2.000          1.020
geometric mean of 2 networks with 1 thread: 1.0100
vgg19                          2        2      3         7.3     39.0            0.900          1.100
cannot read 'x' 2 3 4
"""


class KernelChoiceTable(unittest.TestCase):
    def run_script(self, rows, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "rows.txt"
            file.write_text(rows, encoding="utf-8")
            page = pathlib.Path(folder) / "page.md"
            options = [f"--page={page}"] if "page" in arguments else []
            runs = [subprocess.run([sys.executable, SCRIPT, file, *options], capture_output=True, text=True, check=False)
                    for _ in range(2 if options else 1)]
            return runs, page.read_text(encoding="utf-8") if page.exists() else ""

    def test_a_summary_for_each_number_of_threads(self):
        (run,), _ = self.run_script(ROWS)
        self.assertEqual(run.returncode, 0, run.stderr)
        first, second = run.stdout.splitlines()
        self.assertIn("2 networks, 1 thread: profile / static order 1.0000, profile / best 1.0100 ", first)
        self.assertIn("worst 1.020 (vgg19)", first)
        self.assertIn("1 networks, 2 threads: profile / static order 0.9000, profile / best 1.1000", second)

    def test_a_page_has_all_rows_and_stays(self):
        (first, second), page = self.run_script(ROWS, "page")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("| vgg19 | 2 | 3 | 7.3 | 39.0 | 2.000 | 1.020 |", page)
        self.assertEqual(page.count("| network |"), 2)
        self.assertEqual(second.returncode, 1)
        self.assertIn("is there and stays as it was measured", second.stderr)

    def test_no_rows_is_an_error(self):
        (run,), _ = self.run_script("nothing\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("has no row of a network", run.stderr)


if __name__ == "__main__":
    unittest.main()
