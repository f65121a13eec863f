// Options that callers give as texts or files.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "halftone/precision.h"
#include "halftone/quantize.h"
#include "halftone/tune_options.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

template <typename Enum, std::size_t kCount>
Enum ParseName(const EnumRow<Enum> (&rows)[kCount], std::string_view text,
               std::string_view option) {
  const std::optional<Enum> value = ValueIn(rows, text);
  if (!value) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}={}: expected one of {}", option, Shown(text), NamesIn(rows)));
  }
  return *value;
}

}  // namespace

BiasCorrection ParseBiasCorrection(std::string_view text, std::string_view option) {
  return ParseName(kBiasCorrections, text, option);
}

OperatorTuningMode ParseOperatorTuning(std::string_view text, std::string_view option) {
  return ParseName(kOperatorTuningModes, text, option);
}

ReadOptions ReadPrecisionOptions(const PrecisionArguments& arguments, const TargetOptions& target) {
  LoadedPrecision loaded = LoadPrecision(arguments, LoadTarget(target));
  return {.options = std::make_shared<const PrecisionOptions>(std::move(loaded.options)),
          .warnings = std::move(loaded.warnings)};
}

ReadOptions ReadOptionSet(const std::string& text, const TargetOptions& target) {
  LoadedPrecision loaded = LoadOptionSet(text, target).precision;
  return {.options = std::make_shared<const PrecisionOptions>(std::move(loaded.options)),
          .warnings = std::move(loaded.warnings)};
}

std::vector<std::string> ReadKeepDtype(const std::filesystem::path& path,
                                       const TargetOptions& target) {
  return ReadPrecisionOptions({.keep_dtype = path.string()}, target).options->keep_dtype;
}

}  // namespace halftone
