# mark_openvino.py MARKS.json NET.xml|NET.onnx MARKED.xml
# Marks operators of a network that stay in float32 where a hint of 16 bits lowers the others.
import json
import sys

import openvino as ov


def names_of(node):
    return set().union(*(output.get_names() for output in node.outputs()))


def main(marks_file, network_file, marked_file):
    with open(marks_file, encoding="utf-8") as file:
        marks = json.load(file)
    model = ov.Core().read_model(network_file)
    makers = {name: node for node in model.get_ordered_ops() for name in names_of(node)}
    tensors = set(marks["all_tensors"])
    missing = [name for name in marks["fp32_tensors"] if name not in makers]
    waiting = [makers[name] for name in marks["fp32_tensors"] if name in makers]
    marked = set()
    while waiting:
        node = waiting.pop()
        if node.get_friendly_name() in marked or node.get_type_name() == "Parameter":
            continue
        marked.add(node.get_friendly_name())
        node.get_rt_info()["precise_0"] = ""
        for value in node.input_values():
            before = value.get_node()
            if not names_of(before) & tensors:
                waiting.append(before)
    ov.save_model(model, marked_file, compress_to_fp16=False)
    for name in missing:
        print(f"no operator makes {name!r}", file=sys.stderr)


main(*sys.argv[1:])
