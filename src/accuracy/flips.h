// Flips: rows whose top-1 class differs from that of float32. Two equal accuracies may hide flips.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace halftone {

struct SampleOutputs;

// Counts over the rows of the output that the metric top1 reads (ClassOutput() in
// src/accuracy/metrics.h).
struct Top1Flips {
  std::int64_t rows = 0;
  std::int64_t flipped = 0;   // rows with another top-1 class than float32, or with a NaN
  std::int64_t labelled = 0;  // rows with a label
  std::int64_t lost = 0;      // labelled rows: float32 right, configuration wrong
  std::int64_t won = 0;       // labelled rows: float32 wrong, configuration right

  void Add(const Top1Flips& other);

  // p value of the exact McNemar test: the probability of a split into lost and won at least as
  // uneven as this one, if neither side is better. Empty: no row has a label.
  [[nodiscard]] std::optional<double> McNemarP() const;

  friend bool operator==(const Top1Flips&, const Top1Flips&) = default;
};

// Flips of one sample; empty: no output has classes.
std::optional<Top1Flips> FlipsOf(const SampleOutputs& outputs);

// Clause for reports: "12 of 1000 rows have another class than float32; with labels 7 lost, 3 won
// (McNemar p = 0.344)".
std::string Describe(const Top1Flips& flips);

}  // namespace halftone
