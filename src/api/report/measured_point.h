// Measurement of a point, for its point.json: a front.json of this point alone.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/api/options/point.h"
#include "src/report/tune_summary.h"

namespace halftone {

// A text for each point of the front (PointRecord::measured), which `retune --point` reads.
std::vector<std::string> MeasuredPoints(const TuneSummary& summary);

// Findings of the search about a point, by node (search/explain/choice_findings.h). Empty: its
// point.json has none. Error kUsage: they are no texts by node.
std::map<std::string, std::string> FindingsOfPoint(const Point& point);

// PointRecord::measured of the folder; without point.json, the entry of its name in the front.json
// beside it. Error kUsage: neither.
std::string MeasuredIn(const std::filesystem::path& folder);

}  // namespace halftone
