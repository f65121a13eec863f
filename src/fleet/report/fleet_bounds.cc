#include "src/fleet/report/fleet_bounds.h"

#include <algorithm>

namespace halftone {
namespace {

// SQNR that the bound "-1 dB" gives up.
constexpr double kLostDb = 1;

template <int kDb>
bool KeepsSqnr(const FleetPoint& point, const FrontFacts& /*front*/) {
  const double* sqnr_db = FindAccuracy(point, "sqnr_db");
  return sqnr_db != nullptr && *sqnr_db >= kDb;
}

bool KeepsHeadroom(const FleetPoint& point, const FrontFacts& front) {
  const double* sqnr_db = FindAccuracy(point, "sqnr_db");
  return sqnr_db != nullptr && *sqnr_db > front.headroom_db - kLostDb;
}

// By labels where there are some, else by the classes of float32.
bool KeepsTop1(const FleetPoint& point, const FrontFacts& front) {
  const double* top1 = FindAccuracy(point, "top1");
  if (top1 != nullptr && front.reference_top1) {
    return *top1 >= *front.reference_top1;
  }
  const double* agreement = FindAccuracy(point, "top1_agreement");
  return agreement != nullptr && *agreement == 1;
}

template <int kPerMille>
bool KeepsAgreement(const FleetPoint& point, const FrontFacts& /*front*/) {
  const double* agreement = FindAccuracy(point, "agreement");
  return agreement != nullptr && *agreement >= kPerMille / 1000.0;
}

constexpr FleetBound kBoundsOfSqnr[] = {
    {"top1_kept", "no top-1 lost",
     "no class is lost: top-1 of float32 where there are labels, else the class of float32 on "
     "every sample",
     true, KeepsTop1},
    {"headroom", "-1 dB",
     "less than 1 dB of SQNR is lost against the most accurate point that is faster than float32",
     false, KeepsHeadroom},
    {"sqnr_60", "60 dB", "an SQNR of at least 60 dB: an error of 0.1 %", false, KeepsSqnr<60>},
    {"sqnr_40", "40 dB", "an SQNR of at least 40 dB: an error of 1 %", false, KeepsSqnr<40>},
    {"sqnr_30", "30 dB", "an SQNR of at least 30 dB: an error of 3.2 %", false, KeepsSqnr<30>},
};

constexpr FleetBound kBoundsOfAgreement[] = {
    {"agreement_100", "100 %", "every element of the outputs is that of float32", false,
     KeepsAgreement<1000>},
    {"agreement_99_9", "99.9 %", "at least 99.9 % of the elements are those of float32", false,
     KeepsAgreement<999>},
    {"agreement_99", "99 %", "at least 99 % of the elements are those of float32", false,
     KeepsAgreement<990>},
    {"agreement_95", "95 %", "at least 95 % of the elements are those of float32", false,
     KeepsAgreement<950>},
};

bool IsFasterThanFloat32(const FleetPoint& point) {
  return point.speed_up_low > 1;
}

FrontFacts FactsOf(const FleetResult& result) {
  FrontFacts facts = {.reference_top1 = result.reference_top1};
  for (const FleetPoint& point : result.points) {
    facts.has_classes = facts.has_classes || FindAccuracy(point, "top1_agreement") != nullptr;
    const double* sqnr_db = FindAccuracy(point, "sqnr_db");
    if (sqnr_db != nullptr && IsFasterThanFloat32(point)) {
      facts.headroom_db = std::max(facts.headroom_db, *sqnr_db);
    }
  }
  return facts;
}

FleetCell CellOfPoint(const FleetPoint& point, Judge judge) {
  const double* nearness = FindAccuracy(point, MetricOf(judge));
  return {.kind = CellKind::kPoint,
          .speed_up = point.speed_up,
          .speed_up_low = point.speed_up_low,
          .speed_up_high = point.speed_up_high,
          .nearness = nearness != nullptr ? std::optional(*nearness) : std::nullopt,
          .folder = point.folder};
}

FleetCell CellOfBound(const FleetResult& result, Judge judge, const FleetBound& bound,
                      const FrontFacts& facts) {
  if (result.points.empty()) {
    return {.kind = CellKind::kNoFront};
  }
  if (bound.needs_classes && !facts.has_classes) {
    return {.kind = CellKind::kNotDefined};
  }
  const FleetPoint* best = nullptr;
  for (const FleetPoint& point : result.points) {
    if (IsFasterThanFloat32(point) && bound.keeps(point, facts) &&
        (best == nullptr || point.speed_up > best->speed_up)) {
      best = &point;
    }
  }
  return best != nullptr ? CellOfPoint(*best, judge) : FleetCell{.kind = CellKind::kNone};
}

}  // namespace

std::string_view MetricOf(Judge judge) {
  return judge == Judge::kAgreement ? "agreement" : "sqnr_db";
}

std::optional<Judge> JudgeOf(const FleetResult& result) {
  if (result.points.empty()) {
    return std::nullopt;
  }
  const bool by_agreement = std::ranges::all_of(result.points, [](const FleetPoint& point) {
    return FindAccuracy(point, "sqnr_db") == nullptr && FindAccuracy(point, "agreement") != nullptr;
  });
  return by_agreement ? Judge::kAgreement : Judge::kSqnr;
}

std::span<const FleetBound> BoundsOf(Judge judge) {
  return judge == Judge::kAgreement ? std::span<const FleetBound>(kBoundsOfAgreement)
                                    : std::span<const FleetBound>(kBoundsOfSqnr);
}

std::vector<FleetCell> CellsOf(const FleetResult& result, Judge judge) {
  const FrontFacts facts = FactsOf(result);
  std::vector<FleetCell> cells;
  for (const FleetBound& bound : BoundsOf(judge)) {
    cells.push_back(CellOfBound(result, judge, bound, facts));
  }
  return cells;
}

FleetCell ChosenCell(const FleetResult& result, Judge judge) {
  if (result.points.empty()) {
    return {.kind = CellKind::kNoFront};
  }
  const FleetPoint* chosen = ChosenPoint(result);
  return chosen != nullptr ? CellOfPoint(*chosen, judge) : FleetCell{.kind = CellKind::kNone};
}

const FleetPoint* ChosenPoint(const FleetResult& result) {
  const auto found = std::ranges::find_if(result.points, &FleetPoint::chosen);
  return found != result.points.end() ? &*found : nullptr;
}

const double* FindAccuracy(const FleetPoint& point, std::string_view metric) {
  const auto found = point.accuracy.find(std::string(metric));
  return found != point.accuracy.end() ? &found->second : nullptr;
}

}  // namespace halftone
