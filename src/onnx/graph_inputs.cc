#include "src/onnx/graph_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <onnx/onnx_pb.h>

#include <optional>
#include <unordered_set>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/onnx/initializer.h"
#include "src/onnx/model_inputs.h"

namespace halftone {
namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

// Exporters write free dimensions as a name, as nothing, as 0 and as -1.
bool IsFree(const Dimension& dim) {
  return !dim.has_dim_value() || dim.dim_value() <= 0;
}

std::string NameOf(const Dimension& dim) {
  return SymbolOf(dim.dim_param());
}

void CheckInput(const onnx::ValueInfoProto& input) {
  const auto& type = input.type();
  if (type.value_case() != onnx::TypeProto::kTensorType) {
    throw Error(
        ErrorKind::kUnsupported,
        "expected a tensor, found a sequence, map or optional; make its tensors inputs of their "
        "own");
  }
  const int element = type.tensor_type().elem_type();
  if (!DTypeFromOnnx(element)) {
    throw Error(element == 0 ? ErrorKind::kModel : ErrorKind::kUnsupported,
                UnsupportedElements(element));
  }
  for (const Dimension& dim : type.tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() < -1) {
      throw Error(ErrorKind::kModel, fmt::format("extent {} is negative", dim.dim_value()));
    }
  }
}

// Advice for a given shape that does not fit; empty when it does.
std::string AdviceFor(const onnx::TensorShapeProto& stated,
                      const std::vector<std::int64_t>& given) {
  if (stated.dim_size() != static_cast<int>(given.size())) {
    return stated.dim_size() == 0 ? "give no extents, only the name and a colon"
                                  : fmt::format("give {} {}", stated.dim_size(),
                                                stated.dim_size() == 1 ? "extent" : "extents");
  }
  for (int axis = 0; axis < stated.dim_size(); ++axis) {
    const Dimension& dim = stated.dim(axis);
    const std::int64_t extent = given[static_cast<std::size_t>(axis)];
    if (extent < 0) {
      return fmt::format("give axis {} an extent of at least 0", axis);
    }
    if (!IsFree(dim) && dim.dim_value() != extent) {
      return fmt::format("the model fixes axis {}, give it {}", axis, dim.dim_value());
    }
  }
  return {};
}

// Error kUsage when the given shape does not agree with what the model fixes.
void CheckGiven(const onnx::TensorShapeProto& stated, const std::vector<std::int64_t>& given) {
  const std::string advice = AdviceFor(stated, given);
  if (advice.empty()) {
    return;
  }
  std::vector<std::string> expected;
  for (const Dimension& dim : stated.dim()) {
    expected.push_back(!IsFree(dim)          ? fmt::format("{}", dim.dim_value())
                       : NameOf(dim).empty() ? "?"
                                             : NameOf(dim));
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("E10001: --input_shape: the input shape {} does not fit {} of the model: {}",
                  fmt::join(given, ","), expected.empty() ? "a scalar" : Join(expected, ","),
                  advice));
}

// The extent of a symbolic dimension.
struct Binding {
  std::int64_t extent = 0;
  std::string place;  // where it was bound first
};

using Bindings = std::map<std::string, Binding>;  // by name

void BindAxes(const onnx::ValueInfoProto& input, const std::vector<std::int64_t>& given,
              Bindings& bound) {
  const auto& tensor = input.type().tensor_type();
  if (tensor.has_shape()) {
    CheckGiven(tensor.shape(), given);
  }
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const std::string name = NameOf(tensor.shape().dim(axis));
    if (name.empty()) {
      continue;
    }
    const std::int64_t extent = given[static_cast<std::size_t>(axis)];
    const Binding here{extent, fmt::format("{} of input '{}'", axis, input.name())};
    const Binding& first = bound.emplace(name, here).first->second;
    if (first.extent != extent) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("dimension '{}' is {} on axis {} and {} on axis {}: give both the "
                              "same extent",
                              name, extent, axis, first.extent, first.place));
    }
  }
}

// Extents of symbolic dimensions that input_shapes fixes.
Bindings BindNames(const std::vector<const onnx::ValueInfoProto*>& inputs,
                   const InputShapes& shapes) {
  Bindings bound;
  for (const onnx::ValueInfoProto* input : inputs) {
    if (const auto given = shapes.find(input->name()); given != shapes.end()) {
      WithContext([&] { return fmt::format("input '{}'", input->name()); },
                  [&] { BindAxes(*input, given->second, bound); });
    }
  }
  return bound;
}

void CheckNames(const InputShapes& shapes, const std::vector<const onnx::ValueInfoProto*>& inputs) {
  for (const auto& [name, shape] : shapes) {
    std::vector<std::string> known;
    bool found = false;
    for (const onnx::ValueInfoProto* input : inputs) {
      known.push_back(fmt::format("'{}'", input->name()));
      found = found || input->name() == name;
    }
    if (!found) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("an input shape is given for '{}', the inputs of the model are {}: "
                              "use one of these names",
                              name, Join(known, ", ")));
    }
  }
}

// The extents of an input whose shape is not given. A free one that no name fixes is the default,
// with a note.
std::vector<std::int64_t> StatedExtents(const onnx::ValueInfoProto& input, const Bindings& bound,
                                        std::int64_t default_dim, std::vector<std::string>& notes) {
  const auto& tensor = input.type().tensor_type();
  if (!tensor.has_shape()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("input '{}' has no shape in the model: use --input_shape=\"{}:...\"",
                            input.name(), input.name()));
  }
  std::vector<std::int64_t> dims;
  for (int axis = 0; axis < tensor.shape().dim_size(); ++axis) {
    const Dimension& dim = tensor.shape().dim(axis);
    const auto known = bound.find(NameOf(dim));
    if (!IsFree(dim)) {
      dims.push_back(dim.dim_value());
    } else if (known != bound.end()) {
      dims.push_back(known->second.extent);
    } else {
      dims.push_back(default_dim);
      notes.push_back(fmt::format(
          "input '{}': free dimension {}{} became {}; --input_shape sets it", input.name(), axis,
          NameOf(dim).empty() ? "" : fmt::format(" ('{}')", NameOf(dim)), default_dim));
    }
  }
  return dims;
}

}  // namespace

GraphInputs InputsOf(const onnx::GraphProto& graph, const ImportOptions& options) {
  std::unordered_set<std::string> initializers;
  for (const auto& initializer : graph.initializer()) {
    initializers.insert(initializer.name());
  }
  std::vector<const onnx::ValueInfoProto*> inputs;
  for (const auto& input : graph.input()) {
    if (!initializers.contains(input.name())) {
      inputs.push_back(&input);
      WithContext([&] { return fmt::format("input '{}'", input.name()); },
                  [&] { CheckInput(input); });
    }
  }
  CheckNames(options.input_shapes, inputs);
  const auto bound = BindNames(inputs, options.input_shapes);
  GraphInputs result;
  for (const onnx::ValueInfoProto* input : inputs) {
    const auto given = options.input_shapes.find(input->name());
    std::vector<std::int64_t> dims =
        given != options.input_shapes.end()
            ? given->second
            : StatedExtents(*input, bound, options.default_dim, result.notes);
    TensorType type{*DTypeFromOnnx(input->type().tensor_type().elem_type()),
                    Shape(std::move(dims))};
    WithContext([&] { return fmt::format("input '{}'", input->name()); },
                [&] { static_cast<void>(type.shape.ElementCount()); });
    result.inputs.push_back({.name = input->name(), .type = std::move(type)});
  }
  return result;
}

}  // namespace halftone
