// Point of a front as an argument (--point): an option folder that `tune`, `aoe` or `explain
// --output` wrote, checked against its point.json.
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
  SetArguments arguments;  // relative paths were resolved against the folder
  // Empty: the folder is of halftone 0.1.0 or was written by hand, and is not checked.
  std::optional<PointRecord> record;
  std::vector<std::string> notes;  // full sentences
};

// Reads the folder of a point. Error kUsage for a missing folder, a folder without arguments.txt,
// and a malformed arguments.txt or point.json; its sentence begins with "--point=".
Point ReadPoint(const std::filesystem::path& folder);

// Resolves the options of the point on `model` and compares the results with point.json: target,
// input shapes, operators with names, types and shapes, and the plan. Checks nothing without a
// record of the present kPointDigestVersion. Returns a warning if only the weights differ. Error
// kUsage, one sentence: what differs, the likely cause, and what to do.
std::vector<std::string> CheckPoint(const Point& point, const Model& model,
                                    const TargetSpec& target, const PrecisionOptions& options);

}  // namespace halftone
