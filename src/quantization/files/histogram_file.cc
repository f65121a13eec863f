#include "src/quantization/files/histogram_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/quantization/files/json_place.h"

namespace halftone {
namespace {

// Counts are doubles in other programs' JSON.
constexpr std::int64_t kMostCount = std::int64_t{1} << 53U;

// ---- Writing

// In quotes; bytes that are not UTF-8 are replaced.
std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ToJson(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names) {
    quoted.push_back(Quoted(name));
  }
  return "[" + Join(quoted, ", ") + "]";
}

std::string ToJson(const std::optional<Hash128>& hash) {
  return hash ? "\"" + hash->ToHex() + "\"" : "null";
}

std::string ToJson(const std::optional<double>& number) {
  return number ? JsonDouble(*number) : "null";
}

std::string ToJson(const ValueRange& range) {
  return fmt::format("[{}, {}]", JsonDouble(range.low + 0.0), JsonDouble(range.high + 0.0));
}

std::string ToJson(const std::optional<Spread>& spread) {
  return spread ? fmt::format("[{}, {}, {}]", JsonDouble(spread->least), JsonDouble(spread->median),
                              JsonDouble(spread->largest))
                : "null";
}

std::string ToJson(const TensorHistogram& histogram) {
  return histogram.counts.empty()
             ? "null"
             : fmt::format(R"({{"low": {}, "high": {}, "zeros": {}, "counts": [{}]}})",
                           JsonDouble(histogram.low), JsonDouble(histogram.high), histogram.zeros,
                           fmt::join(histogram.counts, ", "));
}

std::string ToJson(const std::optional<TensorRecord::Seen>& seen) {
  return seen ? fmt::format(R"({{"method": {}, "observed": {}, "clipped_values": {}, )"
                            R"("clipped_energy": {}, "sqnr_db": {}, "histogram_of": {}}})",
                            Quoted(seen->method), ToJson(seen->observed),
                            JsonDouble(seen->loss.clipped_values),
                            JsonDouble(seen->loss.clipped_energy), ToJson(seen->loss.sqnr_db),
                            Quoted(seen->source))
              : "null";
}

std::string ToJson(const TensorRecord& tensor) {
  return fmt::format(
      R"({{"name": {}, "type": {}, "producer": {}, "op": {}, "readers": {}, "scale": {}, )"
      R"("zero_point": {}, "range": {}, "factors": {}, "seen": {}, "histogram": {}}})",
      Quoted(tensor.name), Quoted(tensor.type), Quoted(tensor.producer), Quoted(tensor.op),
      ToJson(tensor.readers), JsonFloat(tensor.scale.scale), tensor.scale.zero_point,
      ToJson(tensor.scale.range()), ToJson(tensor.factors), ToJson(tensor.seen),
      ToJson(tensor.histogram));
}

std::string ToJson(const WeightRecord& weight) {
  std::vector<std::string> places;
  for (const WeightRecord::Place& place : weight.places) {
    places.push_back(fmt::format("[{}, {}, {}]", JsonDouble(place.low), JsonDouble(place.high),
                                 JsonDouble(place.scale)));
  }
  return fmt::format(
      R"({{"name": {}, "node": {}, "op": {}, "channels": {}, "zero_channels": {}, )"
      R"("scales": {}, "factors": {}, "bias_shifts": {}, "channels_a_place": {}, "places": [{}]}})",
      Quoted(weight.name), Quoted(weight.node), Quoted(weight.op), weight.channels,
      weight.zero_channels, ToJson(std::optional(weight.scales)), ToJson(weight.factors),
      ToJson(weight.bias_shifts), weight.channels_a_place, Join(places, ", "));
}

// A list with a line for each item.
template <typename Item>
std::string Lines(const std::vector<Item>& items) {
  std::vector<std::string> lines;
  lines.reserve(items.size());
  for (const Item& item : items) {
    lines.push_back("    " + ToJson(item));
  }
  return lines.empty() ? "[]" : "[\n" + Join(lines, ",\n") + "\n  ]";
}

// ---- Reading

template <typename Read>
auto OrNull(const JsonPlace& place, const Read& read) {
  using Value = decltype(read(place));
  return place.value().is_null() ? std::optional<Value>() : std::optional<Value>(read(place));
}

Hash128 HashAt(const JsonPlace& place) {
  const auto hash = place.value().is_string() ? Hash128::FromHex(place.Text()) : std::nullopt;
  if (!hash) {
    place.Refuse("null or 32 lower-case hexadecimal digits");
  }
  return *hash;
}

double NumberFrom0(const JsonPlace& place) {
  const double number = place.Number();
  if (number < 0) {
    place.Refuse("a number from 0");
  }
  return number;
}

ValueRange RangeAt(const JsonPlace& place) {
  if (place.ArraySize() != 2) {
    place.Refuse("the lowest and the highest value");
  }
  const ValueRange range{place.Item(0).Number(), place.Item(1).Number()};
  if (range.low > range.high) {
    place.Complain(
        fmt::format("expected the lowest value first, found {} and {}", range.low, range.high));
  }
  return range;
}

Spread SpreadAt(const JsonPlace& place) {
  if (place.ArraySize() != 3) {
    place.Refuse("the least, the median and the largest");
  }
  return {NumberFrom0(place.Item(0)), NumberFrom0(place.Item(1)), NumberFrom0(place.Item(2))};
}

TensorHistogram HistogramAt(const JsonPlace& place) {
  place.RequireKeys({"low", "high", "zeros", "counts"});
  TensorHistogram histogram({place.At("low").Number(), place.At("high").Number()}, 0);
  if (histogram.low > histogram.high) {
    place.Complain(
        fmt::format("expected low up to high, found {} and {}", histogram.low, histogram.high));
  }
  histogram.zeros = static_cast<std::uint64_t>(place.At("zeros").Integer(0, kMostCount));
  const JsonPlace counts = place.At("counts");
  if (counts.ArraySize() == 0) {
    counts.Refuse("a count for each bin");
  }
  for (std::size_t i = 0; i < counts.ArraySize(); ++i) {
    histogram.counts.push_back(static_cast<std::uint64_t>(counts.Item(i).Integer(0, kMostCount)));
  }
  return histogram;
}

TensorRecord::Seen SeenAt(const JsonPlace& place) {
  place.RequireKeys(
      {"method", "observed", "clipped_values", "clipped_energy", "sqnr_db", "histogram_of"});
  return {.method = place.At("method").Text(),
          .observed = RangeAt(place.At("observed")),
          .loss = {.clipped_values = NumberFrom0(place.At("clipped_values")),
                   .clipped_energy = NumberFrom0(place.At("clipped_energy")),
                   .sqnr_db = OrNull(place.At("sqnr_db"),
                                     [](const JsonPlace& number) { return number.Number(); })},
          .source = place.At("histogram_of").Text()};
}

std::vector<std::string> NamesAt(const JsonPlace& place) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < place.ArraySize(); ++i) {
    names.push_back(place.Item(i).Text());
  }
  return names;
}

