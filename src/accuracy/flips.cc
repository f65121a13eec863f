#include "src/accuracy/flips.h"

#include <fmt/format.h>

#include "src/accuracy/metrics.h"
#include "src/base/sign_test.h"
#include "src/base/text.h"

namespace halftone {

void Top1Flips::Add(const Top1Flips& other) {
  rows += other.rows;
  flipped += other.flipped;
  labelled += other.labelled;
  lost += other.lost;
  won += other.won;
}

std::optional<double> Top1Flips::McNemarP() const {
  return labelled > 0 ? std::optional(SignTestP(lost, won)) : std::nullopt;
}

std::optional<Top1Flips> FlipsOf(const SampleOutputs& outputs) {
  const auto chosen = ClassOutput(outputs);
  if (!chosen) {
    return std::nullopt;
  }
  const Tensor& reference = outputs.reference[*chosen];
  const Tensor& actual = outputs.actual[*chosen];
  const std::int64_t classes = reference.shape()[*ClassAxis(reference.shape())];
  Top1Flips flips{.rows = reference.ElementCount() / classes};
  for (std::int64_t row = 0; row < flips.rows; ++row) {
    const std::int64_t want = ArgMax(reference, row * classes, classes);
    const std::int64_t got = ArgMax(actual, row * classes, classes);
    flips.flipped += got < 0 || got != want ? 1 : 0;
    const std::int64_t label =
        outputs.labels.empty() ? -1 : outputs.labels[static_cast<std::size_t>(row)];
    if (label >= 0) {
      ++flips.labelled;
      flips.lost += want == label && got != label ? 1 : 0;
      flips.won += want != label && got == label ? 1 : 0;
    }
  }
  return flips;
}

std::string Describe(const Top1Flips& flips) {
  std::string text = fmt::format("{} of {} {} another class than float32", flips.flipped,
                                 Counted(flips.rows, "row"), flips.flipped == 1 ? "has" : "have");
  if (const std::optional<double> p = flips.McNemarP()) {
    text += fmt::format("; with labels {} lost, {} won (McNemar p = {:.3g})", flips.lost, flips.won,
                        *p);
  }
  return text;
}

}  // namespace halftone
