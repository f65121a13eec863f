// Feedback of recurrent networks: outputs of a step that are inputs of the next step (--state).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/accuracy/sample_reader.h"
#include "src/ir/graph.h"

namespace halftone {

// Link from a step to the next: graph.outputs[output] becomes graph.inputs[input] of the next step.
struct StateLink {
  std::size_t output = 0;
  std::size_t input = 0;

  friend bool operator==(const StateLink&, const StateLink&) = default;
};

// Parses "<output>:<input>;...", such as "hn:h;cn:c". Error kUsage: another form, no such output or
// input, an input that is fed twice, or an output and an input of different types.
std::vector<StateLink> ParseStateLinks(const Graph& graph, std::string_view text);

// Runs a sample by `run`, which takes the inputs of one step and returns its outputs. A sample
// without steps is one call. The steps of a sequence run in order, and each takes its states from
// the step before; their outputs are stacked along a new first axis. If `run` returns no outputs,
// RunSteps() ends and returns none.
std::vector<Tensor> RunSteps(
    const Sample& sample, std::span<const StateLink> links,
    const std::function<std::vector<Tensor>(std::span<const Tensor>)>& run);

// Types of the results of RunSteps(), given those of one step. `steps` is the number of steps of a
// sequence; 0: samples are single runs.
std::vector<TensorType> StepTypes(std::span<const TensorType> outputs, std::size_t steps);

}  // namespace halftone
