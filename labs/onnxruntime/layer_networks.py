#!/usr/bin/env python3
"""Writes ONNX networks of one operator each, in the sizes that networks have it.

  labs/onnxruntime/layer_networks.py FOLDER

Each is FOLDER/NAME/model.onnx with random constants, for `labs/onnxruntime/bench_vs_onnxruntime.sh FOLDER`:
where ONNX Runtime is far ahead a kernel is missing here, whatever the networks at hand use. A new
row in LAYERS is all that another operator takes. Needs nothing but Python.
"""
import array
import pathlib
import random
import struct
import sys

FLOAT, UINT8, INT32, INT64, BOOL = 1, 2, 6, 7, 9
OPSET = 17


class Constant:
    """An initializer: random float32 of a shape, or the given integers."""

    def __init__(self, *shape, values=None):
        self.shape = shape
        self.values = values


def integers(*values, shape=None):
    return Constant(*((len(values),) if shape is None else shape), values=values)


class Layer:
    def __init__(self, name, op, inputs, result=FLOAT, opset=OPSET, **attributes):
        """Inputs: a tuple is the shape of a computed float32, a Constant one that is not."""
        self.name, self.op, self.inputs = name, op, inputs
        self.result, self.opset, self.attributes = result, opset, attributes


X = (1, 128, 3072)  # of element-wise operators: 1.5 MB
SPREAD = [7 * i % 512 for i in range(512 * 256)]

