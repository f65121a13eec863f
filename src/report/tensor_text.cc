#include "src/report/tensor_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/base/csv.h"
#include "src/base/text.h"
#include "src/base/text_table.h"
#include "src/report/quantization_tables.h"

namespace halftone {
namespace {

constexpr std::size_t kRows = 32;          // of a histogram; divides kRecordBins
constexpr std::size_t kFiguresWidth = 44;  // of a row, before its bar
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kMostBar = 60;
constexpr std::size_t kNamesShown = 8;

std::size_t BarWidth(std::size_t columns) {
  return std::clamp(columns > kFiguresWidth ? columns - kFiguresWidth : 0, kLeastBar, kMostBar);
}

void AddFact(std::string& text, std::string_view name, std::string_view fact) {
  AddLine(text, fmt::format("{:<15}{}", name, fact));
}

std::string Names(const std::vector<std::string>& names) {
  std::vector<std::string> shown(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesShown)));
  const std::size_t more = names.size() - shown.size();
  return Join(shown, ", ") + (more == 0 ? "" : fmt::format(" and {} others", more));
}

std::string SpreadText(const Spread& spread) {
  return fmt::format("least {}, median {}, largest {}", FormatFigure(spread.least),
                     FormatFigure(spread.median), FormatFigure(spread.largest));
}

// Part of a bin that lies beyond the grid by more than half a step.
enum class Part : std::uint8_t { kNone, kSome, kAll };

Part ClippedPart(double low, double high, const ActivationScale& scale) {
  const ValueRange kept = scale.range();
  const double slack = static_cast<double>(scale.scale) / 2;
  if (low > kept.high + slack || high < kept.low - slack) {
    return Part::kAll;
  }
  return high > kept.high + slack || low < kept.low - slack ? Part::kSome : Part::kNone;
}

std::string_view WordOf(Part part) {
  return part == Part::kNone ? "" : part == Part::kSome ? " partly clipped" : " clipped";
}

std::string HistogramText(const TensorHistogram& histogram, const ActivationScale& scale,
                          std::size_t columns) {
  const TensorHistogram rows =
      histogram.counts.size() % kRows == 0 ? Coarsened(histogram, kRows) : histogram;
  const auto height = [](std::uint64_t count) {
    return std::log10(static_cast<double>(count) + 1);
  };
  const double most = height(std::ranges::max(rows.counts));
  const auto width = static_cast<double>(BarWidth(columns));
  std::string text;
  AddLine(text, "histogram, bars logarithmic: # kept, x clipped");
  for (std::size_t i = 0; i < rows.counts.size(); ++i) {
    const double low = rows.edge(i);
    const double high = rows.edge(i + 1);
    const Part part = ClippedPart(low, high, scale);
    const auto length = static_cast<std::size_t>(
        rows.counts[i] == 0 ? 0 : std::max(1.0, std::round(width * height(rows.counts[i]) / most)));
    std::string bar(length, part == Part::kAll ? 'x' : '#');
    if (part == Part::kSome && length > 0) {
      bar.back() = 'x';
    }
    std::string line = fmt::format("  {:>10} to {:<10} {:>12}", FormatFigure(low),
                                   FormatFigure(high), rows.counts[i]);
    if (length > 0) {
      line += fmt::format("  {}{}", bar, WordOf(part));
    }
    AddLine(text, line);
  }
  return text;
}

void AddSeen(const CalibrationRecord& record, const TensorRecord& tensor, std::string& text) {
  const TensorRecord::Seen& seen = *tensor.seen;
  const std::string samples = Counted(record.source.samples, "sample");
  AddFact(text, "method",
          seen.method.empty() ? fmt::format("given scale; seen on {}", samples)
          : seen.method == record.source.method
              ? fmt::format("{} on {}", seen.method, samples)
              : fmt::format("{}, chosen by {} on {}", seen.method, record.source.method, samples));
  AddFact(text, "seen", FormatRange(seen.observed));
  AddFact(text, "clipped",
          fmt::format("{} of the values, {} of the energy", FormatClipped(seen.loss.clipped_values),
                      FormatClipped(seen.loss.clipped_energy)));
  AddFact(text, "SQNR",
          seen.loss.sqnr_db
              ? fmt::format("{} of this tensor alone", FormatTensorSqnr(seen.loss.sqnr_db))
              : std::string("nothing is lost"));
}

}  // namespace

