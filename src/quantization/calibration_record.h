// Record of a calibration. It holds the observed range, the chosen range and its loss for each
// tensor, and the scales and extents of the channels for each constant weight. Reports show it and
// histograms.json (src/quantization/files/histogram_file.h) stores it; no computation reads it.
//
// Its size is bounded: a histogram has kRecordBins bins, the picture of a weight has at most
// kRecordPlaces places, and Bounded() limits the number of histograms and pictures.
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

// Bins of a recorded histogram; each joins 8 bins of the histogram of the calibration.
inline constexpr std::size_t kRecordBins = 256;
static_assert(kHistogramBins % kRecordBins == 0);
// Most places in the picture of a weight. A weight with more channels has several in each place.
inline constexpr std::size_t kRecordPlaces = 128;

// Error that the quantisation of a tensor by its scale causes. A value counts as clipped if it lies
// more than half a step beyond the first or last number of the grid, else as rounded.
struct RangeLoss {
  double clipped_values = 0;  // share of all values
  // Squared error of the clipped values, divided by the sum of squares of all values.
  double clipped_energy = 0;
  // Sum of squares of all values, divided by the squared error of rounding and clipping. Empty if
  // either of the two is 0.
  std::optional<double> sqnr_db = {};

  friend bool operator==(const RangeLoss&, const RangeLoss&) = default;
};

// Loss on the uint8 grid of `scale`, computed as if the values of a bin were evenly spread over it
// (range_error.h).
RangeLoss LossByScale(const TensorHistogram& histogram, const ActivationScale& scale);

// The histogram with neighbouring bins joined, so that `bins` remain; unchanged if it has no more
// than that. Requires that `bins` divides the number of bins.
TensorHistogram Coarsened(const TensorHistogram& histogram, std::size_t bins);

// Spread of factors, scales or bias shifts over channels.
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
  std::string producer;              // name of the node; empty: an input of the network
  std::string op;                    // IR type of the producer
  std::vector<std::string> readers;  // names of the nodes that read the tensor
  ActivationScale scale = {};
  // Factors of its channels. `observed` and `histogram` are of the values divided by their factors.
  std::optional<Spread> factors = {};

  // Results of the calibration on samples.
  struct Seen {
    std::string method;  // "percentile:99.99"; empty: unknown
    ValueRange observed;
    RangeLoss loss;
    // Tensor that owns the histogram: this one, or its source through a mover, view or MaxPool.
    std::string source;

    friend bool operator==(const Seen&, const Seen&) = default;
  };

  std::optional<Seen> seen = {};  // empty: the scale was given
  // Histogram over `observed`. It has no bins where `source` is another tensor, and where Bounded()
  // removed it.
  TensorHistogram histogram = {};

  friend bool operator==(const TensorRecord&, const TensorRecord&) = default;
};

// Scales and extents of the result channels of a constant weight, taken from the integers that
// kernels compute with. These integers already include a folded BatchNormalization and the channel
// factors of the other operand.
struct WeightRecord {
  std::string name;  // name of the constant
  std::string node;  // name of the node that reads it
  std::string op;    // IR type of that node
  std::int64_t channels = 0;
  std::int64_t zero_channels = 0;  // channels of zeros only; `scales` leaves them out
  Spread scales = {};
  std::optional<Spread> factors = {};      // channel factors of the other operand; empty: none
  std::optional<Spread> bias_shifts = {};  // magnitudes of the bias shifts; empty: none

  // Extents of one channel, or of several neighbouring channels.
  struct Place {
    double low = 0;
    double high = 0;
    double scale = 0;  // largest scale of these channels

    friend bool operator==(const Place&, const Place&) = default;
  };

  std::int64_t channels_a_place = 1;  // the last place may have fewer
  std::vector<Place> places = {};     // in the order of the channels; empty: Bounded() removed them

  friend bool operator==(const WeightRecord&, const WeightRecord&) = default;
};

struct CalibrationRecord {
  QuantizationSource source;
  bool per_channel_weights = true;
  std::vector<TensorRecord> tensors = {};  // in the order of the network
  std::vector<WeightRecord> weights = {};
  // Numbers of histograms and pictures that Bounded() removed.
  std::int64_t histograms_left_out = 0;
  std::int64_t pictures_left_out = 0;

  friend bool operator==(const CalibrationRecord&, const CalibrationRecord&) = default;
};

// Spread of the magnitudes of the bias shifts of a node; empty: `quantization` has none for it.
std::optional<Spread> ShiftSpread(const Quantization& quantization, const std::string& node);

// The record with the bias shifts of `quantization` in place of its own, for a plan with a bias
// correction of its own.
CalibrationRecord WithShifts(CalibrationRecord record, const Quantization& quantization);

// The record with at most `histograms` histograms and `pictures` pictures. It keeps the histograms
// of the tensors with the least SQNR and the pictures of the weights with the largest
// Spread::ratio() of scales.
CalibrationRecord Bounded(CalibrationRecord record, std::size_t histograms, std::size_t pictures);

// The tensor whose record holds the histogram of `tensor`; null if `tensor` has no `seen`, or if
// the histogram was removed.
const TensorRecord* HistogramOf(const CalibrationRecord& record, const TensorRecord& tensor);

// Indices of the `most` tensors with the largest RangeLoss::clipped_energy, the largest first.
// Tensors without clipped values, and tensors whose `source` is another tensor, are left out.
std::vector<std::size_t> MostClipped(const CalibrationRecord& record, std::size_t most);
// Indices of the `most` weights with the largest Spread::ratio() of scales, the largest first.
// Weights whose scales are equal are left out.
std::vector<std::size_t> WidestWeights(const CalibrationRecord& record, std::size_t most);

}  // namespace halftone
