// A plan as files of ATC, with the layers that AMCT quantises: compression_optimize.cfg, quant.cfg,
// and the calibration data that they name.
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
// Folder of the calibration data. It stands beside the folders of the points, which share it.
inline constexpr std::string_view kCalibrationFolder = "calibration";

// Texts of the files by name; none if the plan has no layer in 8 bits. `soc` is the device that
// calibrates. Errors as AmctConfigOf() and WriteCompressionConfig().
std::map<std::string, std::string> AmctPointTexts(const Graph& graph, const PrecisionPlan& plan,
                                                  std::string_view soc);

// Compares quant.cfg in the folder of a point with the plan. A folder without the file passes.
// Error kUsage: the file quantises other layers than the plan has in 8 bits; the message names the
// first. Other errors as ParseAmctConfig().
void CheckAmctFile(const std::filesystem::path& folder, const Graph& graph,
                   const PrecisionPlan& plan);

// Writes one file, input_<index>.bin, for each input of the network. It holds the elements of that
// input of all samples, one sample behind another, in the dtype of the network. Error kIo.
void WriteCalibrationData(const std::filesystem::path& folder, const Graph& graph,
                          const Dataset& samples);

}  // namespace halftone
