// Report of halftone_vs_onnxruntime.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "labs/onnxruntime/comparison.h"

namespace halftone {

struct ComparisonHead {
  std::string_view plan;  // name of halftone's plan
  PeerForm peer = PeerForm::kFloat32;
  std::string peer_version;  // "1.30.0"
  std::string models;        // folder of the models
  double budget_s = 0;
};

// Head of the report: machine, compiler, versions, what is compared, and the names of the columns.
std::string FormatHead(const ComparisonHead& head);

// A line of the table. For a network without numbers, the line says why.
std::string ComparisonRow(const ComparedNetwork& network);

// Summary: the number of compared networks, the least ratio, and as the last line
// "geomean 1T: 1.02  2T: 0.98". On a busy machine, it begins with a warning. Error kUnsupported if
// no network has numbers.
std::string FormatSummary(std::span<const ComparedNetwork> networks);

// JSON of the comparison, with all digits, intervals and sample counts.
std::string FormatComparisonJson(const ComparisonHead& head,
                                 std::span<const ComparedNetwork> networks);

}  // namespace halftone