TensorRecord TensorAt(const JsonPlace& place) {
  place.RequireKeys({"name", "type", "producer", "op", "readers", "scale", "zero_point", "range",
                     "factors", "seen", "histogram"});
  TensorRecord tensor{.name = place.At("name").Text(),
                      .type = place.At("type").Text(),
                      .producer = place.At("producer").Text(),
                      .op = place.At("op").Text(),
                      .readers = NamesAt(place.At("readers"))};
  tensor.scale.scale = place.At("scale").Float();
  if (!(tensor.scale.scale > 0)) {
    place.At("scale").Refuse("a number above 0 in float32");
  }
  tensor.scale.zero_point = static_cast<std::int32_t>(place.At("zero_point").Integer(0, 255));
  tensor.factors = OrNull(place.At("factors"), SpreadAt);
  tensor.seen = OrNull(place.At("seen"), SeenAt);
  tensor.histogram = OrNull(place.At("histogram"), HistogramAt).value_or(TensorHistogram());
  return tensor;
}

WeightRecord WeightAt(const JsonPlace& place) {
  place.RequireKeys({"name", "node", "op", "channels", "zero_channels", "scales", "factors",
                     "bias_shifts", "channels_a_place", "places"});
  WeightRecord weight{.name = place.At("name").Text(),
                      .node = place.At("node").Text(),
                      .op = place.At("op").Text(),
                      .channels = place.At("channels").Integer(0, kMostCount),
                      .zero_channels = place.At("zero_channels").Integer(0, kMostCount),
                      .scales = SpreadAt(place.At("scales")),
                      .factors = OrNull(place.At("factors"), SpreadAt),
                      .bias_shifts = OrNull(place.At("bias_shifts"), SpreadAt),
                      .channels_a_place = place.At("channels_a_place").Integer(1, kMostCount)};
  const JsonPlace places = place.At("places");
  for (std::size_t i = 0; i < places.ArraySize(); ++i) {
    const JsonPlace item = places.Item(i);
    if (item.ArraySize() != 3) {
      item.Refuse("the lowest and the highest weight and the scale");
    }
    weight.places.push_back(
        {item.Item(0).Number(), item.Item(1).Number(), NumberFrom0(item.Item(2))});
  }
  return weight;
}

