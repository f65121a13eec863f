#!/usr/bin/env python3
"""Tunes examples/digits from Python: a promised bound, the front as a table, a session that serves it.

    PYTHONPATH=build/release/python examples/python_tune.py [--output=FOLDER]
"""
import pathlib
import sys

import numpy

import halftone

digits = pathlib.Path(__file__).resolve().parent / "digits"
inputs, labels = (numpy.load(digits / f"search_{name}.npy") for name in ("inputs", "labels"))
heldout_inputs, heldout_labels = (numpy.load(digits / f"heldout_{name}.npy") for name in ("inputs", "labels"))


def confidence(outputs, labels):
    """Mean probability of the right class, for each sample: outputs have the samples along the first axis."""
    return outputs["probabilities"][numpy.arange(len(labels)), labels]


front = halftone.tune(
    digits / "model.onnx", inputs, labels, heldout_inputs=heldout_inputs, heldout_labels=heldout_labels,
    metric=confidence, metric_better="higher", goal={"min_metric": 0.95}, budget=20)
print(front)
print(front.verdict)

for row in front.to_rows():  # pandas.DataFrame(front.to_rows()) is the table
    print(f"{row['number']}: {row['speed_up']:.2f}x, {row['sqnr_db']:.1f} dB, top-1 {row['top1']:.2%}")

point = front.chosen or front[0]
session = point.session()
probabilities, = session.run(None, {session.get_inputs()[0].name: inputs[:1]})
print(f"class {probabilities.argmax()} with probability {probabilities.max():.4f}, expected {labels[0]}")

for word in sys.argv[1:]:
    if word.startswith("--output="):
        folder = front.save(word.removeprefix("--output=")).folder
        print(f"report: {folder}/report.html; halftone run --point={folder}/{point.folder.name} runs the point")
