#include "src/api/bank/stored_calibration.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "search/calibrate/calibrate.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/exec/operator_signature.h"
#include "src/quantization/files/histogram_file.h"
#include "src/quantization/files/quantization_file.h"

namespace halftone {
namespace {

using json = nlohmann::json;

constexpr int kSchemaVersion = 1;
constexpr std::string_view kFolder = "calibrations";
constexpr std::string_view kQuantizationFile = "quantization.json";
constexpr std::string_view kFactsFile = "calibration.json";

std::filesystem::path FolderOf(const std::filesystem::path& folder, const Hash128& key) {
  return folder / kFolder / key.ToHex();
}

}  // namespace

Hash128 CalibrationKey(const Model& model, const Hash128& samples,
                       const CalibrationOptions& options) {
  const KernelVersion kernels = CurrentKernels(OperatorsOf(model.graph));
  Hasher hasher;
  hasher.Add(std::string_view("calibration"))
      .Add(kernels.tool_version)
      .Add(kernels.isa)
      .Add(kernels.kernel_table_hash)
      .Add(model.hash)
      .Add(model.input_shapes)
      .Add(samples)
      .Add(std::int64_t{options.equalise})
      .Add(std::int64_t{options.correct_bias})
      .Add(std::int64_t{options.per_channel_weights});
  for (const auto* methods : {&options.methods, &options.hedges}) {
    hasher.Add(std::ssize(*methods));
    for (const CalibrationChoice& method : *methods) {
      hasher.Add(method.text());
    }
  }
  return hasher.Finish();
}

std::optional<StoredCalibration> FindCalibration(const std::filesystem::path& folder,
                                                 const Hash128& key) {
  const std::filesystem::path place = FolderOf(folder, key);
  if (!std::filesystem::exists(place / kFactsFile)) {
    return std::nullopt;
  }
  try {
    const json facts = json::parse(ReadFile(place / kFactsFile));
    if (facts.at("schema_version").get<int>() != kSchemaVersion) {
      return std::nullopt;
    }
    QuantizationFile file =
        ParseQuantization(ReadFile(place / kQuantizationFile), std::string(kQuantizationFile));
    StoredCalibration stored{
        .quantization = SharedQuantization(std::move(file.quantization), std::move(file.source)),
        .record = nullptr,
        .cut = facts.at("cut").get<std::string>(),
        .had_s = facts.at("had_s").get<double>()};
    if (stored.quantization.digest().ToHex() != facts.at("digest").get<std::string>()) {
      return std::nullopt;
    }
    if (facts.at("has_record").get<bool>()) {
      stored.record = std::make_shared<const CalibrationRecord>(
          ParseHistograms(ReadFile(place / kHistogramsFile), kHistogramsFile));
    }
    return stored;
  } catch (const Error&) {  // damaged: it is made again
    return std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string StoreCalibration(const std::filesystem::path& folder, const Hash128& key,
                             const StoredCalibration& calibration) {
  const std::filesystem::path place = FolderOf(folder, key);
  try {
    std::filesystem::create_directories(place);
    WriteFileAtomically(place / kQuantizationFile,
                        WriteQuantization({.quantization = *calibration.quantization,
                                           .source = calibration.quantization.source(),
                                           .operators = {}}));
    if (calibration.record != nullptr) {
      WriteFileAtomically(
          place / kHistogramsFile,
          WriteHistograms(Bounded(*calibration.record, kMostFileHistograms, kMostFilePictures)));
    }
    WriteFileAtomically(place / kFactsFile,
                        json{{"schema_version", kSchemaVersion},
                             {"digest", calibration.quantization.digest().ToHex()},
                             {"has_record", calibration.record != nullptr},
                             {"cut", calibration.cut},
                             {"had_s", calibration.had_s}}
                                .dump(1) +
                            "\n");
    return {};
  } catch (const Error& error) {
    return fmt::format("the calibration is not kept for the next run: {}", error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return fmt::format("the calibration is not kept for the next run: {}", error.what());
  }
}

}  // namespace halftone