template <typename Read>
auto ListAt(const JsonPlace& place, const Read& read) {
  std::vector<decltype(read(place))> items;
  for (std::size_t i = 0; i < place.ArraySize(); ++i) {
    items.push_back(read(place.Item(i)));
  }
  return items;
}

QuantizationSource SourceAt(const JsonPlace& document) {
  const JsonPlace tool = document.At("tool");
  tool.RequireKeys({"name", "version"});
  const JsonPlace calibration = document.At("calibration");
  calibration.RequireKeys({"method", "samples", "data_hash"});
  return {.tool_version = tool.At("version").Text(),
          .model = OrNull(document.At("model_hash"), HashAt),
          .calibration_data = OrNull(calibration.At("data_hash"), HashAt),
          .method = calibration.At("method").Text(),
          .samples = calibration.At("samples").Integer(0, kMostCount)};
}

}  // namespace

std::string WriteHistograms(const CalibrationRecord& record) {
  const QuantizationSource& source = record.source;
  return PrintableJson(fmt::format(
      R"({{
  "schema_version": {},
  "tool": {{"name": "halftone", "version": {}}},
  "model_hash": {},
  "calibration": {{"method": {}, "samples": {}, "data_hash": {}}},
  "per_channel_weights": {},
  "histograms_left_out": {},
  "pictures_left_out": {},
  "tensors": {},
  "weights": {}
}}
)",
      kHistogramsSchemaVersion, Quoted(source.tool_version), ToJson(source.model),
      Quoted(source.method), source.samples, ToJson(source.calibration_data),
      record.per_channel_weights, record.histograms_left_out, record.pictures_left_out,
      Lines(record.tensors), Lines(record.weights)));
}

CalibrationRecord ParseHistograms(std::string_view text, std::string_view origin) {
  if (text.size() > kMostHistogramsBytes) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected at most {} bytes, found {}", origin,
                                               kMostHistogramsBytes, text.size()));
  }
  const nlohmann::json parsed = ParseStrictJson(text, origin);
  const JsonPlace document(parsed, origin);
  const JsonPlace version = document.At("schema_version");
  if (version.value() != kHistogramsSchemaVersion) {
    version.Refuse(
        fmt::format("{} (it is of another version of halftone)", kHistogramsSchemaVersion));
  }
  document.RequireKeys({"schema_version", "tool", "model_hash", "calibration",
                        "per_channel_weights", "histograms_left_out", "pictures_left_out",
                        "tensors", "weights"});
  return {.source = SourceAt(document),
          .per_channel_weights = document.At("per_channel_weights").Boolean(),
          .tensors = ListAt(document.At("tensors"), TensorAt),
          .weights = ListAt(document.At("weights"), WeightAt),
          .histograms_left_out = document.At("histograms_left_out").Integer(0, kMostCount),
          .pictures_left_out = document.At("pictures_left_out").Integer(0, kMostCount)};
}

}  // namespace halftone
