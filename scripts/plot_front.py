#!/usr/bin/env python3
"""Draws front.json as an SVG: speed-up against SQNR, with the interval of each speed-up.

    scripts/plot_front.py out/quickstart/front.json docs/guide/front_digits.svg

Standard library only; the output depends on the input alone.
"""
import html
import json
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 70, 30, 50, 60


def ticks(low, high):
    """About five round numbers from low to high."""
    step = 10 ** math.floor(math.log10((high - low) / 5))
    step *= next(f for f in (1, 2, 5, 10) if (high - low) / (step * f) <= 6)
    first = math.ceil(low / step)
    return [round(n * step, 10) for n in range(first, math.floor(high / step) + 1)]


def draw(front, title):
    points = [(p["accuracy"]["sqnr_db"]["mean"], p["speed_up"], p["speed_up_interval"], p["chosen"]) for p in front]
    finite = [db for db, _, _, _ in points if db < 200]
    exact_db = max(finite, default=100) * 1.15  # bit-identical outputs have no finite SQNR
    lows = [interval[0] for _, _, interval, _ in points] + [1.0]
    highs = [interval[1] for _, _, interval, _ in points] + [1.0]
    y_low, y_high = min(lows) - 0.05, max(highs) + 0.05
    x_low, x_high = min(finite, default=0) * 0.9, exact_db * 1.05

    def x(db):
        return LEFT + (min(db, exact_db) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def y(speed):
        return HEIGHT - BOTTOM - (speed - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{LEFT}" y="28" font-size="16">{html.escape(title)}</text>']
    for value in ticks(y_low, y_high):
        out.append(f'<path d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}x</text>')
    for value in [t for t in ticks(x_low, exact_db) if t < exact_db * 0.97] + [exact_db]:
        label = "exact" if value == exact_db else f"{value:g}"
        out.append(f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{label}</text>')
    out.append(f'<path d="M{LEFT} {y(1):.1f}H{WIDTH - RIGHT}" stroke="#888" stroke-dasharray="4 4"/>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">SQNR of the outputs, dB</text>')
    out.append(f'<text transform="translate(18 {HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle">speed-up over fp32</text>')
    path = " ".join(f"{'M' if i == 0 else 'L'}{x(db):.1f} {y(s):.1f}" for i, (db, s, _, _) in enumerate(sorted(points)))
    out.append(f'<path d="{path}" fill="none" stroke="#3465a4"/>')
    for db, speed, (low, high), chosen in points:
        out.append(f'<path d="M{x(db):.1f} {y(low):.1f}V{y(high):.1f}" stroke="#3465a4" stroke-width="2"/>'
                   f'<circle cx="{x(db):.1f}" cy="{y(speed):.1f}" r="{7 if chosen else 5}" fill="{"#cc4400" if chosen else "#3465a4"}"/>')
    return "\n".join(out + ["</svg>", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_front.py front.json picture.svg")
    with open(sys.argv[1], encoding="utf-8") as file:
        result = json.load(file)
    if not result["front"]:
        sys.exit(f"{sys.argv[1]} holds no points")
    title = f'{result["model"]["name"]} on {result["target"]["cpu"]}, {result["target"]["threads"]} threads'
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(draw(result["front"], title))


if __name__ == "__main__":
    main()
