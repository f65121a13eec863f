#!/usr/bin/env python3
"""Tables of what labs/real_size/real_size.py measured, in Markdown.

  labs/real_size/real_size_table.py NETWORK.json... [--bounds=0.01,0.001]

Quality: area of the judged front as a share of that of the longest search of the first strategy, in the geometric mean of the
networks too; then the speed-up over float32 of the fastest judged point that keeps each bound on the relative L2 error. Area: between
the latency of float32 and the front, over decibels from 0 to 140 (search/trial/front_quality.h). Cost: phases of the searches of the
first strategy in float32 runs.
"""

import argparse
import json
import math
import pathlib
import sys

MOST_DECIBELS = 140
# A share in a geometric mean: a search without any gain would make it 0 alone.
LEAST_SHARE = 0.01


def decibels(error):
    return MOST_DECIBELS if error <= 0 else max(0.0, min(MOST_DECIBELS, -20 * math.log10(error)))


def area(points):
    """Share of the area between float32 and the front that `points` cover: pairs of latency ratio and relative L2 error."""
    covered, least, below = 0.0, 1.0, MOST_DECIBELS
    for ratio, quality in sorted(((ratio, decibels(error)) for ratio, error in points), key=lambda point: -point[1]):
        covered += (below - quality) * (1 - least)
        below = quality
        least = min(least, ratio)
    return (covered + below * (1 - least)) / MOST_DECIBELS


def speed_up(points, bound):
    """Of the fastest point that keeps the bound; float32 always does."""
    return 1 / min([ratio for ratio, error in points if error <= bound] + [1.0])


def points_of(network, search):
    judged = [network["judged"].get(point["plan"]) for point in search["points"]]
    return [(point["latency_ratio"], point["rel_l2"]) for point in judged if point is not None]


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def columns_of(networks):
    """Strategies and numbers of runs, in the order of the first network."""
    searches = [search for network in networks for search in network["searches"].values()]
    strategies = list(dict.fromkeys(search["strategy"] for search in searches))
    return strategies, sorted({search["runs"] for search in searches})


def fronts_of(network, strategies, runs):
    """Judged points by strategy and runs; a search that was not run is missing."""
    return {(strategy, count): points_of(network, network["searches"][f"{strategy}-{count}"])
            for strategy in strategies for count in runs if f"{strategy}-{count}" in network["searches"]}


def markdown(heading, rows):
    return ["| " + " | ".join(heading) + " |", "|---" * len(heading) + "|", *("| " + " | ".join(row) + " |" for row in rows)]


def quality(networks, bounds):
    strategies, runs = columns_of(networks)
    shares = {}
    rows = []
    for network in networks:
        fronts = fronts_of(network, strategies, runs)
        longest = area(fronts.get((strategies[0], runs[-1]), []))
        for count in runs:
            cells = []
            for strategy in strategies:
                if (strategy, count) not in fronts:
                    cells.append("")
                    continue
                front = fronts[strategy, count]
                share = area(front) / longest if longest > 0 else math.nan
                if longest > 0:
                    shares.setdefault((strategy, count), []).append(max(share, LEAST_SHARE))
                cells.append(f"{share:.3f} " + ", ".join(f"{speed_up(front, bound):.2f}" for bound in bounds))
            rows.append([network["network"], f"{1e3 * network['run_s']:.3g}", str(count), *cells])
    for count in runs:
        means = [f"**{geometric_mean(shares[strategy, count]):.3f}**" if (strategy, count) in shares else "" for strategy in strategies]
        rows.append(["**geometric mean**", "", str(count), *means])
    speeds = ", ".join(f"speed at {bound:g}" for bound in bounds)
    return markdown(["network", "ms a run", "runs", *(f"{strategy}: area; {speeds}" for strategy in strategies)], rows)


def cost(networks):
    strategies, runs = columns_of(networks)
    found = [(network, network["searches"].get(f"{strategies[0]}-{count}")) for network in networks for count in runs]
    found = [(network, search) for network, search in found if search and search["phases"]]
    phases = list(dict.fromkeys(phase["phase"] for _, search in found for phase in search["phases"]))
    rows = []
    for network, search in found:
        spent = {phase["phase"]: phase["seconds"] / network["run_s"] for phase in search["phases"]}
        rows.append([network["network"], str(search["runs"]), str(search["plans"]),
                     *(f"{spent[phase]:.0f}" if phase in spent else "" for phase in phases)])
    return markdown(["network", "runs", "plans", *phases], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="NETWORK.json")
    parser.add_argument("--bounds", type=lambda text: [float(part) for part in text.split(",")], default=[0.01, 0.001])
    arguments = parser.parse_args()
    networks = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.files]
    networks = [network for network in networks if network["searches"]]
    if not networks:
        sys.exit("no search is in these files: run labs/real_size/real_size.py first")
    print("\n".join([*quality(networks, arguments.bounds), "", *cost(networks)]))


if __name__ == "__main__":
    main()
