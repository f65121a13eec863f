#!/usr/bin/env python3
"""The Markdown table of scripts/compare_tuned.sh from two folders of its reports.

  scripts/compare_tuned.py OLD NEW

A cell is the best speed-up over float32 that keeps the bound on the samples of the search, before and
now, 1 where only float32 keeps it. Networks that one of the folders lacks are named and left out of the
geometric means.
"""

import json
import math
import os
import sys

BOUNDS = (30, 60)


def sqnr(point):
    return point["accuracy"]["sqnr_db"]["mean"]


def fronts(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name, "front.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                found[name] = json.load(file)
    return found


def speed_up(front, bound):
    """The largest of the points that keep the bound and are faster than float32."""
    return max((point["speed_up"] for point in front["front"]
                if sqnr(point) >= bound and point["latency_ratio_interval"][1] < 1), default=1.0)


def main(old_folder, new_folder):
    old, new = fronts(old_folder), fronts(new_folder)
    print("| network | s before | s now | " + " | ".join(f"{b} dB before | now" for b in BOUNDS) + " |")
    print("|---" * (3 + 2 * len(BOUNDS)) + "|")
    logarithms = {bound: [] for bound in BOUNDS}
    both = [name for name in new if name in old]
    for name in both:
        cells = [name] + [f"{front[name]['search']['elapsed_s']:.0f}" for front in (old, new)]
        for bound in BOUNDS:
            before, now = speed_up(old[name], bound), speed_up(new[name], bound)
            logarithms[bound].append(math.log(now / before))
            cells += [f"{before:.2f}", f"{now:.2f}"]
        print("| " + " | ".join(cells) + " |")
    print()
    for bound, values in logarithms.items():
        if values:
            mean = math.exp(sum(values) / len(values))
            print(f"{bound} dB: now over before {mean:.3f} in the geometric mean of {len(values)} networks")
    if lacking := sorted(set(old) ^ set(new)):
        print("of one version only: " + ", ".join(lacking))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
