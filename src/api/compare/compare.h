// Comparison of two measured fronts or points: differences in conditions, measurements and kernels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/stats.h"
#include "src/base/text_table.h"

namespace halftone {

// Measured configuration, from a file or a knowledge base.
struct ComparedPoint {
  std::string configuration;  // Summary() of the options that the source records
  std::string plan_digest;
  bool chosen = false;
  double speed_up = 0;
  Interval speed_up_interval;
  std::map<std::string, double> accuracy;    // mean by metric
  std::map<std::string, Interval> interval;  // 95 % interval of the mean by metric, if known
  std::vector<std::string> kept_nodes;       // nodes in float32
};

struct ComparedFront {
  std::string source;                          // the given path; for a bank, also which front
  std::map<std::string, std::string> facts;    // values by name: "network", "target", "CPU", ...
  std::vector<ComparedPoint> points;           // fastest first
  std::map<std::string, std::string> kernels;  // kernels by node; empty: unknown

  // The chosen point, or the only one; null: neither exists.
  [[nodiscard]] const ComparedPoint* subject() const;
};

// Reads a front from `path`: a front.json, the folder of one (`tune --output`), the folder of a
// measured point, or a knowledge base (halftone.db or its folder), which gives the newest front of
// a network. The network must be named `network`, or be the only one with a front. Errors: kIo;
// kUsage; kDatabase.
ComparedFront ReadComparedFront(const std::filesystem::path& path, std::string_view network = {});

// Plan that both fronts have.
struct SamePlan {
  const ComparedPoint* a = nullptr;
  const ComparedPoint* b = nullptr;
  std::vector<std::string> moved;  // "speed-up 1.31x -> 1.45x"; empty: nothing has moved
};

// Point of A, and the fastest point of B that is at least as accurate.
struct Counterpart {
  const ComparedPoint* a = nullptr;
  const ComparedPoint* b = nullptr;  // null: no point of B is as accurate
};

struct Comparison {
  ComparedFront a;
  ComparedFront b;
  std::vector<std::string> differences;  // different facts: "CPU: ... | ..."
  // Nodes in float32 in the subject of A but not in that of B, and the reverse.
  std::vector<std::string> kept_in_a;
  std::vector<std::string> kept_in_b;
  std::vector<std::string> kernels;  // different kernels: "conv1: float32 a.1 | float32 b.1"
  std::vector<SamePlan> same;
  std::vector<Counterpart> counterparts;  // one for each point of A
};

// Compares two fronts. A speed-up has moved if the 95 % intervals are disjoint and the values
// differ by more than 1 %. An accuracy has moved if the intervals are disjoint or, if one of them
// is unknown, the values differ by more than 1 %. Pointers in the result point into its `a` and
// `b`.
Comparison CompareFronts(ComparedFront a, ComparedFront b);

// Text for the screen.
std::string FormatComparison(const Comparison& comparison, std::size_t columns = kColumnsOfFiles);
std::string FormatComparisonJson(const Comparison& comparison);

}  // namespace halftone
