#!/usr/bin/env python3
"""1 for each sample whose best box, by its score, is that of float32 and overlaps it by 0.9; else 0."""
import ast
import pathlib
import struct
import sys

CENTRE_X, CENTRE_Y, WIDTH, HEIGHT, SCORE = range(5)
LEAST_OVERLAP = 0.9


def boxes_in(path):
    data = path.read_bytes()
    (header,) = struct.unpack_from("<H", data, 8)
    about = ast.literal_eval(data[10:10 + header].decode())
    code = {"<f4": "f", "<f2": "e"}[about["descr"]]
    numbers = [value for (value,) in struct.iter_unpack("<" + code, data[10 + header:])]
    return [numbers[i:i + 5] for i in range(0, len(numbers), 5)]


def best(boxes):
    return max(range(len(boxes)), key=lambda i: boxes[i][SCORE])


def overlap(a, b):
    area = 1.0
    for centre, size in ((CENTRE_X, WIDTH), (CENTRE_Y, HEIGHT)):
        low = max(a[centre] - a[size] / 2, b[centre] - b[size] / 2)
        high = min(a[centre] + a[size] / 2, b[centre] + b[size] / 2)
        area *= max(0.0, high - low)
    return area / (a[WIDTH] * a[HEIGHT] + b[WIDTH] * b[HEIGHT] - area)


folder = pathlib.Path(sys.argv[1])
for sample in range(len((folder / "samples.txt").read_text().splitlines())):
    want = boxes_in(folder / f"reference/{sample}_0.npy")
    got = boxes_in(folder / f"outputs/{sample}_0.npy")
    same = best(want) == best(got)
    print(int(same and overlap(want[best(want)], got[best(got)]) >= LEAST_OVERLAP))
