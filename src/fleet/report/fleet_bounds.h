// Bounds of a fleet's report: accuracies that users ask for, and for each the fastest point of a
// front that keeps it. There are two tables of bounds, because integer outputs have no SQNR.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/fleet/fleet_result.h"

namespace halftone {

enum class Judge : std::uint8_t {
  kSqnr,       // ratio of signal power to error power, in dB
  kAgreement,  // share of equal elements
};

// Name of the metric: "sqnr_db", "agreement".
std::string_view MetricOf(Judge judge);

// kAgreement if no point has an SQNR and all have an agreement, else kSqnr. Empty: there are no
// points.
std::optional<Judge> JudgeOf(const FleetResult& result);

// Properties of a front to which bounds refer.
struct FrontFacts {
  std::optional<double> reference_top1;
  bool has_classes = false;  // true: a point has a top-1 agreement
  // SQNR in dB of the most accurate point that is faster than float32; 0 without one.
  double headroom_db = 0;
};

struct FleetBound {
  std::string_view id;       // name in report.csv and report.json: "sqnr_60"
  std::string_view heading;  // "60 dB"
  std::string_view meaning;
  bool needs_classes = false;
  bool (*keeps)(const FleetPoint& point, const FrontFacts& front) = nullptr;
};

std::span<const FleetBound> BoundsOf(Judge judge);

// Column beside the bounds, with the chosen point of the network.
inline constexpr std::string_view kChosenColumn = "chosen";

enum class CellKind : std::uint8_t {
  kNoFront,     // the item has no points
  kNotDefined,  // the bound is about classes, and the network has none
  kNone,        // only float32 keeps the bound
  kPoint,
};

// Cell of the table: the best point of a front at a bound.
struct FleetCell {
  CellKind kind = CellKind::kNoFront;
  // Set for kPoint only.
  double speed_up = 1;  // speed-up over float32, with its 95 % interval
  double speed_up_low = 1;
  double speed_up_high = 1;
  std::optional<double> nearness;  // mean of MetricOf(judge)
  std::string folder;              // FleetPoint::folder
};

// One cell for each of BoundsOf(judge): the fastest point that keeps the bound and is faster than
// float32 over its whole interval.
std::vector<FleetCell> CellsOf(const FleetResult& result, Judge judge);

// Cell of the chosen point; kNone: no point is chosen.
FleetCell ChosenCell(const FleetResult& result, Judge judge);

// Chosen point; null: none.
const FleetPoint* ChosenPoint(const FleetResult& result);

// Mean of a metric; null: the point does not have it.
const double* FindAccuracy(const FleetPoint& point, std::string_view metric);

}  // namespace halftone
