// Record of a calibration: for each tensor what was observed, the chosen range and its loss; for
// each constant weight the scales and extents of its channels. Reports show it, histograms.json
// (src/quantization/files/histogram_file.h) stores it; nothing is computed with it.
//
// Bounded: a histogram has kRecordBins bins, the picture of a weight kRecordPlaces places, and
// Bounded() limits how many tensors and weights have one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/quantization/quantization.h"
#include "src/quantization/tensor_statistics.h"

namespace halftone {

// Bins of a recorded histogram; each joins 8 bins of a calibration's histogram.
inline constexpr std::size_t kRecordBins = 256;
static_assert(kHistogramBins % kRecordBins == 0);
// Places in the picture of a weight; with more channels, a place stands for several.
inline constexpr std::size_t kRecordPlaces = 128;

// Loss of a tensor from its scale alone. A value is clipped if it lies more than half a step beyond
// the last number of its grid; up to there it is rounded like any other.
struct RangeLoss {
  double clipped_values = 0;  // share of the values
  // Squared error of the clipped values over the sum of squares of all.
  double clipped_energy = 0;
  // Sum of squares over the squared error of rounding and clipping; empty: one of these sums is 0.
  std::optional<double> sqnr_db = {};

  friend bool operator==(const RangeLoss&, const RangeLoss&) = default;
};

// Computed from the histogram alone, with the values of a bin evenly spread over it
// (range_error.h).
RangeLoss LossByScale(const TensorHistogram& histogram, const ActivationScale& scale);

// The histogram with neighbouring bins joined so that `bins` are left, which must divide their
// number. Unchanged if it has no more.
TensorHistogram Coarsened(const TensorHistogram& histogram, std::size_t bins);

// Spread of factors or scales over channels.
struct Spread {
  double least = 0;
  double median = 0;
  double largest = 0;

  // 1 if all are equal; 0 if the least is 0.
  [[nodiscard]] double ratio() const { return least > 0 ? largest / least : 0; }

  friend bool operator==(const Spread&, const Spread&) = default;
};

// All 0 without values. For an even number of values, the median is the lower of the two.
Spread SpreadOf(std::span<const float> values);

struct TensorRecord {
  std::string name;
  std::string type;                  // "float32 1x64x56x56"
  std::string producer;              // node; empty: an input of the network
  std::string op;                    // IR type of the producer
  std::vector<std::string> readers;  // nodes
  ActivationScale scale = {};
  std::optional<Spread> factors = {};  // of its channels; values below are divided by them

  // Facts that samples showed; empty: the scale was given.
  struct Seen {
    std::string method;  // "percentile:99.99"; empty: not known
    ValueRange observed;
    RangeLoss loss;
    // Tensor that owns the histogram: this one, or its source through a mover, view or MaxPool.
    std::string source;

    friend bool operator==(const Seen&, const Seen&) = default;
  };

  std::optional<Seen> seen = {};
  TensorHistogram histogram =
      {};  // over `observed`; no bins: another tensor has it, or it is left out

  friend bool operator==(const TensorRecord&, const TensorRecord&) = default;
};

// Result channels of a constant weight. Extents and scales belong to the integers that kernels
// compute with: those of the weight times a BatchNormalization behind it and times the channel
// factors of its other operand.
struct WeightRecord {
  std::string name;  // of the constant
  std::string node;  // that reads it
  std::string op;
  std::int64_t channels = 0;
  std::int64_t zero_channels = 0;  // that hold nothing but 0; they are in no spread
  Spread scales = {};
  std::optional<Spread> factors = {};      // of the operand that it is multiplied with
  std::optional<Spread> bias_shifts = {};  // magnitudes

  struct Place {
    double low = 0;
    double high = 0;
    double scale = 0;  // the largest

    friend bool operator==(const Place&, const Place&) = default;
  };

  std::int64_t channels_a_place = 1;  // the last place may have fewer
  std::vector<Place> places = {};     // in the order of the channels; empty: left out

  friend bool operator==(const WeightRecord&, const WeightRecord&) = default;
};

struct CalibrationRecord {
  QuantizationSource source;
  bool per_channel_weights = true;
  std::vector<TensorRecord> tensors = {};  // in the order of the network
  std::vector<WeightRecord> weights = {};
  // Numbers that Bounded() removed.
  std::int64_t histograms_left_out = 0;
  std::int64_t pictures_left_out = 0;

  friend bool operator==(const CalibrationRecord&, const CalibrationRecord&) = default;
};

// Spread of the magnitudes that bias correction adds to the result of a node; empty: none are
// given.
std::optional<Spread> ShiftSpread(const Quantization& quantization, const std::string& node);

// The record with the bias shifts of `quantization`, for a plan that was corrected itself.
CalibrationRecord WithShifts(CalibrationRecord record, const Quantization& quantization);

// The record with at most `histograms` histograms, of the tensors with the least SQNR, and at most
// `pictures` pictures, of the weights with the largest ratio of scales.
CalibrationRecord Bounded(CalibrationRecord record, std::size_t histograms, std::size_t pictures);

// The tensor that has the histogram of `tensor`; null: it is left out, or nothing was seen.
const TensorRecord* HistogramOf(const CalibrationRecord& record, const TensorRecord& tensor);

// Indices of the `most` tensors that lose the largest share of energy by clipping, the largest
// first. Tensors that clip nothing are left out; of tensors with the same values only the first
// counts.
std::vector<std::size_t> MostClipped(const CalibrationRecord& record, std::size_t most);
// Indices of the `most` weights with the largest ratio of channel scales, the largest first;
// weights with one scale are left out.
std::vector<std::size_t> WidestWeights(const CalibrationRecord& record, std::size_t most);

}  // namespace halftone
