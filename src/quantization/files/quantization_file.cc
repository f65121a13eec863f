#include "src/quantization/files/quantization_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/quantization/files/json_place.h"

namespace halftone {
namespace {

constexpr std::string_view kActivationDtype = "uint8";
constexpr std::string_view kWeightDtype = "int8";
constexpr std::array<std::string_view, 4> kOperatorFormats = {"int8", "int8 to float32",
                                                              "int8 to float16", "dynamic int8"};

// How far the ends of a range may lie from what scale and zero point say, in steps: as much as a
// writer with fewer digits loses, and less than any change that is meant.
constexpr double kRangeSlack = 0.01;

// Without a negative zero.
ValueRange RangeOf(const ActivationScale& scale) {
  const ValueRange range = scale.range();
  return {range.low + 0.0, range.high};
}

// Of channel factors: far above the rank of any tensor.
constexpr std::int64_t kMostFactorAxis = 63;

// ---- Writing

std::string List(const std::vector<float>& values) {
  std::vector<std::string> parts;
  parts.reserve(values.size());
  for (const float value : values) {
    parts.push_back(JsonFloat(value));
  }
  return "[" + Join(parts, ", ") + "]";
}

std::string List(const std::vector<std::int32_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string ToJson(const ActivationScale& scale) {
  const ValueRange range = RangeOf(scale);
  return fmt::format(R"({{"range": [{}, {}], "scale": {}, "zero_point": {}, "dtype": "{}"}})",
                     JsonDouble(range.low), JsonDouble(range.high), JsonFloat(scale.scale),
                     scale.zero_point, kActivationDtype);
}

std::string ToJson(const WeightScales& weights) {
  const std::string zeros = weights.zero_points.empty()
                                ? ""
                                : fmt::format(R"("zero_points": {}, )", List(weights.zero_points));
  return fmt::format(R"({{"scales": {}, {}"dtype": "{}"}})", List(weights.scales), zeros,
                     kWeightDtype);
}

std::string ToJson(const ChannelFactors& factors) {
  return fmt::format(R"({{"axis": {}, "factors": {}}})", factors.axis, List(factors.factors));
}

std::string ToJson(const std::vector<float>& shifts) {
  return List(shifts);
}

std::string ToJson(const std::string& text) {
  return JsonText(text);
}

std::string ToJson(const std::optional<Hash128>& hash) {
  return hash ? "\"" + hash->ToHex() + "\"" : "null";
}

// An object with a line for each entry.
template <typename Map>
std::string Lines(const Map& map) {
  std::vector<std::string> lines;
  lines.reserve(map.size());
  for (const auto& [name, value] : map) {
    lines.push_back(fmt::format("    {}: {}", JsonText(name), ToJson(value)));
  }
  return lines.empty() ? "{}" : "{\n" + Join(lines, ",\n") + "\n  }";
}

// ---- Reading

std::optional<Hash128> HashAt(const JsonPlace& place) {
  if (place.value().is_null()) {
    return std::nullopt;
  }
  const auto hash = place.value().is_string() ? Hash128::FromHex(place.Text()) : std::nullopt;
  if (!hash) {
    place.Refuse("null or 32 lower-case hexadecimal digits");
  }
  return hash;
}

void RequireText(const JsonPlace& place, std::string_view expected) {
  if (!place.value().is_string() || place.Text() != expected) {
    place.Refuse(fmt::format("\"{}\"", expected));
  }
}

float ScaleAt(const JsonPlace& place) {
  const float scale = place.Float();
  if (!(scale > 0)) {
    place.Refuse("a number above 0 in float32");
  }
  return scale;
}

void RequireRange(const JsonPlace& place, const ActivationScale& scale) {
  if (place.ArraySize() != 2) {
    place.Refuse("the lowest and the highest value");
  }
  const ValueRange meant = RangeOf(scale);
  const double slack = kRangeSlack * static_cast<double>(scale.scale);
  const ValueRange found{place.Item(0).Number(), place.Item(1).Number()};
  if (std::abs(found.low - meant.low) > slack || std::abs(found.high - meant.high) > slack) {
    place.Complain(
        fmt::format("expected the range of scale and zero_point, [{}, {}], found "
                    "[{}, {}]; change these three together, or remove the range",
                    meant.low, meant.high, found.low, found.high));
  }
}

ActivationScale ActivationAt(const JsonPlace& place) {
  place.RequireKeys({"range", "scale", "zero_point", "dtype"});
  const ActivationScale scale{
      .scale = ScaleAt(place.At("scale")),
      .zero_point = static_cast<std::int32_t>(place.At("zero_point").Integer(0, 255))};
  RequireText(place.At("dtype"), kActivationDtype);
  if (place.Has("range")) {
    RequireRange(place.At("range"), scale);
  }
  return scale;
}

WeightScales WeightsAt(const JsonPlace& place) {
  place.RequireKeys({"scales", "zero_points", "dtype"});
  RequireText(place.At("dtype"), kWeightDtype);
  WeightScales weights;
  const JsonPlace scales = place.At("scales");
  if (scales.ArraySize() == 0) {
    scales.Refuse("a scale for the tensor, or one for each channel");
  }
  for (std::size_t i = 0; i < scales.ArraySize(); ++i) {
    weights.scales.push_back(ScaleAt(scales.Item(i)));
  }
  if (place.Has("zero_points")) {
    const JsonPlace zeros = place.At("zero_points");
    if (zeros.ArraySize() != weights.scales.size()) {
      zeros.Complain(fmt::format("expected {}, as many as there are scales; found {}",
                                 Counted(std::ssize(weights.scales), "zero point"),
                                 zeros.ArraySize()));
    }
    for (std::size_t i = 0; i < weights.scales.size(); ++i) {
      weights.zero_points.push_back(static_cast<std::int32_t>(zeros.Item(i).Integer(-128, 127)));
    }
  }
  return weights;
}

ChannelFactors FactorsAt(const JsonPlace& place) {
  place.RequireKeys({"axis", "factors"});
  ChannelFactors factors{.axis = static_cast<int>(place.At("axis").Integer(0, kMostFactorAxis)),
                         .factors = {}};
  const JsonPlace list = place.At("factors");
  if (list.ArraySize() == 0) {
    list.Refuse("a factor for each channel");
  }
  for (std::size_t i = 0; i < list.ArraySize(); ++i) {
    factors.factors.push_back(ScaleAt(list.Item(i)));
  }
  return factors;
}

std::string FormatAt(const JsonPlace& place) {
  std::string format = place.Text();
  for (const std::string_view known : kOperatorFormats) {
    if (format == known) {
      return format;
    }
  }
  std::string expected;
  for (const std::string_view known : kOperatorFormats) {
    expected += fmt::format("{}\"{}\"", expected.empty() ? "" : ", ", known);
  }
  place.Refuse("one of " + expected);
}

template <typename Map, typename Read>
Map MapAt(const JsonPlace& document, std::string_view key, const Read& read) {
  Map map;
  const JsonPlace place = document.At(key);
  place.RequireObject();
  for (const auto& [name, value] : place.value().items()) {
    map.emplace(name, read(place.At(name)));
  }
  return map;
}

QuantizationSource SourceAt(const JsonPlace& document) {
  const JsonPlace tool = document.At("tool");
  tool.RequireKeys({"name", "version"});
  RequireText(tool.At("name"), "halftone");
  const JsonPlace calibration = document.At("calibration");
  calibration.RequireKeys({"method", "samples", "data_hash"});
  return {.tool_version = tool.At("version").Text(),
          .model = HashAt(document.At("model_hash")),
          .calibration_data = HashAt(calibration.At("data_hash")),
          .method = calibration.At("method").Text(),
          .samples = calibration.At("samples").Integer(0, std::int64_t{1} << 53U)};
}

void RequireVersion(const JsonPlace& document) {
  const JsonPlace version = document.At("schema_version");
  if (version.value() != kQuantizationSchemaVersion) {
    version.Complain(fmt::format("expected {}, found {}; it is of another version of halftone",
                                 kQuantizationSchemaVersion,
                                 Shown(version.value().dump(-1, ' ', true))));
  }
}

void RequireDigest(const JsonPlace& document, const Quantization& quantization) {
  if (!document.Has("digest")) {
    return;
  }
  const JsonPlace place = document.At("digest");
  const std::string digest = quantization.Digest().ToHex();
  if (place.Text() != digest) {
    place.Complain(
        fmt::format("expected {}, the digest of what stands in the file, found '{}'; "
                    "remove the digest where the file was edited on purpose",
                    digest, Shown(place.Text())));
  }
}

}  // namespace

std::string WriteQuantization(const QuantizationFile& file) {
  const Quantization& quantization = file.quantization;
  const QuantizationSource& source = file.source;
  // Absent where there are none, as before there were any.
  const std::string factors =
      quantization.channel_factors.empty()
          ? ""
          : fmt::format("  \"channel_factors\": {},\n", Lines(quantization.channel_factors));
  const std::string text = fmt::format(
      R"({{
  "schema_version": {},
  "tool": {{"name": "halftone", "version": {}}},
  "model_hash": {},
  "calibration": {{"method": {}, "samples": {}, "data_hash": {}}},
  "digest": "{}",
  "per_channel_weights": {},
  "activations": {},
{}  "weights": {},
  "bias_shifts": {},
  "operators": {}
}}
)",
      kQuantizationSchemaVersion, ToJson(source.tool_version), ToJson(source.model),
      ToJson(source.method), source.samples, ToJson(source.calibration_data),
      quantization.Digest().ToHex(), quantization.per_channel_weights,
      Lines(quantization.activations), factors, Lines(quantization.weights),
      Lines(quantization.bias_shifts), Lines(file.operators));
  return PrintableJson(text);
}

