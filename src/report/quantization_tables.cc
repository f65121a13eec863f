#include "src/report/quantization_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {
namespace {

constexpr std::size_t kOnOneLine = 3;
constexpr std::string_view kEightBits = "qint8";

// Precision options of the described point; null: there is no point.
const PrecisionOptions* DescribedOptions(const TuneSummary& summary) {
  const std::optional<std::size_t> described = summary.front.described();
  return described ? &summary.front.points.at(*described).trial.candidate.options : nullptr;
}

bool IsHeldInEightBits(const TensorRecord& tensor, const PrecisionOptions& options) {
  const auto format_of = [&](const std::string& node) {
    const auto found = options.node_formats.find(node);
    return found == options.node_formats.end() ? std::string() : found->second;
  };
  if (!tensor.producer.empty()) {
    return format_of(tensor.producer) == kEightBits;
  }
  return std::ranges::any_of(tensor.readers, [&](const std::string& reader) {
    return format_of(reader).starts_with(kEightBits);
  });
}

std::string MadeBy(const TensorRecord& tensor) {
  return tensor.producer.empty() ? "input of the network"
                                 : fmt::format("{} ({})", tensor.producer, tensor.op);
}

std::string Extent(const std::optional<Spread>& spread) {
  return spread
             ? fmt::format("{} to {}", FormatFigure(spread->least), FormatFigure(spread->largest))
             : "-";
}

}  // namespace

std::string FormatFigure(double value) {
  return fmt::format("{:.4g}", value + 0.0);
}

std::string FormatRange(const ValueRange& range) {
  return fmt::format("{} to {}", FormatFigure(range.low), FormatFigure(range.high));
}

