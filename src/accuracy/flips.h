// Rows whose largest class is another one than in float32: what two equal shares of right answers
// may hide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace halftone {

struct SampleOutputs;

// Rows of the output that top1 looks at (ClassOutput in src/accuracy/metrics.h).
struct Top1Flips {
  std::int64_t rows = 0;
  std::int64_t flipped = 0;   // of them: another largest class than float32, or NaN
  std::int64_t labelled = 0;  // rows that have a label
  std::int64_t lost = 0;      // of these: float32 is right, the configuration wrong
  std::int64_t won = 0;       // and the other way round

  void Add(const Top1Flips& other);

  // The exact form of McNemar's test: how likely a split of lost and won as uneven as this one is
  // when neither is better. Empty without labels.
  [[nodiscard]] std::optional<double> McNemarP() const;

  friend bool operator==(const Top1Flips&, const Top1Flips&) = default;
};

// Of one sample; empty when no output has classes.
std::optional<Top1Flips> FlipsOf(const SampleOutputs& outputs);

// "12 of 1000 rows have another class than float32; with labels 7 lost, 3 won (McNemar p = 0.344)"
std::string Describe(const Top1Flips& flips);

}  // namespace halftone
