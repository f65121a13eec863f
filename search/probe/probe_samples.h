// Choice of the samples that are probed, and the weight of each.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/accuracy/metrics.h"

namespace halftone {

// Adds the losses of a plan per sample to `losses`, as multiples of their mean, so that all plans
// count equally. Adds nothing if the losses per sample are unknown, as in a trial from a knowledge
// base.
void AddLosses(const Accuracy& accuracy, std::vector<double>& losses);

struct ProbedSamples {
  std::vector<std::size_t> numbers;  // numbers in the whole dataset, ascending
  // Per probed sample: its weight in the sum of weight * loss, which estimates the mean loss of the
  // whole dataset.
  std::vector<double> weights;
};

// Chooses `wanted` of `count` samples, 1 <= wanted <= count. `losses` are relative losses of plans
// per sample. The samples with the largest losses are chosen, and their weights account for the
// other samples. Without losses (a length other than `count`, or no loss above 0), the chosen
// samples are evenly spaced from the first.
ProbedSamples ChooseProbedSamples(std::size_t count, std::size_t wanted,
                                  std::span<const double> losses);

}  // namespace halftone
