// ONNX files in the folder of a point: the network with its plan, for other runtimes.
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

// Every name that a file of a point's models can have, including the files beside them.
std::set<std::string> PointModelNames();

struct PointModels {
  std::vector<std::string> formats = PointModelFormats();
  // The plan is for several input shapes, of which a file has only one.
  bool several_shapes = false;
  // True ends the writing: files that are not complete then are left out.
  std::function<bool()> stop_requested = {};
};

struct WrittenModels {
  std::set<std::string> files;                 // in the folder
  std::map<std::string, std::string> missing;  // sentences by file: why it is not there
  // The first reason in `missing` that does not come from the plan or the network, such as a full
  // disk or a stop. May be empty.
  std::string failure;
};

// Writes model_mixed.onnx and model_rounded.onnx of a plan in which anything is rounded, and
// model_qdq.onnx of one with 8 bits, into a folder that exists. `options` give the plan. A file
// that cannot be written is listed in WrittenModels::missing and leaves nothing behind. Errors as
// ResolvePrecision().
WrittenModels WritePointModels(const std::filesystem::path& folder, const Model& model,
                               const TargetSpec& target, const PrecisionOptions& options,
                               const PointModels& wanted);

}  // namespace halftone
