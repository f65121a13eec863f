#include "search/nonfinite.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <vector>

namespace halftone {
namespace {

// Infinities and NaN are the words whose exponent bits are all set.
template <typename Word>
std::optional<std::int64_t> FirstWithExponent(const void* data, std::int64_t count, Word exponent) {
  const Word* words = static_cast<const Word*>(data);
  for (std::int64_t i = 0; i < count; ++i) {
    if ((words[i] & exponent) == exponent) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<Tensor> NewOutputs(const Executable& executable) {
  std::vector<Tensor> outputs;
  for (const TensorType& type : executable.output_types()) {
    outputs.emplace_back(type);
  }
  return outputs;
}

// Names of the values that are not finite in the reference run of `sample`; constants included.
std::set<std::string, std::less<>> NonFiniteValues(const Graph& graph, const Executable& reference,
                                                   const Sample& sample) {
  std::set<std::string, std::less<>> names;
  for (const Value& value : graph.values) {
    if (value.constant && FirstNonFinite(value.constant->type(), value.constant->data())) {
      names.insert(value.name);
    }
  }
  std::set<std::string, std::less<>> nodes;
  Workspace workspace = reference.NewWorkspace();
  std::vector<Tensor> outputs = NewOutputs(reference);
  reference.RunObserved(workspace, reference.ConvertInputs(sample.inputs), outputs,
                        [&](std::size_t step, std::span<void* const> data) {
                          for (std::size_t i = 0; i < data.size(); ++i) {
                            if (FirstNonFinite(reference.step_output_types(step)[i], data[i])) {
                              nodes.insert(reference.steps()[step].node);
                            }
                          }
                        });
  for (const Node& node : graph.nodes) {
    if (nodes.contains(node.name)) {
      names.insert(node.name);
      for (const ValueId output : node.outputs) {
        if (output != kNoValue) {
          names.insert(graph.value(output).name);
        }
      }
    }
  }
  return names;
}

// What a step is about: the node, or for "cast <value> to <dtype>" the value.
std::string_view SubjectOf(const StepInfo& step) {
  constexpr std::string_view kCast = "cast ";
  const std::string_view name = step.node;
  const auto to = name.rfind(" to ");
  if (name.starts_with(kCast) && to != std::string_view::npos && to >= kCast.size()) {
    return name.substr(kCast.size(), to - kCast.size());
  }
  return name;
}

}  // namespace

std::optional<std::int64_t> FirstNonFinite(const TensorType& type, const void* data) {
  const std::int64_t count = type.shape.ElementCount();
  switch (type.dtype) {
    case DType::kFloat32:
      return FirstWithExponent<std::uint32_t>(data, count, 0x7f800000U);
    case DType::kFloat16:
      return FirstWithExponent<std::uint16_t>(data, count, 0x7c00U);
    case DType::kBFloat16:
      return FirstWithExponent<std::uint16_t>(data, count, 0x7f80U);
    case DType::kFloat64:
      return FirstWithExponent<std::uint64_t>(data, count, 0x7ff0000000000000U);
    default:
      return std::nullopt;
  }
}

std::optional<NonFiniteOutput> FindNonFiniteOutput(std::span<const Tensor> reference,
                                                   std::span<const Tensor> actual) {
  for (std::size_t output = 0; output < actual.size(); ++output) {
    const Tensor& tensor = actual[output];
    const auto first = FirstNonFinite(tensor.type(), tensor.data());
    if (!first) {
      continue;
    }
    for (std::int64_t i = *first; i < tensor.ElementCount(); ++i) {
      const double value = DoubleAt(tensor.dtype(), tensor.data(), i);
      const double expected = DoubleAt(reference[output].dtype(), reference[output].data(), i);
      if (!std::isfinite(value) && std::isfinite(expected)) {
        return NonFiniteOutput{output, i, value};
      }
    }
  }
  return std::nullopt;
}

std::string DescribeNonFinite(const Graph& graph, const Executable& reference,
                              const Executable& candidate, const Sample& sample) {
  const auto expected = NonFiniteValues(graph, reference, sample);
  std::string description;
  Workspace workspace = candidate.NewWorkspace();
  std::vector<Tensor> outputs = NewOutputs(candidate);
  candidate.RunObserved(
      workspace, candidate.ConvertInputs(sample.inputs), outputs,
      [&](std::size_t step, std::span<void* const> data) {
        const StepInfo& info = candidate.steps()[step];
        if (!description.empty() || expected.contains(SubjectOf(info))) {
          return;
        }
        for (std::size_t i = 0; i < data.size(); ++i) {
          const TensorType& type = candidate.step_output_types(step)[i];
          if (const auto element = FirstNonFinite(type, data[i])) {
            description = fmt::format(
                "node '{}' ({}) makes {} in {} at element {} of its output {} on sample '{}'",
                info.node, info.op, DoubleAt(type.dtype, data[i], *element), NameOf(type.dtype),
                *element, i, sample.name);
            return;
          }
        }
      });
  if (description.empty()) {
    return fmt::format(
        "an output is not finite on sample '{}' where float32 is, though every node that makes "
        "such "
        "values does so in float32 too",
        sample.name);
  }
  return description + ", where float32 is finite: keep this node";
}

}  // namespace halftone
