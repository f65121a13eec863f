#!/usr/bin/env python3
"""The Markdown table of labs/onnxruntime/bench_vs_onnxruntime.sh --best from what its --json=FILE wrote.

  labs/onnxruntime/best_table.py FILE [--command=TEXT] [--measurements=NAME]

The best of halftone is its tuned point, or float32 where that is missing, slower, or misses the bound on the
samples that are compared; the best of ONNX Runtime is the fastest of its forms that keep the bound, float32 in any
case. Ratios are theirs / ours in time, so above 1 halftone is faster. --measurements also writes the table to
docs/measurements/DATE-NAME-vs-onnxruntime.md, NAME being made of the CPU's name where it is empty; a page that
is there stays. --command is the command line that the page names. Exit code 1 when no network was compared.
"""

import argparse
import pathlib
import re
import sys

from comparison_table import geometric_mean, load

OURS, BEST = "ours_f32", "ours_best"
PEERS = ("peer_f32", "peer_f16", "peer_int8")
NAMES = {BEST: "tuned point", "peer_f16": "float16 of ONNX Runtime", "peer_int8": "int8 of ONNX Runtime"}
HEADING = (
    "network", "ours f32, ms", "ours best (error)", "theirs f32", "theirs f16 (error)", "theirs int8 (error)",
    "f32 / f32", "f32 / best", "best / best",
)
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/measurements"


def keeps(form, bound):
    """JSON has no infinity: null where an output is infinite or NaN."""
    return "missing" not in form and form["rel_l2"] is not None and form["rel_l2"] <= bound


def our_best(forms, bound):
    return BEST if keeps(forms[BEST], bound) and forms[BEST]["ratio"] < 1 else OURS


def peer_best(forms, bound):
    kept = [name for name in PEERS if name == "peer_f32" or keeps(forms[name], bound)]
    return min(kept, key=lambda name: forms[name]["ratio"])


def ratios(forms, bound):
    """f32 / f32, f32 / best, best / best."""
    to_best = "ratio_to_best" if our_best(forms, bound) == BEST else "ratio"
    return [forms["peer_f32"]["ratio"], forms["peer_f32"][to_best], forms[peer_best(forms, bound)][to_best]]


def cell(form):
    if "missing" in form:
        return "-"
    error = "overflow" if form["rel_l2"] is None else f"{form['rel_l2']:.0e}"
    return f"{form['ms']:.3f} ({error})"


def row(network, bound):
    forms = network["forms"]
    best = forms[BEST]
    if our_best(forms, bound) == OURS:
        best = {"ms": forms[OURS]["ms"], "rel_l2": 0.0}
    return [
        network["network"], f"{forms[OURS]['ms']:.3f}", cell(best), f"{forms['peer_f32']['ms']:.3f}",
        cell(forms["peer_f16"]), cell(forms["peer_int8"]),
    ] + [f"{ratio:.2f}" for ratio in ratios(forms, bound)]


def table(document):
    networks = [network for network in document["networks"] if "forms" in network]
    rows = [row(network, document["bound"]) for network in networks]
    columns = zip(*(ratios(network["forms"], document["bound"]) for network in networks))
    means = [f"**{geometric_mean(column):.2f}**" for column in columns]
    rows.append(["**geometric mean**"] + [""] * 5 + means)
    return [
        "| " + " | ".join(HEADING) + " |",
        "|---" * len(HEADING) + "|",
        *("| " + " | ".join(cells) + " |" for cells in rows),
    ]


def notes_of(network, bound):
    name = network["network"]
    if "forms" not in network:
        yield f"{name}: " + (network.get("failure") or f"not compared: {network['not_compared']}")
        return
    forms = network["forms"]
    for form, words in NAMES.items():
        if "missing" in forms[form]:
            yield f"{name}: no {words}: {forms[form]['missing']}"
    if "missing" not in forms[BEST] and not keeps(forms[BEST], bound):
        yield f"{name}: float32 is the best: the tuned point misses the bound here: {cell(forms[BEST])}"
    elif "missing" not in forms[BEST] and our_best(forms, bound) == OURS:
        yield f"{name}: float32 is the best: the tuned point is slower here: {cell(forms[BEST])}"


def notes(document):
    lines = [note for network in document["networks"] for note in notes_of(network, document["bound"])]
    random = [network["network"] for network in document["networks"] if network.get("random_weights")]
    if random:
        lines.append("random weights, whose errors say little: " + ", ".join(random))
    return ["- " + " ".join(line.split()) for line in lines]


def heading(document):
    threads = document["threads"]
    busy = [network["other_cores"] for network in document["networks"] if "forms" in network]
    return [
        f"{document['cpu']}, {threads} thread{'s' * (threads > 1)}, {document['compiler']}, {document['time'][:10]}; "
        f"other processes kept at most {max(busy):.2f} cores busy. halftone {document['halftone']} and ONNX Runtime "
        f"{document['onnxruntime']}, in turns in one process, {document['budget_s']:g} s each; medians of a run.",
        "",
        f"Best: the fastest with a relative L2 error of at most {document['bound']:g}, in brackets, against float32 of "
        "the same program. Ratios are theirs / ours: above 1 halftone is faster.",
    ]


def report(document):
    """The table is last: its last line are the geometric means."""
    found = notes(document)
    return heading(document) + [""] + (found + [""] if found else []) + table(document)


def name_of_cpu(cpu):
    """'Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz (GenuineIntel 6.85)' becomes intel-xeon-gold-6130-cpu-2-10ghz."""
    words = re.sub(r"\([^)]*\)", " ", cpu).lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-") or "unknown-cpu"


def page(document, command):
    lines = [
        f"# {document['time'][:10]}, {document['cpu']}: the best at {document['bound']:g} against ONNX Runtime", "",
        "```sh", command, "```", "",
    ]
    return "\n".join(lines + report(document)) + "\n"


def write_page(document, command, name, folder):
    """Its path. A page stays as it was measured."""
    path = folder / f"{document['time'][:10]}-{name or name_of_cpu(document['cpu'])}-vs-onnxruntime.md"
    if path.exists():
        sys.exit(f"error: {path} is there and stays as it was measured: give another name with --measurements=NAME")
    path.write_text(page(document, command), encoding="utf-8")
    return path


def main():
    parser = argparse.ArgumentParser(description="The Markdown table of labs/onnxruntime/bench_vs_onnxruntime.sh --best.")
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--command", default="labs/onnxruntime/bench_vs_onnxruntime.sh --best=BOUND")
    parser.add_argument("--measurements", metavar="NAME", help="empty: made of the CPU's name")
    arguments = parser.parse_args()
    document = load(arguments.file)
    if not any("forms" in network for network in document["networks"]):
        print("\n".join(notes(document)))
        sys.exit("error: no network could be compared: the lines above say why for each")
    print("\n".join(report(document)))
    if arguments.measurements is not None:
        path = write_page(document, arguments.command, arguments.measurements, FOLDER)
        print(f"{path}: written; give it a row in docs/measurements/README.md", file=sys.stderr)


if __name__ == "__main__":
    main()
