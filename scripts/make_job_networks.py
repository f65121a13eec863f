#!/usr/bin/python3
"""Writes the networks and samples of examples/jobs anew.

    scripts/make_job_networks.py

Needs the Debian packages python3-numpy and python3-onnx. The weights are random and seeded: the
networks show how a job is done, not what a trained network loses.
"""
import pathlib

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "jobs"
OPSET = 17
IR_VERSION = 8


class Network:
    def __init__(self, name, seed):
        self.name = name
        self.rng = np.random.default_rng(seed)
        self.nodes, self.constants = [], []

    def weights(self, name, shape, fan_in):
        values = self.rng.normal(0, np.sqrt(2 / fan_in), shape).astype(np.float32)
        return self.constant(name, values)

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, op, name, inputs, outputs=None, **attributes):
        outputs = outputs or [name + "/y"]
        self.nodes.append(helper.make_node(op, inputs, outputs, name, **attributes))
        return outputs[0]

    def conv(self, name, x, channels, outputs, stride=1):
        w = self.weights(name + "/w", (outputs, channels, 3, 3), channels * 9)
        b = self.constant(name + "/b", self.rng.normal(0, 0.1, outputs).astype(np.float32))
        return self.add("Conv", name, [x, w, b], kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[stride, stride])

    def save(self, inputs, outputs):
        def values(shapes):
            return [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in shapes.items()]

        graph = helper.make_graph(self.nodes, self.name, values(inputs), values(outputs), self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="halftone")
        model.ir_version = IR_VERSION
        checker.check_model(model, full_check=True)
        save(model, FOLDER / f"{self.name}.onnx")


def detector():
    """Boxes of 9 cells: centre, size and score of each."""
    net = Network("detector", 1)
    x = "image"
    for i, (channels, outputs) in enumerate([(1, 8), (8, 16), (16, 24)]):
        x = net.add("Relu", f"relu{i}", [net.conv(f"conv{i}", x, channels, outputs, stride=2)])
    x = net.conv("head", x, 24, 5)
    x = net.add("Reshape", "cells", [x, net.constant("shape", np.array([1, 5, 9], np.int64))])
    x = net.add("Transpose", "rows", [x], perm=[0, 2, 1])
    net.add("Sigmoid", "boxes_of_cells", [x], ["boxes"])
    net.save({"image": [1, 1, 24, 24]}, {"boxes": [1, 9, 5]})
    images = np.zeros((160, 1, 24, 24), np.float32)
    for image in images:  # a bright square on noise
        size = net.rng.integers(4, 12)
        y, x = net.rng.integers(0, 24 - size, 2)
        image[0] = net.rng.uniform(0, 0.3, (24, 24))
        image[0, y:y + size, x:x + size] += 0.6
    np.save(FOLDER / "images.npy", images)


def denoiser():
    """A gain for each of 64 bands of a frame, from a GRU."""
    net = Network("denoiser", 2)
    hidden, bands = 96, 64
    w = net.weights("gru/w", (1, 3 * hidden, bands), bands)
    r = net.weights("gru/r", (1, 3 * hidden, hidden), hidden)
    b = net.constant("gru/b", net.rng.normal(0, 0.1, (1, 6 * hidden)).astype(np.float32))
    net.add("GRU", "gru", ["frame", w, r, b, "", "h"], ["gru/y", "hn"], hidden_size=hidden)
    x = net.add("Squeeze", "rows", ["gru/y", net.constant("axis", np.array([1], np.int64))])
    x = net.add("MatMul", "mix", [x, net.weights("mix/w", (hidden, bands), hidden)])
    net.add("Sigmoid", "gains", [x], ["gain"])
    net.save({"frame": [1, 1, bands], "h": [1, 1, hidden]}, {"gain": [1, 1, bands], "hn": [1, 1, hidden]})
    steps = np.arange(640)[:, None]
    tones = np.abs(np.sin(steps / np.linspace(5, 60, bands)[None, :])) + net.rng.normal(0, 0.1, (640, bands))
    np.save(FOLDER / "frames.npy", tones.astype(np.float32).reshape(640, 1, bands))


def smoother():
    """An image of the size of its input: a residual of three convolutions."""
    net = Network("smoother", 3)
    x = net.add("Relu", "relu0", [net.conv("conv0", "noisy", 1, 8)])
    x = net.add("Relu", "relu1", [net.conv("conv1", x, 8, 8)])
    x = net.conv("conv2", x, 8, 1)
    net.add("Add", "residual", [x, "noisy"], ["clean"])
    net.save({"noisy": [1, 1, 16, 16]}, {"clean": [1, 1, 16, 16]})
    rows, columns = np.mgrid[0:16, 0:16] / 16
    noisy = [np.sin(3 * a * rows + 3 * b * columns) + net.rng.normal(0, 0.1, (16, 16))
             for a, b in net.rng.uniform(0, 4, (320, 2))]
    np.save(FOLDER / "noisy.npy", np.array(noisy, np.float32)[:, None])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    detector()
    denoiser()
    smoother()
