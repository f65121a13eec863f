#!/usr/bin/env python3
"""Markdown tables of halftone_bench's kernel rows (scripts/bench_kernels.sh): medians of repetitions."""

import json
import statistics
import sys


# Rows of a product in another operator: dynamic int8 reads and makes float32, and is no product in it.
OTHER_OPERATORS = ("dynamic_",)


def rows_of(path):
    """{shape: {kernel: {"time": us, counter: value}}}"""
    samples = {}
    for run in json.load(open(path, encoding="utf-8"))["benchmarks"]:
        if run.get("run_type") == "aggregate":
            continue
        if run.get("error_occurred"):
            sys.exit(f"error: {run['name']}: {run['error_message']}")
        _, shape, kernel = run["name"].split("/")[:3]
        if kernel.startswith(OTHER_OPERATORS):
            continue
        samples.setdefault(shape, {}).setdefault(kernel, []).append(run)
    rows = {}
    for shape, kernels in samples.items():
        for kernel, runs in kernels.items():
            median = {"time": statistics.median(run["real_time"] for run in runs)}
            for counter in ("ops", "of_roof", "precise_choice", "fast_choice"):
                median[counter] = statistics.median(run[counter] for run in runs)
            rows.setdefault(shape, {})[kernel] = median
    return rows


def pick(kernels, *, dtype, library=None, word=None, without=(), choice=None):
    """The fastest kernel of a dtype: by oneDNN or not, with or without words in its name, chosen for a mode."""
    fitting = [
        row
        for name, row in kernels.items()
        if f".{dtype}." in name
        and (library is None or ("onednn" in name) == library)
        and (word is None or word in name)
        and not any(other in name for other in without)
        and (choice is None or row[choice] == 1)
    ]
    return min(fitting, key=lambda row: row["time"], default=None)


def speed(row):
    return "-" if row is None else f"{row['ops'] / 1e9:.0f} ({100 * row['of_roof']:.0f} %)"


def ratio(slower, faster):
    return "-" if slower is None or faster is None else f"{slower['time'] / faster['time']:.2f}"


def columns_of(family):
    """Heading and cell of each column."""
    own = lambda kernels: pick(kernels, dtype="f32", library=False)
    library = lambda kernels: pick(kernels, dtype="f32", library=True, without=("winograd", ".direct"))
    columns = [
        ("own f32, GFLOP/s (of roof)", lambda k: speed(own(k))),
        ("oneDNN f32", lambda k: speed(library(k))),
        ("chosen f32 against oneDNN", lambda k: ratio(library(k), pick(k, dtype="f32", choice="precise_choice"))),
        ("own f32 against oneDNN", lambda k: ratio(library(k), own(k))),
    ]
    if family == "conv":
        columns.append(
            ("Winograd against direct", lambda k: ratio(library(k), pick(k, dtype="f32", word="winograd")))
        )
    columns += [
        ("chosen f16 against own f32", lambda k: ratio(own(k), pick(k, dtype="f16", choice="precise_choice"))),
        ("own f16", lambda k: ratio(own(k), pick(k, dtype="f16", library=False, without=("fast", "winograd")))),
        ("chosen f16 in high_performance", lambda k: ratio(own(k), pick(k, dtype="f16", choice="fast_choice"))),
        ("own bf16", lambda k: ratio(own(k), pick(k, dtype="bf16", library=False))),
        ("oneDNN bf16", lambda k: ratio(own(k), pick(k, dtype="bf16", library=True))),
    ]
    return columns


def byte_columns(choice):
    """The int8 kernels of u8 by s8 against own float32, and against each other."""
    own_float = lambda k: pick(k, dtype="f32", library=False)
    own = lambda k: pick(k, dtype="s8", library=False)
    library = lambda k: pick(k, dtype="s8", library=True)
    return [
        ("own s8, GOP/s (of roof)", lambda k: speed(own(k))),
        ("own s8 against own f32", lambda k: ratio(own_float(k), own(k))),
        ("own s8 against chosen f32", lambda k: ratio(pick(k, dtype="f32", choice=choice), own(k))),
        ("own s8 against oneDNN s8", lambda k: ratio(library(k), own(k))),
        ("s8 without dot units against own f32", lambda k: ratio(own_float(k), pick(k, dtype="s8", word="highway"))),
    ]