LAYERS = [
    Layer("argmax_channels", "ArgMax", [(1, 21, 257, 257)], INT64, axis=1, keepdims=0),
    Layer("argmax_last", "ArgMax", [(128, 30522)], INT64, axis=1, keepdims=0),
    Layer("average_pool_2x2", "AveragePool",
          [(1, 128, 56, 56)],
          kernel_shape=[2, 2], strides=[2, 2]),
    Layer("average_pool_3d", "AveragePool",
          [(1, 32, 16, 56, 56)],
          kernel_shape=[2, 2, 2], strides=[2, 2, 2]),
    Layer("cast_int32", "Cast", [X], INT32, to=INT32),
    Layer("cast_int64", "Cast", [X], INT64, to=INT64),
    Layer("cast_uint8", "Cast", [X], UINT8, to=UINT8),
    Layer("concat_last", "Concat", [(256, 64, 5), (256, 64, 3), (256, 64, 1)], axis=2),
    Layer("conv_1x1", "Conv", [(1, 512, 28, 28), Constant(512, 512, 1, 1)]),
    Layer("conv_3d", "Conv", [(1, 32, 8, 28, 28), Constant(64, 32, 3, 3, 3)], pads=[1] * 6),
    Layer("conv_3d_1x1", "Conv", [(1, 64, 8, 28, 28), Constant(128, 64, 1, 1, 1)]),
    Layer("conv_3d_stem", "Conv", [(1, 3, 16, 56, 56), Constant(32, 3, 3, 3, 3)], pads=[1] * 6),
    Layer("conv_from_1", "Conv", [(1, 1, 128, 128), Constant(32, 1, 3, 3)], pads=[1] * 4),
    Layer("conv_to_1", "Conv", [(1, 64, 128, 128), Constant(1, 64, 3, 3)], pads=[1] * 4),
    Layer("conv_transpose_3x3s2", "ConvTranspose",
          [(1, 128, 28, 28), Constant(128, 64, 3, 3)],
          strides=[2, 2]),
    Layer("conv_transpose_4x4s2", "ConvTranspose",
          [(1, 64, 32, 32), Constant(64, 32, 4, 4)],
          strides=[2, 2], pads=[1] * 4),
    Layer("conv_transpose_depthwise", "ConvTranspose",
          [(1, 64, 28, 28), Constant(64, 1, 4, 4)],
          strides=[2, 2], pads=[1] * 4, group=64),
    Layer("conv_transpose_vocoder", "ConvTranspose",
          [(1, 128, 100), Constant(128, 64, 16)],
          strides=[8], pads=[4, 4]),
    Layer("cumsum", "CumSum", [(1, 80, 4000), integers(2, shape=())]),
    Layer("depth_to_space", "DepthToSpace", [(1, 256, 96, 96)], blocksize=2, mode="CRD"),
    Layer("einsum_one", "Einsum", [(64, 256, 32)], equation="abc->ac"),
    Layer("einsum_scores", "Einsum",
          [(1, 8, 256, 64), (1, 8, 256, 64)],
          equation="bhid,bhjd->bhij"),
    Layer("einsum_three", "Einsum", [(8, 64), (64, 32), (32, 16)], equation="ab,bc,cd->ad"),
    Layer("gather_elements", "GatherElements",
          [(512, 256), integers(*SPREAD, shape=(512, 256))],
          axis=0),
    Layer("gemm_transposed_a", "Gemm", [(256, 128), Constant(256, 512), Constant(512)], transA=1),
    Layer("global_average_pool", "GlobalAveragePool", [(1, 1280, 7, 7)]),
    Layer("grid_sample", "GridSample", [(1, 64, 96, 96), (1, 96, 96, 2)]),
    Layer("gru", "GRU",
          [(100, 1, 64), Constant(2, 384, 64), Constant(2, 384, 128), Constant(2, 768)],
          hidden_size=128, direction="bidirectional", linear_before_reset=1),
    Layer("hardmax", "Hardmax", [(512, 1000)], axis=-1),
    Layer("instance_normalization", "InstanceNormalization",
          [(1, 64, 112, 112), Constant(64), Constant(64)])
          ,
    Layer("is_nan", "IsNaN", [X], BOOL),
    Layer("layer_normalization", "LayerNormalization",
          [(1, 256, 768), Constant(768), Constant(768)],
          axis=-1),
    Layer("log_softmax", "LogSoftmax", [(128, 1000)], axis=-1),
    Layer("lp_normalization", "LpNormalization", [(128, 768)], axis=1, p=2),
    Layer("lstm", "LSTM",
          [(50, 1, 512), Constant(1, 2048, 512), Constant(1, 2048, 512), Constant(1, 4096)],
          hidden_size=512),
    Layer("matmul_batch", "MatMul", [(12, 256, 64), (12, 64, 256)]),
    Layer("matmul_decode_keys", "MatMul", [(12, 1, 64), (12, 64, 256)]),
    Layer("matmul_decode_values", "MatMul", [(12, 1, 256), (12, 256, 64)]),
    Layer("matmul_row", "MatMul", [(1, 1, 768), Constant(768, 3072)]),
    Layer("max_pool_3x3s2", "MaxPool",
          [(1, 64, 112, 112)],
          kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4),
    Layer("mean_variance_normalization", "MeanVarianceNormalization", [(1, 64, 56, 56)]),
    Layer("mod", "Mod", [X, X], fmod=1),
    Layer("reduce_log_sum_exp", "ReduceLogSumExp", [(512, 768)], axes=[1]),
    Layer("reduce_max_classes", "ReduceMax", [(8400, 80)], axes=[1]),
    Layer("reduce_mean_channels", "ReduceMean", [(1, 256, 64, 64)], axes=[1]),
    Layer("reduce_sum_first", "ReduceSum", [(64, 256, 128), integers(0)], keepdims=0),
    Layer("resize_cubic", "Resize",
          [(1, 32, 64, 64), None, None, integers(1, 32, 128, 128)],
          mode="cubic"),
    Layer("resize_linear", "Resize",
          [(1, 128, 64, 64), None, None, integers(1, 128, 128, 128)],
          mode="linear"),
    Layer("scatter_elements", "ScatterElements",
          [(512, 256), integers(*SPREAD[: 128 * 256], shape=(128, 256)), Constant(128, 256)],
          axis=0),
    Layer("softmax_channels", "Softmax", [(1, 21, 128, 128)], axis=1),
    Layer("softmax_last", "Softmax", [(12, 256, 256)], axis=-1),
    Layer("space_to_depth", "SpaceToDepth", [(1, 64, 96, 96)], blocksize=2),
    Layer("tanh", "Tanh", [X]),
    Layer("tile", "Tile", [(1, 64, 64), integers(4, 4, 2)]),
    Layer("top_k", "TopK", [(1, 80, 8400), integers(300)], axis=-1),
    Layer("transpose_channels_last", "Transpose", [(1, 64, 112, 112)], perm=[0, 2, 3, 1]),
]


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, content):
    """A field of a protobuf message: text, bytes or an integer."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def attribute(name, value):
    message = field(1, name)
    if isinstance(value, int):
        message += field(3, value) + field(20, 2)
    elif isinstance(value, str):
        message += field(4, value) + field(20, 3)
    else:
        message += b"".join(field(8, item) for item in value) + field(20, 7)
    return field(5, message)


def tensor(name, constant, rng):
    count = 1
    for extent in constant.shape:
        count *= extent
    message = b"".join(field(1, extent) for extent in constant.shape)
    if constant.values is not None:
        raw = struct.pack(f"<{count}q", *constant.values)
        return field(5, message + field(2, INT64) + field(8, name) + field(9, raw))
    fan = count // constant.shape[0]
    raw = array.array("f", (rng.gauss(0, fan**-0.5) for _ in range(count))).tobytes()
    return field(5, message + field(2, FLOAT) + field(8, name) + field(9, raw))


def value(name, dtype, shape=None):
    described = field(1, dtype)
    if shape is not None:
        described += field(2, b"".join(field(1, field(1, extent)) for extent in shape))
    return field(1, name) + field(2, field(1, described))


def model(layer, rng):
    names, initializers, inputs = [], b"", b""
    for i, operand in enumerate(layer.inputs):
        names.append("" if operand is None else f"x{i}")
        if isinstance(operand, Constant):
            initializers += tensor(names[-1], operand, rng)
        elif operand is not None:
            inputs += field(11, value(names[-1], FLOAT, operand))
    node = b"".join(field(1, name) for name in names) + field(2, "y")
    if layer.op == "TopK":
        node += field(2, "indices")
    node += field(3, layer.name) + field(4, layer.op)
    node += b"".join(attribute(name, setting) for name, setting in layer.attributes.items())
    graph = field(1, node) + field(2, layer.name) + initializers + inputs
    graph += field(12, value("y", layer.result))
    return field(1, 8) + field(7, graph) + field(8, field(2, layer.opset))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for layer in LAYERS:
        folder = pathlib.Path(sys.argv[1]) / layer.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(model(layer, random.Random(layer.name)))
    print(f"{len(LAYERS)} networks in {sys.argv[1]}")


if __name__ == "__main__":
    main()
