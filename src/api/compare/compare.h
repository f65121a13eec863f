// Comparison of two fronts or points that were measured: what moved, and in which node.
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

// A measured configuration, as files and knowledge bases have it.
struct ComparedPoint {
  std::string configuration;  // options in words: Summary(), from a file its mode and counts
  std::string plan_digest;
  bool chosen = false;
  double speed_up = 0;
  Interval speed_up_interval;
  std::map<std::string, double> accuracy;    // mean by metric
  std::map<std::string, Interval> interval;  // of the mean, where it is known
  std::vector<std::string> kept_nodes;       // in float32
};

struct ComparedFront {
  std::string source;                          // the path that was given, and which front of it
  std::map<std::string, std::string> facts;    // network, target, CPU, ...: by name, in words
  std::vector<ComparedPoint> points;           // fastest first
  std::map<std::string, std::string> kernels;  // by node; empty: not known

  // The chosen point, or the only one; null: none.
  [[nodiscard]] const ComparedPoint* subject() const;
};

// Reads a front.json, a folder that holds one (`tune --output`) or a point.json
// (docs/guide/inference.md), or a knowledge base: its newest front of the network, which must be
// its only one or have the name `network`. Errors kIo, kUsage, kDatabase: none of these.
ComparedFront ReadComparedFront(const std::filesystem::path& path, std::string_view network = {});

// A plan that both have measured.
struct SamePlan {
  const ComparedPoint* a = nullptr;
  const ComparedPoint* b = nullptr;
  std::vector<std::string> moved;  // "speed-up 1.31x -> 1.45x"; empty: within the intervals
};

// The fastest point of B that is as accurate as a point of A.
struct Counterpart {
  const ComparedPoint* a = nullptr;
  const ComparedPoint* b = nullptr;  // null: none is
};

struct Comparison {
  ComparedFront a;
  ComparedFront b;
  std::vector<std::string> differences;  // in facts: "CPU: ... | ..."
  // Operators that are in float32 in the subject of one only.
  std::vector<std::string> kept_in_a;
  std::vector<std::string> kept_in_b;
  std::vector<std::string> kernels;  // "conv1: float32 a.1 | float32 b.1"
  std::vector<SamePlan> same;
  std::vector<Counterpart> counterparts;
};

// A speed-up has moved when the 95 % intervals are apart and it differs by more than 1 %; an
// accuracy when they are apart, or differs by more than 1 % where an interval is not known.
// Pointers lead into the result.
Comparison CompareFronts(ComparedFront a, ComparedFront b);

// For the screen.
std::string FormatComparison(const Comparison& comparison, std::size_t columns = kColumnsOfFiles);
std::string FormatComparisonJson(const Comparison& comparison);

}  // namespace halftone
