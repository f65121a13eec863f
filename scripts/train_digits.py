#!/usr/bin/python3
"""Trains the example network of examples/digits and writes the folder anew.

    scripts/train_digits.py            # about a minute
    scripts/train_digits.py --check    # recomputes the accuracy of the committed files

Needs the Debian packages python3-numpy, python3-onnx and, to train, python3-sklearn.

A small residual convolutional network on the 1797 handwritten digits of 8x8 pixels that
scikit-learn carries: nothing is downloaded. Forward and backward pass are numpy. Seeded: a second
run on the same machine gives the same file; another BLAS sums in another order and gives slightly
different weights. The data is split once into training, search and held-out samples; the network
never sees the last two.
"""
import argparse
import pathlib
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import onnx_forward
from numpy_layers import Adam, BatchNorm, Classifier, Conv, MaxPool, Relu, Residual

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples" / "digits"
SEED = 20
SEARCH_COUNT, HELDOUT_COUNT = 200, 360
EPOCHS, BATCH, LEARNING_RATE, WEIGHT_DECAY = 40, 64, 4e-3, 1e-4
REQUIRED_ACCURACY = 0.97
# Largest difference between the forward pass below (float32) and the file run in float64.
MAX_DISAGREEMENT = 1e-4


class Network:
    def __init__(self, rng):
        def unit(name, suffix, inputs, outputs):
            return [(f"{name}/conv{suffix}", Conv(rng, inputs, outputs)),
                    (f"{name}/bn{suffix}", BatchNorm(outputs))]

        block = [*unit("block1", 1, 32, 32), ("block1/relu1", Relu()), *unit("block1", 2, 32, 32)]
        self.layers = [*unit("stem", "", 1, 16), ("stem/relu", Relu()),
                       *unit("widen", "", 16, 32), ("widen/relu", Relu()),
                       ("widen/pool", MaxPool()),
                       ("block1/add", Residual(block)), ("block1/relu2", Relu()),
                       *unit("top", "", 32, 48), ("top/relu", Relu()),
                       ("head", Classifier(rng, 48, 10))]
        self.trainable = [layer for _, layer in self.layers + block if layer.parameters]

    def logits(self, x, training=False):
        for _, layer in self.layers:
            x = layer.forward(x, training)
        return x

    def backward(self, gradient):
        for _, layer in reversed(self.layers):
            gradient = layer.backward(gradient)


class OnnxWriter:
    def __init__(self):
        self.nodes, self.initializers = [], []

    def constant(self, name, array):
        self.initializers.append(numpy_helper.from_array(array.astype(np.float32), name))
        return name

    def node(self, op, name, inputs, output=None, **attributes):
        output = output or name + "_output"
        self.nodes.append(helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def model(self):
        value = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, "digits", [value("pixels", ["batch", 1, 8, 8])],
                                  [value("probabilities", ["batch", 10])], self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                  producer_name="train_digits")
        model.ir_version = 8
        onnx.checker.check_model(model, full_check=True)
        return model


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def shifted(rng, images):
    """Each image moved by up to one pixel in both directions, zeros coming in."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = rng.integers(0, 3, size=(len(images), 2))
    return np.stack([p[i:i + 8, j:j + 8] for p, (i, j) in zip(padded, moves)])


def train(rng, images, labels):
    network = Network(rng)
    optimizer = Adam(network.trainable, WEIGHT_DECAY)
    total = EPOCHS * (len(images) // BATCH)
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        loss = 0.0
        for first in range(0, len(images) - BATCH + 1, BATCH):
            chosen = order[first:first + BATCH]
            probabilities = softmax(network.logits(shifted(rng, images[chosen]), training=True))
            loss -= np.log(probabilities[np.arange(BATCH), labels[chosen]] + 1e-12).sum()
            probabilities[np.arange(BATCH), labels[chosen]] -= 1
            network.backward((probabilities / BATCH).astype(np.float32))
            optimizer.step(LEARNING_RATE * 0.5 * (1 + np.cos(np.pi * optimizer.steps / total)))
        print(f"epoch {epoch + 1:2}/{EPOCHS}: loss {loss / len(images):.4f}", flush=True)
    return network


def load_split():
    from sklearn.datasets import load_digits  # --check does without
    pixels, labels = load_digits(return_X_y=True)
    images = (pixels.reshape(-1, 8, 8, 1) / 16).astype(np.float32)  # the data counts 0..16
    order = np.random.default_rng(SEED).permutation(len(images))
    parts = np.split(order, [SEARCH_COUNT, SEARCH_COUNT + HELDOUT_COUNT])
    return [(images[p], labels[p].astype(np.int64)) for p in parts]


def write_folder():
    started = time.monotonic()
    search, heldout, training = load_split()
    network = train(np.random.default_rng(SEED), *training)
    writer = OnnxWriter()
    name = "pixels"
    for layer_name, layer in network.layers:
        name = layer.export(writer, layer_name, name)
    FOLDER.mkdir(parents=True, exist_ok=True)
    onnx.save(writer.model(), str(FOLDER / "model.onnx"))
    for part, (images, labels) in (("search", search), ("heldout", heldout)):
        np.save(FOLDER / f"{part}_inputs.npy", np.ascontiguousarray(images.transpose(0, 3, 1, 2)))
        np.save(FOLDER / f"{part}_labels.npy", labels)
    images = heldout[0]
    difference = np.abs(softmax(network.logits(images)) -
                        onnx_forward.run(FOLDER / "model.onnx", images.transpose(0, 3, 1, 2))).max()
    print(f"file against training code: largest difference {difference:.1e}")
    if difference > MAX_DISAGREEMENT:
        raise SystemExit(f"error: the file differs from what was trained by {difference}")
    print(f"trained on {len(training[0])} samples in {time.monotonic() - started:.0f} s")


def check_folder():
    for part in ("search", "heldout"):
        labels = np.load(FOLDER / f"{part}_labels.npy")
        outputs = onnx_forward.run(FOLDER / "model.onnx", np.load(FOLDER / f"{part}_inputs.npy"))
        right = int((outputs.argmax(axis=1) == labels).sum())
        print(f"{part}: {right} of {len(labels)} right, top-1 {right / len(labels):.4f}")
        if right < REQUIRED_ACCURACY * len(labels):
            raise SystemExit(f"error: {part}: expected at least {REQUIRED_ACCURACY:.0%} right")


def main():
    parser = argparse.ArgumentParser(description="Trains examples/digits/model.onnx, or checks it.")
    parser.add_argument("--check", action="store_true",
                        help="recompute the accuracy of the committed files")
    if not parser.parse_args().check:
        write_folder()
    check_folder()


if __name__ == "__main__":
    main()
