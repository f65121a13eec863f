#!/usr/bin/env python3
"""Tables of docs/measurements/*-search.md and a plot from what halftone_search_quality --json=FILE wrote.

    labs/search_quality/search_quality_table.py out/quality.json [MORE.json ...] [--plot=docs/internals/search_quality.svg]

Prints Markdown. Standard library only; the output depends on the input alone.
"""
import html
import json
import math
import pathlib
import sys

COLOURS = {"model": "#cc4400", "greedy": "#3465a4", "random": "#777777", "bisect": "#73a116", "nsga2": "#75507b"}
PANEL, GAP, TOP, BOTTOM, HEIGHT = 300, 60, 50, 60, 330


def name_of(row):
    path = pathlib.PurePath(row["network"])
    return path.parent.name if path.name == "model.onnx" else path.name


def share(row, strategy, evaluations):
    """Of the area of all fronts, after that many evaluations."""
    reached = [s for b, s in zip(row["budgets"], row["strategies"][strategy]["shares"]) if b <= evaluations]
    return reached[-1] if reached else 0.0


def table(rows):
    order = [s for s in COLOURS if any(s in row["strategies"] for row in rows)]
    exhaustive = any("exhaustive" in row["strategies"] for row in rows)
    out = [f"| network | operators | evaluations | {' | '.join(order)} |" + (" all plans |" if exhaustive else ""),
           "|" + "---|" * (3 + len(order) + exhaustive)]
    for row in rows:
        n = row["operators"]
        for label, budget in (("N/2", math.ceil(n / 2)), ("N", n), ("2 N", 2 * n), ("120", 120)):
            if label == "120" and n > 60:
                continue
            cells = [f"{share(row, s, budget):.3f}" if s in row["strategies"] else "" for s in order]
            everything = row["strategies"].get("exhaustive")
            last = f" {everything['shares'][0]:.3f} after {everything['spent']:.0f} |" if everything else " |"
            out.append(f"| {name_of(row)} | {n} | {label} | {' | '.join(cells)} |" + (last if exhaustive else ""))
    out += ["", "| network | groups | probes cost | predictions off by |", "|---|---|---|---|"]
    for row in rows:
        model = row["strategies"].get("model", {})
        if "off_db" in model:
            out.append(f"| {name_of(row)} | {model['groups']} | {model['probes']:.1f} evaluations | "
                       f"{model['off_db']:.2f} dB, {100 * model['off_latency']:.1f} % |")
    return "\n".join(out)


def table_in_time(rows):
    order = [s for s in COLOURS if any(s in row["strategies"] for row in rows)]
    out = [f"| network | operators | seconds | {' | '.join(order)} |", "|" + "---|" * (3 + len(order))]
    for row in rows:
        for i, seconds in enumerate(row["times"]):
            cells = [f"{row['strategies'][s]['shares_in_time'][i]:.3f}" if s in row["strategies"] else "" for s in order]
            out.append(f"| {name_of(row)} | {row['operators']} | {seconds:g} | {' | '.join(cells)} |")
    return "\n".join(out)


def panel(row, left):
    shares = [s for name in COLOURS if name in row["strategies"] for s in row["strategies"][name]["shares"]]
    low = math.floor(10 * min(shares)) / 10
    most = math.log(max(row["budgets"]))
    least = math.log(min(b for b in row["budgets"] if b > 0))

    def x(budget):
        return left + (math.log(budget) - least) / (most - least) * PANEL

    def y(value):
        return TOP + (1 - value) / (1 - low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<text x="{left}" y="{TOP - 14}" font-size="15">{html.escape(name_of(row))}, N = {row["operators"]}</text>']
    for value in [v / 10 for v in range(round(10 * low), 11)]:
        out.append(f'<path d="M{left} {y(value):.1f}h{PANEL}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for budget in (4, 8, 16, 32, 64, 128, 256, 512):
        if least <= math.log(budget) <= most:
            out.append(f'<text x="{x(budget):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{budget}</text>')
    for strategy, colour in COLOURS.items():
        if strategy in row["strategies"]:
            steps = zip(row["budgets"], row["strategies"][strategy]["shares"])
            path = " ".join(f"{'M' if i == 0 else 'L'}{x(b):.1f} {y(s):.1f}" for i, (b, s) in enumerate(steps))
            out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{3 if strategy == "model" else 1.5}"/>')
    return out


def plot(rows):
    width = GAP + len(rows) * (PANEL + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{HEIGHT}" fill="white"/>']
    for i, row in enumerate(rows):
        out += panel(row, GAP + i * (PANEL + GAP))
    for i, (strategy, colour) in enumerate(COLOURS.items()):
        at = GAP + 110 * i
        out.append(f'<path d="M{at} {HEIGHT - 18}h24" stroke="{colour}" stroke-width="3"/>'
                   f'<text x="{at + 30}" y="{HEIGHT - 14}">{strategy}</text>')
    out.append(f'<text x="{width - GAP}" y="{HEIGHT - 14}" text-anchor="end">share of the best front by evaluations</text>')
    return "\n".join(out + ["</svg>", ""])


def main():
    files = [a for a in sys.argv[1:] if not a.startswith("--")]
    plots = [a.removeprefix("--plot=") for a in sys.argv[1:] if a.startswith("--plot=")]
    if not files or any(a.startswith("--") and not a.startswith("--plot=") for a in sys.argv[1:]):
        sys.exit(__doc__)
    rows = [row for name in files for row in json.loads(pathlib.Path(name).read_text())]
    in_time = [row for row in rows if "times" in row]
    rows = [row for row in rows if "times" not in row]
    if rows:
        print(table(rows))
    if in_time:
        print(("\n" if rows else "") + table_in_time(in_time))
    for name in plots if rows else ():
        pathlib.Path(name).write_text(plot(rows))


if __name__ == "__main__":
    main()
