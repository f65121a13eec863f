// A point of a front as an argument: the folder that `tune`, `aoe` or `explain --output` wrote,
// read from anywhere, and checked against what it was written for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/api/options/point_record.h"
#include "src/api/options/set_arguments.h"

namespace halftone {

struct Point {
  std::filesystem::path folder;
  SetArguments arguments;  // paths lead into the folder
  // Empty: a folder of halftone 0.1.0, or one written by hand. Nothing can be checked then.
  std::optional<PointRecord> record;
  std::vector<std::string> notes;  // full sentences
};

// Error kUsage, one sentence that begins with "--point=": no folder, one without arguments.txt, and
// what is wrong in arguments.txt or point.json.
Point ReadPoint(const std::filesystem::path& folder);

// Resolves the options of the point on `model` and compares with what point.json has: target,
// operators with their names and shapes, and the plan. Warnings: the weights are others. Error
// kUsage with one sentence that says what differs, why that is likely, and what to do.
std::vector<std::string> CheckPoint(const Point& point, const Model& model,
                                    const TargetSpec& target, const PrecisionOptions& options);

}  // namespace halftone
