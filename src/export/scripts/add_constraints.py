# TensorRT 8.6 to 10.x; 11 takes types from the model alone: --to=onnx-mixed
import sys

import tensorrt as trt

# Names of layers that differ from the most frequent type.
TYPES = {
}


def postprocess(network):
    named = {"float32": trt.float32, "float16": trt.float16, "bfloat16": getattr(trt, "bfloat16", None)}
    floats = [dtype for dtype in named.values() if dtype is not None]
    missing = set(TYPES)
    for layer in network:
        dtype = named.get(TYPES.get(layer.name))
        if dtype is None:
            continue
        missing.discard(layer.name)
        layer.precision = dtype
        for i in range(layer.num_outputs):
            if layer.get_output(i).dtype in floats:
                layer.set_output_type(i, dtype)
    for name in sorted(missing):
        print(f"no layer {name!r} that can be {TYPES[name]}", file=sys.stderr)
