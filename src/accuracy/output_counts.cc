#include "src/accuracy/output_counts.h"

#include <fmt/format.h>

#include <cmath>

#include "src/base/printable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

std::string Shown(const OutputCounts& output) {
  return output.node.empty() ? fmt::format("output '{}'", Printable(output.name))
                             : fmt::format("output '{}' of node '{}'", Printable(output.name),
                                           Printable(output.node));
}

std::string Are(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "is" : "are");
}

std::string ApartNote(const OutputCounts& output) {
  const std::int64_t kept = output.apart - output.apart_changed - output.apart_saturated;
  std::string text = fmt::format(
      "{}: {} of {} elements are far beyond the others in float32 (up to {:.4g}) and judged apart, "
      "so that they hide no error of the others: {} preserved",
      Shown(output), output.apart, output.elements, output.apart_value, Are(kept));
  if (output.apart_saturated > 0) {
    text += fmt::format(", {} the largest finite number of a type (saturated)",
                        Are(output.apart_saturated));
  }
  if (output.apart_changed > 0) {
    text += fmt::format(", {} changed", Are(output.apart_changed));
  }
  return text;
}

std::string SaturatedNote(const OutputCounts& output) {
  return fmt::format(
      "{}: {} of {} elements are infinite in float32 and the largest finite number of a type here "
      "(saturated); the accuracy figures leave them out",
      Shown(output), output.saturated, output.elements);
}

std::string NothingNote(const OutputCounts& output) {
  return fmt::format("{}: nothing was compared: {}", Shown(output),
                     output.elements == 0
                         ? "it has no elements"
                         : fmt::format("float32 makes {} of {} infinite or NaN",
                                       output.elements == 1 ? "the one element" : "all elements",
                                       Counted(output.samples, "sample")));
}

}  // namespace

void OutputCounts::Add(const OutputCounts& other) {
  elements += other.elements;
  compared += other.compared;
  apart += other.apart;
  apart_changed += other.apart_changed;
  apart_saturated += other.apart_saturated;
  saturated += other.saturated;
  samples += other.samples;
  if (std::fabs(other.apart_value) > std::fabs(apart_value)) {
    apart_value = other.apart_value;
  }
}

void NameOutputs(const Graph& graph, std::span<OutputCounts> outputs) {
  const std::vector<NodeId> producers = ProducersOf(graph);
  for (std::size_t i = 0; i < outputs.size() && i < graph.outputs.size(); ++i) {
    const ValueId value = graph.outputs[i];
    const NodeId producer = producers[static_cast<std::size_t>(value)];
    outputs[i].name = graph.value(value).name;
    outputs[i].node = producer == kNoNode ? "" : graph.node(producer).name;
  }
}

std::vector<std::string> JudgingNotes(std::span<const OutputCounts> outputs) {
  std::vector<std::string> notes;
  for (const OutputCounts& output : outputs) {
    if (output.compared == 0 && output.samples > 0 && output.saturated == 0) {
      notes.push_back(NothingNote(output));
    }
    if (output.apart > 0) {
      notes.push_back(ApartNote(output));
    }
    if (output.saturated > 0) {
      notes.push_back(SaturatedNote(output));
    }
  }
  return notes;
}

}  // namespace halftone
