// A plan with layers that AMCT quantises as files of ATC: compression_optimize.cfg, quant.cfg, and
// the calibration data that they name.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "src/accuracy/dataset.h"
#include "src/ir/graph.h"
#include "src/precision/precision_plan.h"

namespace halftone {

// Files in the folder of a point.
inline constexpr std::string_view kCompressionFile = "compression_optimize.cfg";
inline constexpr std::string_view kAmctFile = "quant.cfg";
// Folder of the calibration data, beside the folders of the points, which share it.
inline constexpr std::string_view kCalibrationFolder = "calibration";

// The files by name; none where the plan has no layer in 8 bits. `soc`: the device that calibrates.
// Errors as AmctConfigOf() and WriteCompressionConfig().
std::map<std::string, std::string> AmctPointTexts(const Graph& graph, const PrecisionPlan& plan,
                                                  std::string_view soc);

// Error kUsage if the folder of a point has a quant.cfg and that does not quantise the layers that
// the plan has in 8 bits; names the first layer that differs. Errors as ParseAmctConfig().
void CheckAmctFile(const std::filesystem::path& folder, const Graph& graph,
                   const PrecisionPlan& plan);

// Writes the samples into the folder: for each input of the network one file, input_<index>.bin,
// with the elements of all samples one behind another, in the dtype of the network. Error kIo.
void WriteCalibrationData(const std::filesystem::path& folder, const Graph& graph,
                          const Dataset& samples);

}  // namespace halftone
