"""Runs a script of Polygraphy on a made-up TensorRT network: run_postprocess.py SCRIPT LAYER...

Prints JSON: for each layer [name, precision, type of its float result, type of its int32 result].
"""
import ast
import importlib
import json
import pathlib
import sys
import types


class DataType:
    def __init__(self, name):
        self.name = name


class Layer:
    """Two results: a float and an int32 tensor."""

    def __init__(self, name):
        self.name = name
        self.precision = None
        self.num_outputs = 2
        self.set_types = [None, None]

    def get_output(self, i):
        return types.SimpleNamespace(dtype=(tensorrt.float32, tensorrt.int32)[i])

    def set_output_type(self, i, dtype):
        self.set_types[i] = dtype


tensorrt = types.ModuleType("tensorrt")
for word in ("float32", "float16", "bfloat16", "int32"):
    setattr(tensorrt, word, DataType(word))
sys.modules["tensorrt"] = tensorrt

path = pathlib.Path(sys.argv[1])
ast.parse(path.read_text(encoding="utf-8"))
sys.path.insert(0, str(path.parent))  # as Polygraphy loads it
script = importlib.import_module(path.stem)
layers = [Layer(name) for name in sys.argv[2:]]
script.postprocess(layers)
print(json.dumps([[layer.name] + [value and value.name for value in (layer.precision, *layer.set_types)]
                  for layer in layers]))