std::string TensorText(const CalibrationRecord& record, const TensorRecord& tensor,
                       std::size_t columns) {
  std::string text;
  AddFact(text, "tensor", fmt::format("{}, {}", tensor.name, tensor.type));
  AddFact(text, "made by",
          tensor.producer.empty() ? "input of the network"
                                  : fmt::format("{} ({})", tensor.producer, tensor.op));
  AddFact(text, "read by",
          tensor.readers.empty() ? "no operator: an output" : Names(tensor.readers));
  AddFact(
      text, "range kept",
      fmt::format("{}; scale {}, zero point {} (uint8)", FormatRange(tensor.scale.range()),
                  FormatFigure(static_cast<double>(tensor.scale.scale)), tensor.scale.zero_point));
  if (tensor.factors) {
    AddFact(text, "factors",
            SpreadText(*tensor.factors) + "; figures are of values divided by them");
  }
  if (tensor.seen) {
    AddSeen(record, tensor, text);
  }
  const TensorRecord* source = HistogramOf(record, tensor);
  if (source != nullptr) {
    if (source->name != tensor.name) {
      AddFact(text, "values of", source->name);
    }
    text += "\n" + HistogramText(source->histogram, tensor.scale, columns);
  }
  std::vector<std::size_t> weights;
  for (std::size_t i = 0; i < record.weights.size(); ++i) {
    if (std::ranges::find(tensor.readers, record.weights[i].node) != tensor.readers.end()) {
      weights.push_back(i);
    }
  }
  if (!weights.empty()) {
    text += "\nweights that it is multiplied with, scales of their result channels:\n" +
            AlignedTable(ShortWeightTable(record, weights), columns);
  }
  return text;
}

std::string WeightText(const WeightRecord& weight, std::size_t columns) {
  std::string text;
  AddFact(text, "weight", weight.name);
  AddFact(text, "read by", fmt::format("{} ({})", weight.node, weight.op));
  AddFact(text, "channels",
          fmt::format("{}{}", weight.channels,
                      weight.zero_channels == 0
                          ? ""
                          : fmt::format(", of which {} hold nothing but 0", weight.zero_channels)));
  AddFact(text, "scales", SpreadText(weight.scales) + " (int8)");
  AddFact(text, "largest/least", FormatRatio(weight.scales));
  if (weight.factors) {
    AddFact(text, "factors", SpreadText(*weight.factors) + ", of what it is multiplied with");
  }
  if (weight.bias_shifts) {
    AddFact(text, "bias shifts", SpreadText(*weight.bias_shifts) + " in magnitude");
  }
  if (weight.places.empty()) {
    return text;
  }
  double most = 0;
  for (const WeightRecord::Place& place : weight.places) {
    most = std::max({most, -place.low, place.high});
  }
  const auto half = static_cast<std::size_t>(BarWidth(columns) / 2);
  const auto length = [&](double value) {
    return most > 0 ? static_cast<std::size_t>(std::round(static_cast<double>(half) * value / most))
                    : 0;
  };
  text +=
      weight.channels_a_place == 1
          ? "\nresult channels: lowest and highest weight, scale\n"
          : fmt::format("\n{} result channels a row: lowest and highest weight, largest scale\n",
                        weight.channels_a_place);
  for (std::size_t i = 0; i < weight.places.size(); ++i) {
    const WeightRecord::Place& place = weight.places[i];
    const std::size_t below = length(-place.low);
    AddLine(text, fmt::format("  {:>6} {:>10} {:>10} {:>10}  {}{}|{}",
                              static_cast<std::int64_t>(i) * weight.channels_a_place,
                              FormatFigure(place.low), FormatFigure(place.high),
                              FormatFigure(place.scale), std::string(half - below, ' '),
                              std::string(below, '#'), std::string(length(place.high), '#')));
  }
  return text;
}

std::string TensorCsv(const CalibrationRecord& record, const TensorRecord& tensor) {
  std::string text = CsvLine({"from", "to", "values", "clipped"});
  const TensorRecord* source = HistogramOf(record, tensor);
  if (source == nullptr) {
    return text;
  }
  const TensorHistogram& histogram = source->histogram;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const Part part = ClippedPart(histogram.edge(i), histogram.edge(i + 1), tensor.scale);
    text += CsvLine({fmt::format("{}", histogram.edge(i)), fmt::format("{}", histogram.edge(i + 1)),
                     fmt::format("{}", histogram.counts[i]),
                     part == Part::kNone   ? "no"
                     : part == Part::kSome ? "partly"
                                           : "yes"});
  }
  return text;
}

std::string WeightCsv(const WeightRecord& weight) {
  std::string text = CsvLine({"first_channel", "last_channel", "lowest", "highest", "scale"});
  for (std::size_t i = 0; i < weight.places.size(); ++i) {
    const WeightRecord::Place& place = weight.places[i];
    const std::int64_t first = static_cast<std::int64_t>(i) * weight.channels_a_place;
    const std::int64_t last = std::min(first + weight.channels_a_place, weight.channels) - 1;
    text +=
        CsvLine({fmt::format("{}", first), fmt::format("{}", last), fmt::format("{}", place.low),
                 fmt::format("{}", place.high), fmt::format("{}", place.scale)});
  }
  return text;
}

}  // namespace halftone
