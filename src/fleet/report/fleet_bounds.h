// Bounds of a fleet's report: accuracies that users ask for, and the fastest point of a front that
// keeps each. One table for networks with floating outputs, one for those whose outputs are
// integers, which have no decibels.
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
  kSqnr,       // decibels of signal to error power
  kAgreement,  // share of equal elements
};

// Name of the metric: "sqnr_db", "agreement".
std::string_view MetricOf(Judge judge);

// kAgreement: no point has an SQNR and all have an agreement. Empty: there are no points.
std::optional<Judge> JudgeOf(const FleetResult& result);

// Properties of a front that bounds are relative to.
struct FrontFacts {
  std::optional<double> reference_top1;
  bool has_classes = false;
  // SQNR in dB of the most accurate point that is faster than float32; 0 without one.
  double headroom_db = 0;
};

struct FleetBound {
  std::string_view id;       // "sqnr_60": in report.csv and report.json
  std::string_view heading;  // "60 dB"
  std::string_view meaning;
  bool needs_classes = false;
  bool (*keeps)(const FleetPoint& point, const FrontFacts& front) = nullptr;
};

std::span<const FleetBound> BoundsOf(Judge judge);

// The column beside the bounds, for the point that the goal of the network chose.
inline constexpr std::string_view kChosenColumn = "chosen";

enum class CellKind : std::uint8_t {
  kNoFront,     // the item has no points
  kNotDefined,  // the bound asks for classes, and the network has none
  kNone,        // nothing but float32 keeps the bound
  kPoint,
};

// Offer of a front at a bound.
struct FleetCell {
  CellKind kind = CellKind::kNoFront;
  // For kPoint alone.
  double speed_up = 1;  // over float32, with its 95 % interval
  double speed_up_low = 1;
  double speed_up_high = 1;
  std::optional<double> nearness;  // mean of MetricOf(judge)
  std::string folder;              // FleetPoint::folder
};

// One cell for each bound of the judge: the fastest point that keeps the bound and whose whole
// interval is faster than float32.
std::vector<FleetCell> CellsOf(const FleetResult& result, Judge judge);

// The point that the goal chose; kNone: no point meets it.
FleetCell ChosenCell(const FleetResult& result, Judge judge);

// Null: no point is chosen.
const FleetPoint* ChosenPoint(const FleetResult& result);

// Null: the point has no such metric.
const double* FindAccuracy(const FleetPoint& point, std::string_view metric);

}  // namespace halftone
