// Measurement of a point in its point.json: the content of front.json, with this point alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/api/options/point.h"
#include "src/report/tune_summary.h"

namespace halftone {

// PointRecord::measured of each point of the front; `retune --point` reads it.
std::vector<std::string> MeasuredPoints(const TuneSummary& summary);

// Findings of the search about a point, by node (search/explain/choice_findings.h). Empty: its
// point.json has none. Error kUsage if they are malformed there.
std::map<std::string, std::string> FindingsOfPoint(const Point& point);

// Returns PointRecord::measured of the folder. For a folder without point.json, makes it from the
// front.json beside the folder. Error kUsage if the point was not measured, or front.json is
// malformed or does not name the folder.
std::string MeasuredIn(const std::filesystem::path& folder);

}  // namespace halftone
