// A point of a front as an argument: the folder that `tune`, `aoe` or `explain --output` wrote,
// read from any place and checked against its record.
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

// Error kUsage, one sentence that begins with "--point=": no folder, one without arguments.txt,
// errors in arguments.txt or point.json.
Point ReadPoint(const std::filesystem::path& folder);

// Resolves the options of the point on `model` and compares with point.json: target, operators with
// their names and shapes, and the plan. Returns warnings about other weights. Error kUsage with one
// sentence that says what differs, why that is likely, and what to do.
std::vector<std::string> CheckPoint(const Point& point, const Model& model,
                                    const TargetSpec& target, const PrecisionOptions& options);

}  // namespace halftone
