#!/usr/bin/env python3
"""The Markdown table of docs/measurements/performance.md from front.json files.

  scripts/results_table.py FRONT.json...

A cell is the largest speed-up over float32 of a point that keeps the bound on the samples of the
search, with what its SQNR is there; "-" where only float32 keeps it. "-1 dB" is the bound of losing
less than 1 dB of SQNR against the most accurate point that is faster than float32.
"""

import json
import os
import sys


def sqnr(point):
    return point["accuracy"]["sqnr_db"]["mean"]


def top1_kept(point, reference):
    accuracy = point["accuracy"]
    if "top1" in accuracy and reference is not None:
        return accuracy["top1"]["mean"] >= reference
    return "top1_agreement" in accuracy and accuracy["top1_agreement"]["mean"] == 1


def is_faster(point):
    return point["latency_ratio_interval"][1] < 1


def best(points, keeps):
    """The fastest point that keeps the bound and is faster than float32."""
    kept = [point for point in points if keeps(point) and is_faster(point)]
    return min(kept, key=lambda point: point["latency_ratio"], default=None)


def cell(point):
    return "-" if point is None else f"{point['speed_up']:.2f} ({sqnr(point):.0f} dB)"


def row(path):
    with open(path, encoding="utf-8") as file:
        front = json.load(file)
    points = front["front"]
    reference = front["reference"]["top1"]
    headroom = max((sqnr(point) for point in points if is_faster(point)), default=0)
    has_classes = any("top1_agreement" in point["accuracy"] for point in points)
    return [
        os.path.basename(os.path.dirname(path)),
        f"{front['reference']['latency_s'] * 1e3:.3f}",
        str(front["data"]["samples"]),
        str(front["search"]["distinct_plans"]),
        f"{front['search']['elapsed_s']:.0f}",
        cell(best(points, lambda point: top1_kept(point, reference))) if has_classes else "no classes",
        cell(best(points, lambda point: sqnr(point) > headroom - 1)),
        cell(best(points, lambda point: sqnr(point) >= 60)),
        cell(best(points, lambda point: sqnr(point) >= 40)),
        cell(best(points, lambda point: sqnr(point) >= 30)),
    ]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    heading = ["network", "float32, ms", "samples", "plans", "s", "top-1 drop 0", "-1 dB", "60 dB", "40 dB", "30 dB"]
    print("| " + " | ".join(heading) + " |")
    print("|---" * len(heading) + "|")
    for path in sys.argv[1:]:
        print("| " + " | ".join(row(path)) + " |")


if __name__ == "__main__":
    main()
