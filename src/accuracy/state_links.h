// Feedback of recurrent networks: outputs that are an input of the next step (--state).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "src/accuracy/sample_reader.h"
#include "src/ir/graph.h"

namespace halftone {

// Link of a step to the next one: graph.outputs[output] is graph.inputs[input] there.
struct StateLink {
  std::size_t output = 0;
  std::size_t input = 0;

  friend bool operator==(const StateLink&, const StateLink&) = default;
};

// Reads "hn:h;cn:c", <output>:<input>. Error kUsage: not of this form, no such output or input, an
// input that is fed twice, or types that differ.
std::vector<StateLink> ParseStateLinks(const Graph& graph, std::string_view text);

// Runs a sample: once, or the steps of a sequence one after the other, each with the states that
// the step before made. Outputs of a sequence are stacked along a new first axis, a row a step.
// `run` returns the outputs for its inputs. If it returns none, the sample ends, and so does
// RunSteps(), with none.
std::vector<Tensor> RunSteps(
    const Sample& sample, std::span<const StateLink> links,
    const std::function<std::vector<Tensor>(std::span<const Tensor>)>& run);

// Types of the results of RunSteps() for sequences of `steps` steps; 0: for single runs.
std::vector<TensorType> StepTypes(std::span<const TensorType> outputs, std::size_t steps);

}  // namespace halftone
