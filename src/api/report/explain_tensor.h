// Texts of `halftone explain --tensor` and `--tensors`: scales of one 8-bit tensor or weight, or of
// all of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "src/api/halftone.h"

namespace halftone {

struct TensorRequest {
  std::string tensor;            // name of a tensor or of a constant weight; empty: a table of all
  std::string format = "table";  // one of ExplainRequest::format
  // Source of the histograms of values. The first one given is used: `samples`, `histograms` (a
  // histograms.json), `point` (a folder; the histograms.json of the run that wrote it).
  std::optional<DatasetOptions> samples;
  std::string method = "auto";  // method of the calibration on `samples`
  std::filesystem::path histograms;
  std::filesystem::path point;
  std::size_t columns = kColumnsOfFiles;
  RunHooks hooks = {};  // for the calibration, which after a stop uses the samples so far
};

// Shows the scales of `options`. If these have none, shows those of a calibration on the samples,
// or else those of the histograms.json. Errors: kUsage if nothing gives scales, for a
// histograms.json of another network, and for an unknown tensor, naming similar ones; kIo; as
// ParseHistograms(), LoadSamples() and Calibrate().
ExplainedText ExplainTensors(const Model& model, const TargetSpec& target,
                             const PrecisionOptions& options, const TensorRequest& request);

}  // namespace halftone
