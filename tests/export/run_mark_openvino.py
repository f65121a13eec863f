"""Runs mark_openvino.py on a made-up openvino module: run_mark_openvino.py SCRIPT MARKS NET.xml

The module reads the layers of an IR, and prints the names of the marked ones in place of saving it.
"""
import json
import sys
import types
import xml.etree.ElementTree as ElementTree


class Output:
    def __init__(self, node, names):
        self.node = node
        self.names = names

    def get_names(self):
        return set(self.names)

    def get_node(self):
        return self.node


class Node:
    def __init__(self, layer):
        self.layer = layer
        self.info = {}
        self.before = []
        self.results = [Output(self, [name.replace("\0", ",") for name in
                                      port.get("names", "").replace("\\,", "\0").split(",") if name])
                        for port in layer.findall("output/port")]

    def outputs(self):
        return self.results

    def input_values(self):
        return self.before

    def get_friendly_name(self):
        return self.layer.get("name")

    def get_type_name(self):
        return self.layer.get("type")

    def get_rt_info(self):
        return self.info


class Model:
    def __init__(self, path):
        net = ElementTree.parse(path).getroot()
        self.nodes = {layer.get("id"): Node(layer) for layer in net.findall("layers/layer")}
        for edge in net.findall("edges/edge"):
            self.nodes[edge.get("to-layer")].before += self.nodes[edge.get("from-layer")].results[:1]

    def get_ordered_ops(self):
        return list(self.nodes.values())


def save_model(model, path, compress_to_fp16):
    assert not compress_to_fp16
    print(json.dumps([node.get_friendly_name() for node in model.get_ordered_ops() if "precise_0" in node.info]))


openvino = types.ModuleType("openvino")
openvino.Core = lambda: types.SimpleNamespace(read_model=Model)
openvino.save_model = save_model
sys.modules["openvino"] = openvino

script, marks, network = sys.argv[1:]
sys.argv = [script, marks, network, "marked.xml"]
with open(script, encoding="utf-8") as file:
    exec(compile(file.read(), script, "exec"), {"__name__": "__main__"})
