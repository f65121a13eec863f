#!/usr/bin/env python3
"""Columns of the tables of kernels: which rows each compares.

    bench_table_test.py <scripts>
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv.pop(1))


def row(kernel, dtype, microseconds, **counters):
    values = {"ops": 1e9, "of_roof": 0.5, "precise_choice": 0, "fast_choice": 0, **counters}
    return {"name": f"gemm/shape/{kernel}/{dtype}", "run_type": "iteration", "real_time": microseconds, **values}


def table(family, rows):
    """{heading: cell} of the one shape."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"benchmarks": rows}, file)
        file.flush()
        text = subprocess.run([sys.executable, SCRIPTS / "bench_table.py", family, file.name], check=True,
                              capture_output=True, text=True).stdout.strip().splitlines()
    headings, _, cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in text)
    return dict(zip(headings, cells))


class BenchTable(unittest.TestCase):
    def test_dynamic_int8_is_no_product_in_float32(self):
        found = table("parts", [row("matmul.f32.highway", "f32", 100), row("matmul.f32.onednn", "f32", 80),
                                row("matmul.f32.amx_parts3", "f32", 50),
                                row("dynamic_matmul.f32.amx_int8", "f32", 10, precise_choice=1)])
        self.assertEqual(found["6 products against own f32"], "2.00")
        self.assertEqual(found["6 products against oneDNN"], "1.60")
        self.assertEqual(found["3 products against own f32"], "-")

    def test_the_median_of_repetitions_is_shown(self):
        found = table("amx", [row("matmul.bf16.amx_bf16", "bf16", time) for time in (10, 90, 20)] +
                      [row("matmul.bf16.onednn", "bf16", 40)])
        self.assertEqual(found["AMX bf16 against oneDNN"], "2.00")


if __name__ == "__main__":
    unittest.main()