QuantizationFile ParseQuantization(std::string_view text, std::string_view origin) {
  if (text.size() > kMostQuantizationBytes) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected at most {} bytes, found {}", origin,
                                               kMostQuantizationBytes, text.size()));
  }
  const nlohmann::json parsed = ParseStrictJson(text, origin);
  const JsonPlace document(parsed, origin);
  RequireVersion(document);
  document.RequireKeys({"schema_version", "tool", "model_hash", "calibration", "digest",
                        "per_channel_weights", "activations", "channel_factors", "weights",
                        "bias_shifts", "operators"});
  QuantizationFile file;
  file.source = SourceAt(document);
  Quantization& quantization = file.quantization;
  quantization.per_channel_weights = document.At("per_channel_weights").Boolean();
  quantization.activations =
      MapAt<decltype(quantization.activations)>(document, "activations", ActivationAt);
  if (document.Has("channel_factors")) {
    quantization.channel_factors =
        MapAt<decltype(quantization.channel_factors)>(document, "channel_factors", FactorsAt);
  }
  quantization.weights = MapAt<decltype(quantization.weights)>(document, "weights", WeightsAt);
  quantization.bias_shifts = MapAt<decltype(quantization.bias_shifts)>(
      document, "bias_shifts", [](const JsonPlace& place) { return place.Floats(); });
  file.operators = MapAt<decltype(file.operators)>(document, "operators", FormatAt);
  RequireDigest(document, quantization);
  return file;
}

}  // namespace halftone
