#include "src/api/bank/stored_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "search/calibrate/calibrate.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/exec/operator_signature.h"
#include "src/quantization/files/histogram_file.h"
#include "src/quantization/files/quantization_file.h"

namespace halftone {
namespace {

static_assert(kMostCalibrationBytes == kMostQuantizationBytes &&
              kMostCalibrationBytes == kMostHistogramsBytes);

StoredCalibration Parsed(const BankCalibration& row) {
  QuantizationFile file = ParseQuantization(row.quantization, "its scales");
  StoredCalibration stored{
      .quantization = SharedQuantization(std::move(file.quantization), std::move(file.source)),
      .record = nullptr,
      .cut = row.cut,
      .had_s = row.had_s};
  if (!row.histograms.empty()) {
    stored.record = std::make_shared<const CalibrationRecord>(
        ParseHistograms(row.histograms, "its histograms"));
  }
  return stored;
}

}  // namespace

KernelVersion KernelsOfScales(const std::set<OpKind>& ops) {
  KernelVersion kernels = CurrentKernels(ops);
  kernels.cpu.clear();
  return kernels;
}

Hash128 CalibrationKey(const Model& model, const Hash128& samples,
                       const CalibrationOptions& options) {
  const KernelVersion kernels = KernelsOfScales(OperatorsOf(model.graph));
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

KnownCalibration FindCalibration(TrialStore& store, const Model& model, const Hash128& key) {
  try {
    const auto row = store.FindCalibration(model.hash, key);
    return {.calibration = row ? std::optional(Parsed(*row)) : std::nullopt, .warning = {}};
  } catch (const Error& error) {
    return {.calibration = std::nullopt,
            .warning = fmt::format("the network is calibrated again, because its calibration in "
                                   "the knowledge base cannot be used: {}",
                                   error.what())};
  }
}

std::string StoreCalibration(TrialStore& store, const Model& model, const Hash128& key,
                             const StoredCalibration& calibration) {
  try {
    const std::set<OpKind> ops = OperatorsOf(model.graph);
    BankCalibration row{
        .key = key,
        .model_hash = model.hash,
        .operators = OperatorNames(ops),
        .kernels = KernelsOfScales(ops),
        .quantization = WriteQuantization({.quantization = *calibration.quantization,
                                           .source = calibration.quantization.source(),
                                           .operators = {}}),
        .histograms = {},
        .cut = calibration.cut,
        .had_s = calibration.had_s};
    if (calibration.record != nullptr) {
      row.histograms =
          WriteHistograms(Bounded(*calibration.record, kMostFileHistograms, kMostFilePictures));
    }
    const auto bytes = std::max(std::ssize(row.quantization), std::ssize(row.histograms));
    if (bytes > kMostCalibrationBytes) {
      return fmt::format(
          "the calibration is not kept for the next run: it has {} bytes, and the "
          "knowledge base takes {}",
          bytes, kMostCalibrationBytes);
    }
    store.AddCalibration(row);
    return {};
  } catch (const Error& error) {
    return fmt::format("the calibration is not kept for the next run: {}", error.what());
  }
}

}  // namespace halftone
