// Scales of 8-bit tensors from files, and the names of calibration methods.
#include <fmt/format.h>

#include <utility>

#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/quantization/calibration_method.h"
#include "src/quantization/files/quantization_file.h"
#include "src/quantization/files/range_table.h"
#include "src/quantization/schemes.h"

namespace halftone {

namespace {

// Of a table of another tool: names of tensors are those of the network, which Glow changes.
Quantization FromTable(const RangeTable& table, const std::filesystem::path& path) {
  if (table.kind == kGlowKind) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: a profile of Glow names nodes, not tensors; give it to halftone "
                            "qaic-compile -load-profile",
                            path.string()));
  }
  Quantization quantization;
  for (const auto& [name, entry] : table.entries) {
    if (entry.is_parameter) {
      if (auto scales = WeightScalesOf(entry)) {
        quantization.weights.emplace(name, *std::move(scales));
      }
    } else if (const auto scale = ActivationScaleOf(entry)) {
      quantization.activations.emplace(name, *scale);
    } else if (entry.range && entry.grid != TableEntry::Grid::kFloat) {
      quantization.activations.emplace(name, ActivationScaleOf(*entry.range));
    }
  }
  if (quantization.activations.empty()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}: expected ranges or scales of activations, found none", path.string()));
  }
  return quantization;
}

}  // namespace

SharedQuantization LoadScales(const std::filesystem::path& path) {
  const RangeTable table = ReadRangeTable(path);
  if (table.kind != kOwnKind) {
    return SharedQuantization(FromTable(table, path), {.method = table.kind});
  }
  QuantizationFile file =
      ParseQuantization(ReadSmallFile(path, kMostQuantizationBytes), path.string());
  return SharedQuantization(std::move(file.quantization), std::move(file.source));
}

std::string CalibrationMethodNames() {
  std::vector<std::string> names;
  for (const CalibrationMethod& method : AllCalibrationMethods()) {
    names.emplace_back(method.name);
  }
  return Join(names, ", ");
}

void CheckCalibrationMethod(std::string_view text) {
  CalibrationCandidates(text);
}

}  // namespace halftone