def amx_columns():
    """The tiles of AMX against oneDNN's kernels and the dot units, as factors of speed."""
    pairs = lambda k: pick(k, dtype="bf16", word="amx_bf16")
    own = lambda k: pick(k, dtype="s8", word="amx_int8")
    return [
        ("AMX bf16, GFLOP/s (of roof)", lambda k: speed(pairs(k))),
        ("oneDNN bf16", lambda k: speed(pick(k, dtype="bf16", library=True))),
        ("AMX bf16 against oneDNN", lambda k: ratio(pick(k, dtype="bf16", library=True), pairs(k))),
        ("against vdpbf16ps", lambda k: ratio(pick(k, dtype="bf16", word="avx512_bf16"), pairs(k))),
        ("AMX s8, GOP/s (of roof)", lambda k: speed(own(k))),
        ("AMX s8 against vpdpbusd", lambda k: ratio(pick(k, dtype="s8", word="avx512_vnni"), own(k))),
        ("AMX s8 against oneDNN", lambda k: ratio(pick(k, dtype="s8", library=True), own(k))),
    ]


def parts_columns():
    """Float32 as products of bfloat16 parts against multiply-adds, as factors of speed."""
    own = lambda k: pick(k, dtype="f32", library=False, without=("parts",))
    library = lambda k: pick(k, dtype="f32", library=True)
    columns = [("own f32, GFLOP/s (of roof)", lambda k: speed(own(k)))]
    for parts, products in (("parts3", 6), ("parts2", 3)):
        form = lambda k, word=parts: pick(k, dtype="f32", word=word)
        columns += [
            (f"{products} products, GFLOP/s (of roof)", lambda k, form=form: speed(form(k))),
            (f"{products} products against own f32", lambda k, form=form: ratio(own(k), form(k))),
            (f"{products} products against oneDNN", lambda k, form=form: ratio(library(k), form(k))),
        ]
    return columns


def fp16_columns():
    """Float16 multiply-adds against those of float32, as factors of speed."""
    own = lambda k: pick(k, dtype="f32", library=False, without=("parts",))
    half = lambda k: pick(k, dtype="f16", word="avx512_fp16")
    return [
        ("own f32, GFLOP/s (of roof)", lambda k: speed(own(k))),
        ("AVX512-FP16, GFLOP/s (of roof)", lambda k: speed(half(k))),
        ("AVX512-FP16 against own f32", lambda k: ratio(own(k), half(k))),
        ("against oneDNN f32", lambda k: ratio(pick(k, dtype="f32", library=True), half(k))),
    ]


def group_of(name):
    """(what is compared, kernel, dtype) of a row: pool_last/SHAPE/max/KERNEL/DTYPE or KERNEL/DTYPE/ELEMENTS."""
    parts = name.split("/")
    if parts[-1].isdigit():
        return ".".join(parts[0].split(".")[:2]) + f", {parts[-1]} elements", *parts[:2]
    return "/".join(parts[:-2]), *parts[-2:]


def print_halves(path):
    """Each kernel in float16 against the fastest in float32."""
    samples = {}
    for run in json.load(open(path, encoding="utf-8"))["benchmarks"]:
        if run.get("run_type") != "aggregate" and not run.get("error_occurred"):
            group, kernel, dtype = group_of(run["run_name"])
            samples.setdefault(group, {}).setdefault((dtype, kernel), []).append(run["cpu_time"])
    print("| operator | kernel in float16 | against float32 |")
    print("|---|---|---|")
    for group, kernels in sorted(samples.items()):
        times = {key: statistics.median(values) for key, values in kernels.items()}
        base = min(time for (dtype, _), time in times.items() if dtype == "f32")
        for (dtype, kernel), time in sorted(times.items()):
            if dtype == "f16":
                print(f"| {group} | {kernel} | {base / time:.2f} |")
    print()


def columns_for(family):
    if family in ("gemv", "s8_gemm", "s8_conv"):
        return byte_columns("precise_choice")
    special = {"amx": amx_columns, "parts": parts_columns, "fp16": fp16_columns}
    return special[family]() if family in special else columns_of(family)


def main():
    family, path = sys.argv[1:]
    if family == "halves":
        print_halves(path)
        return
    columns = columns_for(family)
    print("| shape | " + " | ".join(heading for heading, _ in columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for shape, kernels in rows_of(path).items():
        print(f"| {shape} | " + " | ".join(cell(kernels) for _, cell in columns) + " |")
    print()


if __name__ == "__main__":
    main()
