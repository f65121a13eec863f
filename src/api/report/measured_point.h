// Measurement of a point, for its point.json: a front.json of this point alone.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/report/tune_summary.h"

namespace halftone {

// A text for each point of the front (PointRecord::measured), which `retune --point` reads.
std::vector<std::string> MeasuredPoints(const TuneSummary& summary);

// PointRecord::measured of the folder; without point.json, the entry of its name in the front.json
// beside it. Error kUsage: neither.
std::string MeasuredIn(const std::filesystem::path& folder);

}  // namespace halftone
