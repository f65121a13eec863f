#include "src/api/report/report_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "search/explain/kept_operators.h"
#include "src/accuracy/discrete_outputs.h"
#include "src/api/report/chosen_details.h"
#include "src/base/text.h"
#include "src/ir/ir_type.h"

namespace halftone {
namespace {

bool IsConstant(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  const std::size_t size = SizeOf(tensor.dtype());
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(std::min(size, bytes.size())),
                    bytes.end(), bytes.begin());
}

// A network whose inputs are single numbers has only constant ones.
bool IsConstant(const Sample& sample) {
  return std::ranges::all_of(sample.inputs,
                             [](const Tensor& input) { return IsConstant(input); }) &&
         std::ranges::any_of(sample.inputs,
                             [](const Tensor& input) { return input.ElementCount() > 1; });
}

void Widen(const Tensor& tensor, InputRange& range) {
  for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
    const double element = DoubleAt(tensor.dtype(), tensor.data(), i);
    range.least = std::min(range.least, element);
    range.largest = std::max(range.largest, element);
  }
}

// Samples that repeat an earlier one.
std::int64_t DuplicatesIn(const Dataset& data) {
  std::vector<Hash128> hashes;
  hashes.reserve(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    hashes.push_back(data.InputsHash(i));
  }
  std::ranges::sort(hashes);
  return hashes.end() - std::unique(hashes.begin(), hashes.end());
}

std::vector<ProbedGroup> GroupsOf(const Graph& graph, const SearchInsight& insight) {
  std::vector<ProbedGroup> groups;
  for (std::size_t g = 0; g < insight.sensitivity.groups.size(); ++g) {
    const DecisionGroup& group = insight.groups[g];
    const GroupSensitivity& sensitivity = insight.sensitivity.groups[g];
    const Node& node = graph.nodes[static_cast<std::size_t>(group.nodes.front())];
    ProbedGroup probed{.node = group.name,
                       .op = std::string(IrTypeOf(graph, node)),
                       .largest_value = sensitivity.largest_value,
                       .gain = sensitivity.gain,
                       .choices = {}};
    for (std::size_t c = 0; c < group.choices.size(); ++c) {
      const ChoiceSensitivity& choice = sensitivity.choices[c];
      probed.choices.push_back(
          {.name = NameOf(group.choices[c]),
           .refusal = choice.refusal,
           .local_sqnr_db = DecibelsOf(choice.local_error),
           .sqnr_db = DecibelsOf(ErrorAtOutputs(sensitivity, group.choices[c], choice)),
           .time = choice.time,
           .probed = choice.probed});
    }
    groups.push_back(std::move(probed));
  }
  return groups;
}

std::vector<PredictedPlan> PredictionsOf(const SearchInsight& insight, const Vocabulary& words) {
  std::vector<PredictedPlan> plans;
  for (const auto& [candidate, predicted, measured] : insight.predictions) {
    plans.push_back({Summary(candidate, words), predicted, measured});
  }
  return plans;
}

}  // namespace

DataQuality DataQualityOf(const Graph& graph, const Dataset& data) {
  DataQuality quality;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    quality.inputs.push_back({.name = value.name,
                              .type = value.type.ToString(),
                              .least = std::numeric_limits<double>::infinity(),
                              .largest = -std::numeric_limits<double>::infinity()});
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Sample sample = data.Read(i);
    for (std::size_t input = 0; input < quality.inputs.size(); ++input) {
      Widen(sample.inputs[input], quality.inputs[input]);
    }
    quality.constant += IsConstant(sample) ? 1 : 0;
  }
  for (InputRange& range : quality.inputs) {
    if (range.least > range.largest) {  // an input without elements
      range.least = range.largest = 0;
    }
  }
  quality.duplicates = DuplicatesIn(data);
  return quality;
}

TunedFront WithPredictions(const SearchInsight& insight, TunedFront front) {
  for (const SearchInsight::Prediction& prediction : insight.predictions) {
    for (FrontPoint& point : front.points) {
      if (point.trial.candidate == prediction.candidate) {
        point.predicted = prediction.predicted;
      }
    }
  }
  return front;
}

GatheredDetails DetailsFor(const ReportSources& sources, const FrontPoint* described) {
  GatheredDetails gathered;
  if (sources.options.output.empty()) {
    return gathered;
  }
  ReportDetails& details = gathered.details.emplace();
  details.by_agreement = AllOutputsDiscrete(sources.model.graph);
  if (sources.insight != nullptr) {
    details.groups = GroupsOf(sources.model.graph, *sources.insight);
    details.predictions = PredictionsOf(*sources.insight, VocabularyOf(sources.target));
  }
  try {
    details.data = DataQualityOf(sources.model.graph, sources.data);
    if (described != nullptr && !(sources.stop_requested && sources.stop_requested())) {
      details.chosen = DetailsOf(sources, *described);
      if (!details.chosen->left_out.empty()) {
        gathered.warnings.push_back(
            fmt::format("the report has no {}: the budget left no time for them; "
                        "give more with --budget",
                        Join(details.chosen->left_out, ", no ")));
      }
    }
  } catch (const Error& error) {
    gathered.warnings.push_back(
        fmt::format("the report lacks what is inside the point: {}", error.what()));
  }
  return gathered;
}

}  // namespace halftone
