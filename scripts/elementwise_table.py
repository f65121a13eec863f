#!/usr/bin/env python3
"""Markdown tables of halftone_bench's element-wise rows: medians of repetitions.

  halftone_bench --benchmark_filter='^(unary|binary|softmax|normalization|reduce)[.]' \\
    --benchmark_min_time=0.05 --benchmark_repetitions=3 --benchmark_enable_random_interleaving=true \\
    --benchmark_out=rows.json --benchmark_out_format=json
  scripts/elementwise_table.py rows.json
"""

import json
import statistics
import sys

SMALL, MIDDLE, LARGE = "4096", "131072", "16777216"


def rows_of(path):
    """{kernel: {dtype: {elements: {"ns": per element, "of_roof": share}}}}"""
    samples = {}
    for run in json.load(open(path, encoding="utf-8"))["benchmarks"]:
        if run.get("run_type") == "aggregate" or run.get("error_occurred"):
            continue
        kernel, dtype, count = run["run_name"].rsplit("/", 2)
        samples.setdefault((kernel, dtype, count), []).append(run)
    rows = {}
    for (kernel, dtype, count), runs in samples.items():
        cell = {
            "ns": statistics.median(run["cpu_time"] for run in runs) / int(count),
            "of_roof": statistics.median(run["of_roof"] for run in runs),
        }
        rows.setdefault(kernel, {}).setdefault(dtype, {})[count] = cell
    return rows


def twin_of(kernel):
    """The high_precision row of a high_performance one; None for others."""
    return kernel.replace(".fast.avx512", ".precise").replace(".fast", ".precise") if ".fast" in kernel else None


def main():
    rows = rows_of(sys.argv[1])
    print("| kernel | f32, ns: 16 KiB | 512 KiB | 64 MiB (of roof) | f16 against f32: 4096 | 16 M elements | bf16: 16 M |")
    print("|---|---|---|---|---|---|---|")
    for kernel, dtypes in sorted(rows.items()):
        f32 = dtypes.get("f32")
        if f32 is None:
            continue
        cells = [f"{f32[count]['ns']:.3f}" for count in (SMALL, MIDDLE)]
        cells.append(f"{f32[LARGE]['ns']:.2f} ({100 * f32[LARGE]['of_roof']:.0f} %)")
        for dtype, count in (("f16", SMALL), ("f16", LARGE), ("bf16", LARGE)):
            other = dtypes.get(dtype, {}).get(count)
            cells.append(f"{f32[count]['ns'] / other['ns']:.2f}" if other else "-")
        print(f"| {kernel} | " + " | ".join(cells) + " |")
    print()
    print("| high_performance row | most it gains over its twin | where |")
    print("|---|---|---|")
    for kernel, dtypes in sorted(rows.items()):
        twin = rows.get(twin_of(kernel) or "")
        if twin is None:
            continue
        gains = [
            (twin[dtype][count]["ns"] / cell["ns"], f"{dtype}, {count} elements")
            for dtype, counts in dtypes.items()
            for count, cell in counts.items()
            if count in twin.get(dtype, {})
        ]
        best, where = max(gains)
        print(f"| {kernel} | {best:.2f} | {where} |")


if __name__ == "__main__":
    main()
