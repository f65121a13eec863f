// Report of halftone_vs_onnxruntime.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "labs/onnxruntime/comparison.h"

namespace halftone {

struct ComparisonHead {
  std::string_view plan;  // of halftone
  PeerForm peer = PeerForm::kFloat32;
  std::string peer_version;  // "1.30.0"
  std::string models;        // the folder
  double budget_s = 0;
};

// Machine, compiler, versions, what is compared, and the names of the columns.
std::string FormatHead(const ComparisonHead& head);

// A line of the table; a network without numbers has its reason there.
std::string ComparisonRow(const ComparedNetwork& network);

// Counts, the minimum, and as the last line "geomean 1T: 1.02  2T: 0.98". Error kUnsupported when
// no network has numbers.
std::string FormatSummary(std::span<const ComparedNetwork> networks);

// JSON of the comparison, with all digits, intervals and sample counts.
std::string FormatComparisonJson(const ComparisonHead& head,
                                 std::span<const ComparedNetwork> networks);

}  // namespace halftone
