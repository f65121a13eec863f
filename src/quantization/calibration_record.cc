#include "src/quantization/calibration_record.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "src/base/error.h"
#include "src/quantization/range_error.h"

namespace halftone {
namespace {

double Cube(double x) {
  return x * x * x;
}

// Sums over the part of a bin from a to b, over which the values are evenly spread.
struct BinSums {
  double clipped = 0;  // values
  double error = 0;    // squares of what is cut off
  double energy = 0;
};

// `range`: the ends of the grid; `slack`: half a step.
BinSums SumsOfBin(double a, double b, double count, ValueRange range, double slack) {
  BinSums sums{.energy = count * (a * a + a * b + b * b) / 3};
  const double density = count / (b - a);
  if (const double from = std::max(a, range.high + slack); from < b) {
    sums.clipped += density * (b - from);
    sums.error += density * (Cube(b - range.high) - Cube(from - range.high)) / 3;
  }
  if (const double to = std::min(b, range.low - slack); to > a) {
    sums.clipped += density * (to - a);
    sums.error += density * (Cube(range.low - a) - Cube(range.low - to)) / 3;
  }
  return sums;
}

BinSums SumsOfValue(double value, double count, ValueRange range, double slack) {
  const double beyond = std::max(value - range.high, range.low - value);
  const bool clipped = beyond > slack;
  return {.clipped = clipped ? count : 0,
          .error = clipped ? count * beyond * beyond : 0,
          .energy = count * value * value};
}

// The places that `value` has the largest of, at most `most`; those with `value` of 0 or less have
// no place.
std::vector<std::size_t> Largest(std::size_t count, std::size_t most,
                                 const std::function<double(std::size_t)>& value) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    if (value(i) > 0) {
      places.push_back(i);
    }
  }
  std::ranges::stable_sort(places, std::ranges::greater(), value);
  places.resize(std::min(places.size(), most));
  return places;
}

}  // namespace

RangeLoss LossByScale(const TensorHistogram& histogram, const ActivationScale& scale) {
  const auto total = static_cast<double>(histogram.total());
  if (total == 0) {
    return {};
  }
  const ValueRange range = scale.range();
  const double slack = static_cast<double>(scale.scale) / 2;
  const std::size_t zero_bin = histogram.bin_of(0);
  BinSums sums;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    // Zeros, of which none is clipped, have no energy.
    const std::uint64_t zeros =
        bin == zero_bin ? std::min(histogram.counts[bin], histogram.zeros) : 0;
    const auto count = static_cast<double>(histogram.counts[bin] - zeros);
    if (count == 0) {
      continue;
    }
    const BinSums of_bin =
        histogram.low == histogram.high
            ? SumsOfValue(histogram.low, count, range, slack)
            : SumsOfBin(histogram.edge(bin), histogram.edge(bin + 1), count, range, slack);
    sums.clipped += of_bin.clipped;
    sums.error += of_bin.error;
    sums.energy += of_bin.energy;
  }
  RangeLoss loss{.clipped_values = sums.clipped / total};
  const double error = total * ErrorOnGrid(histogram, GridOf(scale)).total();
  if (sums.energy > 0) {
    loss.clipped_energy = sums.error / sums.energy;
    if (error > 0) {
      loss.sqnr_db = 10 * std::log10(sums.energy / error);
    }
  }
  return loss;
}

TensorHistogram Coarsened(const TensorHistogram& histogram, std::size_t bins) {
  if (histogram.counts.size() <= bins) {
    return histogram;
  }
  Check(bins > 0 && histogram.counts.size() % bins == 0, "whole bins are joined");
  TensorHistogram coarse({histogram.low, histogram.high}, bins);
  coarse.zeros = histogram.zeros;
  const std::size_t joined = histogram.counts.size() / bins;
  for (std::size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    coarse.counts[bin / joined] += histogram.counts[bin];
  }
  return coarse;
}

Spread SpreadOf(std::span<const float> values) {
  if (values.empty()) {
    return {};
  }
  std::vector<float> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return {static_cast<double>(sorted.front()), static_cast<double>(sorted[(sorted.size() - 1) / 2]),
          static_cast<double>(sorted.back())};
}

std::optional<Spread> ShiftSpread(const Quantization& quantization, const std::string& node) {
  const auto found = quantization.bias_shifts.find(node);
  if (found == quantization.bias_shifts.end()) {
    return std::nullopt;
  }
  std::vector<float> magnitudes;
  for (const float shift : found->second) {
    magnitudes.push_back(std::fabs(shift));
  }
  return SpreadOf(magnitudes);
}

CalibrationRecord WithShifts(CalibrationRecord record, const Quantization& quantization) {
  for (WeightRecord& weight : record.weights) {
    weight.bias_shifts = ShiftSpread(quantization, weight.node);
  }
  return record;
}

CalibrationRecord Bounded(CalibrationRecord record, std::size_t histograms, std::size_t pictures) {
  const auto keep = [](std::size_t count, std::size_t most, const auto& value, const auto& drop) {
    std::vector<bool> kept(count);
    for (const std::size_t place : Largest(count, most, value)) {
      kept[place] = true;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!kept[i]) {
        drop(i);
      }
    }
  };
  constexpr double kLargest = std::numeric_limits<double>::max();
  keep(
      record.tensors.size(), histograms,
      [&](std::size_t i) {
        const TensorRecord& tensor = record.tensors[i];
        return !tensor.seen || tensor.histogram.counts.empty() ? 0
               : tensor.seen->loss.sqnr_db ? std::pow(10, -*tensor.seen->loss.sqnr_db / 10)
                                           : std::numeric_limits<double>::min();
      },
      [&](std::size_t i) {
        TensorHistogram& histogram = record.tensors[i].histogram;
        record.histograms_left_out += histogram.counts.empty() ? 0 : 1;
        histogram = {};
      });
  keep(
      record.weights.size(), pictures,
      [&](std::size_t i) {
        const WeightRecord& weight = record.weights[i];
        return weight.places.empty() ? 0 : std::clamp(weight.scales.ratio(), 1.0, kLargest);
      },
      [&](std::size_t i) {
        std::vector<WeightRecord::Place>& places = record.weights[i].places;
        record.pictures_left_out += places.empty() ? 0 : 1;
        places.clear();
      });
  return record;
}

const TensorRecord* HistogramOf(const CalibrationRecord& record, const TensorRecord& tensor) {
  if (!tensor.seen) {
    return nullptr;
  }
  const auto source = std::ranges::find(record.tensors, tensor.seen->source, &TensorRecord::name);
  return source == record.tensors.end() || source->histogram.counts.empty() ? nullptr : &*source;
}

std::vector<std::size_t> MostClipped(const CalibrationRecord& record, std::size_t most) {
  return Largest(record.tensors.size(), most, [&](std::size_t i) {
    const TensorRecord& tensor = record.tensors[i];
    return tensor.seen && tensor.seen->source == tensor.name ? tensor.seen->loss.clipped_energy : 0;
  });
}

std::vector<std::size_t> WidestWeights(const CalibrationRecord& record, std::size_t most) {
  return Largest(record.weights.size(), most, [&](std::size_t i) {
    const double ratio = record.weights[i].scales.ratio();
    return ratio > 1 ? ratio : 0;
  });
}

}  // namespace halftone
