#include "src/api/load/state_sequences.h"

#include <fmt/format.h>

#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/exec/executable.h"
#include "src/precision/resolve/resolve.h"

namespace halftone {
namespace {

// The steps [first, first + length) as one sample. `anchor` computes float32.
Sample SequenceOf(const Dataset& steps, std::size_t first, std::size_t length,
                  std::span<const StateLink> links, const Executable& anchor,
                  Workspace& workspace) {
  Sample sequence{.name = steps.NameOf(first)};
  if (length > 1) {
    sequence.name += " to " + steps.NameOf(first + length - 1);
  }
  for (std::size_t i = first; i < first + length; ++i) {
    sequence.steps.push_back(steps.Read(i).inputs);
  }
  std::size_t step = 0;
  RunSteps(sequence, links, [&](std::span<const Tensor> inputs) {
    if (step++ == length / 2) {
      sequence.inputs.assign(inputs.begin(), inputs.end());
    }
    const std::vector<Tensor> converted = anchor.ConvertInputs(inputs);
    std::vector<Tensor> outputs = anchor.NewOutputs();
    anchor.Run(workspace, converted, outputs);
    return outputs;
  });
  return sequence;
}

Labels LabelsOf(const Dataset& steps, std::size_t count, std::size_t length) {
  if (!steps.has_labels()) {
    return {};
  }
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < count * length; ++i) {
    const std::span<const std::int64_t> of_step = steps.labels()[i];
    values.insert(values.end(), of_step.begin(), of_step.end());
  }
  const std::size_t each = values.size() / count;
  return {std::move(values), count, each, steps.labels().output()};
}

}  // namespace

Dataset SequencesOf(const Graph& graph, const Dataset& steps, std::vector<StateLink> links,
                    std::int64_t length) {
  const std::size_t each = length == 0 ? steps.size() : static_cast<std::size_t>(length);
  const std::size_t count = steps.size() / each;
  if (count == 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--sequence_length={}: --inputs holds {}; expected as many at least",
                            length, Counted(static_cast<std::int64_t>(steps.size()), "step")));
  }
  const Executable anchor = Compile(graph, ReferencePlan(graph), {});
  Workspace workspace = anchor.NewWorkspace();
  std::vector<Sample> sequences;
  for (std::size_t i = 0; i < count; ++i) {
    sequences.push_back(SequenceOf(steps, i * each, each, links, anchor, workspace));
  }
  Dataset dataset(std::move(sequences), LabelsOf(steps, count, each));
  dataset.state = std::move(links);
  dataset.steps_each = each;
  dataset.representative = steps.representative;
  dataset.notes = steps.notes;
  if (length == 0) {
    dataset.notes.push_back(
        fmt::format("all {} are one sequence; --sequence_length cuts them into several",
                    Counted(static_cast<std::int64_t>(steps.size()), "step")));
  }
  if (const std::size_t rest = steps.size() - count * each; rest > 0) {
    dataset.notes.push_back(
        rest == 1 ? "the last step is left out: it fills no sequence"
                  : fmt::format("the last {} steps are left out: they fill no sequence", rest));
  }
  return dataset;
}

}  // namespace halftone