std::string FormatClipped(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string FormatTensorSqnr(const std::optional<double>& sqnr_db) {
  return sqnr_db ? FormatSqnr(*sqnr_db) : "-";
}

std::string FormatRatio(const Spread& scales) {
  const double ratio = scales.ratio();
  return ratio == 0     ? "-"
         : ratio < 1000 ? fmt::format("{:.3g}", ratio)
                        : fmt::format("{:.0f}", ratio);
}

std::string CalibrationSentence(const CalibrationRecord& record) {
  const std::string tensors = Counted(std::ssize(record.tensors), "tensor");
  const std::string method =
      record.source.method.empty() ? "" : fmt::format(" by {}", record.source.method);
  const bool seen = std::ranges::any_of(
      record.tensors, [](const TensorRecord& tensor) { return tensor.seen.has_value(); });
  if (!seen) {
    return fmt::format(
        "The scales of {} were given{}: what values they have is not known here.", tensors,
        record.source.method.empty() ? "" : fmt::format(" (made by {})", record.source.method));
  }
  return fmt::format("{} {} calibrated{} on {}.", tensors,
                     record.tensors.size() == 1 ? "was" : "were", method,
                     Counted(record.source.samples, "sample"));
}

TextTable TensorTable(const CalibrationRecord& record, std::size_t most,
                      const TuneSummary* summary) {
  const PrecisionOptions* options = summary == nullptr ? nullptr : DescribedOptions(*summary);
  TextTable table{{"tensor", "made by", "method", "lowest seen", "highest seen", "kept from",
                   "kept to", "scale", "zero point", "clipped values", "clipped energy", "SQNR"},
                  {}};
  if (options != nullptr) {
    table.header.push_back("in 8 bits at " + DescribedPoint(*summary));
  }
  for (const TensorRecord& tensor : record.tensors) {
    if (table.rows.size() == most) {
      break;
    }
    const ValueRange kept = tensor.scale.range();
    const auto seen = [&](const auto& text) {
      return tensor.seen ? text(*tensor.seen) : std::string("-");
    };
    using Seen = TensorRecord::Seen;
    std::vector<std::string> row = {
        tensor.name,
        MadeBy(tensor),
        seen([](const Seen& of) { return of.method.empty() ? "-" : of.method; }),
        seen([](const Seen& of) { return FormatFigure(of.observed.low); }),
        seen([](const Seen& of) { return FormatFigure(of.observed.high); }),
        FormatFigure(kept.low),
        FormatFigure(kept.high),
        FormatFigure(static_cast<double>(tensor.scale.scale)),
        fmt::format("{}", tensor.scale.zero_point),
        seen([](const Seen& of) { return FormatClipped(of.loss.clipped_values); }),
        seen([](const Seen& of) { return FormatClipped(of.loss.clipped_energy); }),
        seen([](const Seen& of) { return FormatTensorSqnr(of.loss.sqnr_db); })};
    if (options != nullptr) {
      row.emplace_back(IsHeldInEightBits(tensor, *options) ? "yes" : "no");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable WeightTable(const CalibrationRecord& record, std::size_t most) {
  TextTable table{{"weight", "read by", "channels", "of zeros", "least scale", "median scale",
                   "largest scale", "largest / least", "channel factors", "largest bias shift"},
                  {}};
  for (const WeightRecord& weight : record.weights) {
    if (table.rows.size() == most) {
      break;
    }
    table.rows.push_back(
        {weight.name, fmt::format("{} ({})", weight.node, weight.op),
         fmt::format("{}", weight.channels), fmt::format("{}", weight.zero_channels),
         FormatFigure(weight.scales.least), FormatFigure(weight.scales.median),
         FormatFigure(weight.scales.largest), FormatRatio(weight.scales), Extent(weight.factors),
         weight.bias_shifts ? FormatFigure(weight.bias_shifts->largest) : "-"});
  }
  return table;
}

TextTable ShortTensorTable(const CalibrationRecord& record,
                           const std::vector<std::size_t>& tensors) {
  TextTable table{{"tensor", "made by", "seen", "kept", "clipped values", "clipped energy", "SQNR"},
                  {}};
  for (const std::size_t i : tensors) {
    const TensorRecord& tensor = record.tensors[i];
    const auto seen = [&](const auto& text) {
      return tensor.seen ? text(*tensor.seen) : std::string("-");
    };
    using Seen = TensorRecord::Seen;
    table.rows.push_back(
        {tensor.name, MadeBy(tensor), seen([](const Seen& of) { return FormatRange(of.observed); }),
         FormatRange(tensor.scale.range()),
         seen([](const Seen& of) { return FormatClipped(of.loss.clipped_values); }),
         seen([](const Seen& of) { return FormatClipped(of.loss.clipped_energy); }),
         seen([](const Seen& of) { return FormatTensorSqnr(of.loss.sqnr_db); })});
  }
  return table;
}

TextTable ShortWeightTable(const CalibrationRecord& record,
                           const std::vector<std::size_t>& weights) {
  TextTable table{{"weight", "channels", "least scale", "median scale", "largest scale",
                   "largest / least", "largest bias shift"},
                  {}};
  for (const std::size_t i : weights) {
    const WeightRecord& weight = record.weights[i];
    table.rows.push_back({weight.name, fmt::format("{}", weight.channels),
                          FormatFigure(weight.scales.least), FormatFigure(weight.scales.median),
                          FormatFigure(weight.scales.largest), FormatRatio(weight.scales),
                          weight.bias_shifts ? FormatFigure(weight.bias_shifts->largest) : "-"});
  }
  return table;
}

std::vector<std::string> QuantizationLines(const CalibrationRecord& record) {
  std::vector<std::string> clipped;
  for (const std::size_t i : MostClipped(record, kOnOneLine)) {
    const TensorRecord& tensor = record.tensors[i];
    clipped.push_back(fmt::format("{} ({} of the values, {} of the energy)", tensor.name,
                                  FormatClipped(tensor.seen->loss.clipped_values),
                                  FormatClipped(tensor.seen->loss.clipped_energy)));
  }
  std::vector<std::string> widest;
  for (const std::size_t i : WidestWeights(record, kOnOneLine)) {
    const WeightRecord& weight = record.weights[i];
    widest.push_back(fmt::format("{} (largest scale {} times the least)", weight.name,
                                 FormatRatio(weight.scales)));
  }
  std::vector<std::string> lines;
  if (!clipped.empty()) {
    lines.push_back("8 bits, most clipped: " + Join(clipped, ", "));
  }
  if (!widest.empty()) {
    lines.push_back("8 bits, widest channels: " + Join(widest, ", "));
  }
  return lines;
}

bool DescribedPointIsQuantized(const TuneSummary& summary) {
  const PrecisionOptions* options = DescribedOptions(summary);
  return options != nullptr &&
         std::ranges::any_of(options->node_formats, [](const auto& node_and_format) {
           return node_and_format.second.starts_with(kEightBits);
         });
}

}  // namespace halftone
