// ONNX files in the folder of a point: the network with the plan of the point, for other runtimes.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "halftone/export.h"

namespace halftone {

struct Model;
struct PrecisionOptions;
struct TargetSpec;

// All file names that WritePointModels() can write, including weight files and records.
std::set<std::string> PointModelNames();

struct PointModels {
  std::vector<std::string> formats = PointModelFormats();
  // True: the plan is for several input shapes. No file is written then, because a file has one.
  bool several_shapes = false;
  // A true result ends the writing; files that are not complete by then are left out.
  std::function<bool()> stop_requested = {};
};

struct WrittenModels {
  std::set<std::string> files;                 // names in the folder
  std::map<std::string, std::string> missing;  // by file name: a sentence why it was not written
  // First entry of `missing` whose cause is neither the plan nor the network, such as a full disk
  // or a stop; empty: there is none.
  std::string failure;
};

// Writes the wanted ones of these files into an existing folder: model_mixed.onnx and
// model_rounded.onnx if the plan of `options` rounds anything, and model_qdq.onnx if it has 8-bit
// tensors. A file that cannot be written is listed in WrittenModels::missing, and no part of it
// remains. Errors as ResolvePrecision().
WrittenModels WritePointModels(const std::filesystem::path& folder, const Model& model,
                               const TargetSpec& target, const PrecisionOptions& options,
                               const PointModels& wanted);

}  // namespace halftone
