"""Runs a small ONNX network in numpy, node by node, by the definitions of the operators.

The second opinion on what train_digits.py writes: it reads the file, shares no code with the
training, and computes in float64. Slow, and limited to the operators of that network; anything else
is an error, not a guess.
"""
import numpy as np
import onnx
from onnx import numpy_helper


def _windows(x, kernel, strides, pads, fill):
    """[N,C,H,W] -> [N,C,OH,OW,KH,KW]; pads are (top, left, bottom, right) as in ONNX."""
    x = np.pad(x, ((0, 0), (0, 0), (pads[0], pads[2]), (pads[1], pads[3])), constant_values=fill)
    windows = np.lib.stride_tricks.sliding_window_view(x, kernel, axis=(2, 3))
    return windows[:, :, ::strides[0], ::strides[1]]


def _conv(attributes, x, weight):
    if attributes.get("group", 1) != 1 or attributes.get("dilations", [1, 1]) != [1, 1]:
        raise ValueError("Conv: groups and dilations are not supported here")
    windows = _windows(x, weight.shape[2:], attributes.get("strides", [1, 1]),
                       attributes.get("pads", [0, 0, 0, 0]), 0.0)
    return np.einsum("nchwij,ocij->nohw", windows, weight, optimize=True)


def _batch_normalization(attributes, x, scale, bias, mean, variance):
    per_channel = lambda v: v.reshape(1, -1, 1, 1)
    std = np.sqrt(variance + attributes.get("epsilon", 1e-5))
    return per_channel(scale) * (x - per_channel(mean)) / per_channel(std) + per_channel(bias)


def _max_pool(attributes, x):
    windows = _windows(x, attributes["kernel_shape"], attributes.get("strides", [1, 1]),
                       attributes.get("pads", [0, 0, 0, 0]), -np.inf)
    return windows.max(axis=(4, 5))


def _gemm(attributes, a, b, c):
    if attributes.get("transA", 0) or not attributes.get("transB", 0):
        raise ValueError("Gemm: only transA=0, transB=1 is supported here")
    return a @ b.T + c


def _softmax(attributes, x):
    axis = attributes.get("axis", -1)
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


_OPERATORS = {
    "Conv": _conv,
    "BatchNormalization": _batch_normalization,
    "Relu": lambda attributes, x: np.maximum(x, 0),
    "Add": lambda attributes, a, b: a + b,
    "MaxPool": _max_pool,
    "GlobalAveragePool": lambda attributes, x: x.mean(axis=(2, 3), keepdims=True),
    "Flatten": lambda attributes, x: x.reshape(x.shape[0], -1),
    "Gemm": _gemm,
    "Softmax": _softmax,
}


def run(path, inputs):
    """The first output of the model for `inputs`, its only input, in float64."""
    graph = onnx.load(str(path)).graph
    values = {i.name: numpy_helper.to_array(i).astype(np.float64) for i in graph.initializer}
    free = [i.name for i in graph.input if i.name not in values]
    if len(free) != 1:
        raise ValueError(f"{path}: expected one input, found {free}")
    values[free[0]] = inputs.astype(np.float64)
    for node in graph.node:
        if node.op_type not in _OPERATORS:
            raise ValueError(f"{path}: node '{node.name}': no definition of {node.op_type} here")
        attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        operands = [values[name] for name in node.input]
        values[node.output[0]] = _OPERATORS[node.op_type](attributes, *operands)
    return values[graph.output[0].name]
