#!/usr/bin/env python3
"""The Markdown tables of networks in docs/measurements from what bench_vs_onnxruntime.sh --json=FILE wrote.

  labs/onnxruntime/comparison_table.py f32.json               the networks, by threads
  labs/onnxruntime/comparison_table.py f32.json f16.json ...  plans side by side, one thread, against their float32
"""

import json
import math
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def compared(document):
    return {network["network"]: network for network in document["networks"] if "by_threads" in network}


def geometric_mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def by_threads(document):
    networks = compared(document)
    counts = [column["threads"] for column in next(iter(networks.values()))["by_threads"]]
    heading = ["network"]
    for count in counts:
        heading += [f"ours, {count} thread{'s' * (count > 1)}", "theirs", "ratio"]
    print("| " + " | ".join(heading + ["relative L2"]) + " |")
    print("|---" * (len(heading) + 1) + "|")
    for name, network in networks.items():
        cells = [name]
        for column in network["by_threads"]:
            cells += [f"{column['ours_ms']:.3f}", f"{column['theirs_ms']:.3f}", f"{column['ratio']:.2f}"]
        print("| " + " | ".join(cells + [f"{network['rel_l2']:.1e}"]) + " |")
    means = ["**geometric mean**"]
    for index in range(len(counts)):
        ratios = [network["by_threads"][index]["ratio"] for network in networks.values()]
        means += ["", "", f"**{geometric_mean(ratios):.2f}**"]
    print("| " + " | ".join(means + [""]) + " |")


def error(network):
    """JSON has no infinity: null where an output is infinite or NaN and the peer's is not."""
    return "overflow" if network["rel_l2"] is None else f"{network['rel_l2']:.0e}"


def name_of(document):
    """Their int8 and f16 are no reference: their own distance from float32 stands beside ours."""
    peer = document.get("peer", "f32")
    return document["plan"] + (f" against their {peer}" if peer != "f32" else "")


def plans_side_by_side(documents):
    plans = {name_of(document): compared(document) for document in documents}
    print("| network | " + " | ".join(f"{plan}: ratio (relative L2)" for plan in plans) + " |")
    print("|---" * (len(plans) + 1) + "|")
    shared = [name for name in next(iter(plans.values())) if all(name in networks for networks in plans.values())]
    for name in shared:
        cells = [
            f"{networks[name]['by_threads'][0]['ratio']:.2f} ({error(networks[name])}"
            + (f"; theirs {networks[name]['peer_rel_l2'] or math.inf:.0e})" if " against their " in plan else ")")
            for plan, networks in plans.items()
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")
    means = [
        geometric_mean([networks[name]["by_threads"][0]["ratio"] for name in shared]) for networks in plans.values()
    ]
    print("| **geometric mean** | " + " | ".join(f"**{mean:.2f}**" for mean in means) + " |")


def main():
    if len(sys.argv) < 2 or sys.argv[1] == "--help":
        sys.exit(__doc__)
    documents = [load(path) for path in sys.argv[1:]]
    if len(documents) == 1:
        by_threads(documents[0])
    else:
        plans_side_by_side(documents)


if __name__ == "__main__":
    main()
