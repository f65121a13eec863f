// A case of a shape rule: operator, inputs, attributes, and the expected output shapes or the
// message of the refusal.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/graph_builder.h"

namespace halftone::testing {

using Ints = std::vector<std::int64_t>;

inline Attributes With(std::initializer_list<std::pair<const char*, Attribute>> values) {
  Attributes attributes;
  for (const auto& [name, value] : values) {
    attributes.Set(name, value);
  }
  return attributes;
}

// An input: a run-time tensor of a shape, or integer constants.
struct Operand {
  Shape shape;
  bool constant = false;
  Ints values;
};

inline Operand Data(Shape shape) {
  return {std::move(shape), false, {}};
}

inline Operand Const(Ints values) {
  return {{static_cast<std::int64_t>(values.size())}, true, std::move(values)};
}

struct ShapeRuleCase {
  const char* name;
  OpKind op;
  std::vector<Operand> inputs;
  Attributes attributes;
  std::vector<Shape> expected;  // empty: must be refused
  const char* message = "";
};

inline std::vector<Shape> Infer(const ShapeRuleCase& test) {
  GraphBuilder builder;
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    const Operand& operand = test.inputs[i];
    const std::string name = "in" + std::to_string(i);
    inputs.push_back(operand.constant ? builder.Integers(name, operand.values)
                                      : builder.Input(name, operand.shape));
  }
  const int outputs = std::max<int>(1, static_cast<int>(test.expected.size()));
  const ValueId first = builder.Add(test.op, "node", inputs, test.attributes, outputs);
  const Graph graph = builder.Finish({first});
  std::vector<Shape> shapes;
  for (const ValueId id : graph.nodes[0].outputs) {
    shapes.push_back(graph.value(id).type.shape);
  }
  return shapes;
}

}  // namespace halftone::testing
