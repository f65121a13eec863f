// Files of a plan, for a runtime that builds it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/precision/precision_plan.h"

namespace halftone {

struct PlanFiles {
  std::filesystem::path model;  // the ONNX file
  // Full sentences: decisions of the plan that the files change or lack.
  std::vector<std::string> notes;
};

// Writes the files of a plan into `folder`, which exists and is empty: the ONNX file and, with
// `all`, its option files and other exports. For the float32 plan, PlanFiles::model is the file of
// the user. Error kUnsupported: no file can express the plan.
using PlanFilesWriter = std::function<PlanFiles(const PrecisionPlan& plan,
                                                const std::filesystem::path& folder, bool all)>;

}  // namespace halftone
