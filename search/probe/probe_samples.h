// Which samples are probed, and what each of them stands for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/accuracy/metrics.h"

namespace halftone {

// Adds what a plan loses on each sample, as a multiple of its mean, so that no plan counts more
// than others; nothing where that is not known (of a trial from a knowledge base).
void AddLosses(const Accuracy& accuracy, std::vector<double>& losses);

struct ProbedSamples {
  std::vector<std::size_t> numbers;  // of the whole set, ascending
  // By probed sample: the mean loss of the whole set is about the sum of weight * loss.
  std::vector<double> weights;
};

// `wanted` of `count` samples, 1 <= wanted <= count. `losses` says what plans lose on each of them,
// relative to each other: those with the largest are taken, and the weights make up for what the
// others lose. Without losses (of another length than `count`, or none above 0) they are spread
// evenly, the first one always.
ProbedSamples ChooseProbedSamples(std::size_t count, std::size_t wanted,
                                  std::span<const double> losses);

}  // namespace halftone
