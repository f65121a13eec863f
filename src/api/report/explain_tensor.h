// `halftone explain --tensor`: one 8-bit tensor or weight of a network, or a table of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "src/api/halftone.h"

namespace halftone {

struct TensorRequest {
  std::string tensor;            // its name, or that of a constant weight; empty: a table of all
  std::string format = "table";  // of ExplainRequest
  // Sources of the values behind the scales; the first that is given counts: samples, a
  // histograms.json, the histograms.json of the run that wrote the point.
  std::optional<DatasetOptions> samples;
  std::string method = "auto";  // of a calibration, where the options have no scales
  std::filesystem::path histograms;
  std::filesystem::path point;  // its folder
  std::size_t columns = kColumnsOfFiles;
  RunHooks hooks = {};  // of the calibration; stopped, its scales are those of the runs until then
};

// Shows the scales of `options`; without any, those of the histograms.json, or those that a
// calibration on the samples chooses. Errors kUsage: nothing gives scales; a file of another
// network; no such tensor, with close names; as ParseHistograms(), LoadSamples(), Calibrate(). kIo.
ExplainedText ExplainTensors(const Model& model, const TargetSpec& target,
                             const PrecisionOptions& options, const TensorRequest& request);

}  // namespace halftone
