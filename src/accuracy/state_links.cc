#include "src/accuracy/state_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

#include "src/accuracy/value_names.h"
#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Names may contain colons: the first one that has an output before and an input behind it.
StateLink ParseLink(const Graph& graph, std::string_view item) {
  for (std::size_t colon = item.find(':'); colon != std::string_view::npos;
       colon = item.find(':', colon + 1)) {
    const auto output = IndexOf(graph, graph.outputs, Trim(item.substr(0, colon)));
    const auto input = IndexOf(graph, graph.inputs, Trim(item.substr(colon + 1)));
    if (output && input) {
      return {*output, *input};
    }
  }
  throw Error(
      ErrorKind::kUsage,
      fmt::format("--state: '{}': expected <output>:<input>, the outputs of the network "
                  "are {}, its inputs {}",
                  Shown(item), NamesOf(graph, graph.outputs), NamesOf(graph, graph.inputs)));
}

std::string Describe(const Value& value) {
  return fmt::format("'{}' is {} {}", Shown(value.name), NameOf(value.type.dtype),
                     value.type.shape.ToString());
}

}  // namespace

std::vector<StateLink> ParseStateLinks(const Graph& graph, std::string_view text) {
  std::vector<StateLink> links;
  for (const std::string_view part : Split(text, ';')) {
    const StateLink link = ParseLink(graph, Trim(part));
    const Value& output = graph.value(graph.outputs[link.output]);
    const Value& input = graph.value(graph.inputs[link.input]);
    if (std::ranges::find(links, link.input, &StateLink::input) != links.end()) {
      throw Error(ErrorKind::kUsage, fmt::format("--state feeds '{}' twice: leave one of the "
                                                 "outputs out",
                                                 Shown(input.name)));
    }
    if (output.type != input.type) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--state: {}, {}: expected the same type, so that a step can take "
                              "what the one before made",
                              Describe(output), Describe(input)));
    }
    links.push_back(link);
  }
  return links;
}

std::vector<Tensor> RunSteps(
    const Sample& sample, std::span<const StateLink> links,
    const std::function<std::vector<Tensor>(std::span<const Tensor>)>& run) {
  if (sample.steps.empty()) {
    return run(sample.inputs);
  }
  std::vector<Tensor> stacked;
  std::vector<Tensor> outputs;
  for (std::size_t step = 0; step < sample.steps.size(); ++step) {
    std::vector<Tensor> inputs = sample.steps[step];
    for (const StateLink& link : links) {
      if (step > 0) {
        inputs[link.input] = outputs[link.output];
      }
    }
    outputs = run(inputs);
    if (outputs.empty()) {
      return {};
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (step == 0) {
        stacked.emplace_back(StepTypes({&outputs[i].type(), 1}, sample.steps.size()).front());
      }
      const std::size_t bytes = outputs[i].size_bytes();
      Check(outputs[i].size_bytes() * sample.steps.size() == stacked[i].size_bytes(),
            "every step has results of the same size");
      if (bytes > 0) {
        std::memcpy(stacked[i].mutable_data() + step * bytes, outputs[i].data(), bytes);
      }
    }
  }
  return stacked;
}

std::vector<TensorType> StepTypes(std::span<const TensorType> outputs, std::size_t steps) {
  std::vector<TensorType> types(outputs.begin(), outputs.end());
  for (TensorType& type : types) {
    if (steps > 0) {
      std::vector<std::int64_t> dims = {static_cast<std::int64_t>(steps)};
      dims.insert(dims.end(), type.shape.dims().begin(), type.shape.dims().end());
      type.shape = Shape(std::move(dims));
    }
  }
  return types;
}

}  // namespace halftone
