// Run of a configuration: its accuracy against float32, and its latency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halftone/data.h"
#include "halftone/measure.h"
#include "halftone/network.h"

namespace halftone {

// A confidence interval of 95 %.
struct Bounds95 {
  double low = 0;
  double high = 0;
};

// One metric over the samples.
struct MetricFigures {
  std::string name;  // "sqnr_db"
  double mean = 0;
  std::optional<Bounds95> mean_interval;
  double worst = 0;
  std::int64_t worst_sample = 0;  // its number, from 0
  std::string worst_sample_name;
};

// Figures of a configuration at one input shape.
struct RunFigures {
  std::string configuration;  // "force_fp16; the mode is the default"
  std::string input_shapes;   // "x:1,3,224,224"
  std::string plan_digest;    // 32 hexadecimal digits
  // Latency of float32 / latency; empty: it was not timed.
  std::optional<double> speed_up;
  std::optional<Bounds95> speed_up_interval;
  double median_s = 0;
  double reference_median_s = 0;  // of float32
  std::vector<MetricFigures> accuracy;
  std::optional<double> reference_top1;  // of float32, with labels
  std::int64_t samples = 0;
  bool representative = true;  // false: the samples are random
  std::vector<std::string> kept_nodes;
  std::vector<std::string> low_precision_nodes;
  std::vector<std::string> overflow;  // sentences on nodes that made values infinite or NaN
  std::vector<std::string> judging;   // sentences on what the metrics compare
  std::size_t steps = 0;              // kernel calls of a run
  std::size_t tuned_steps = 0;        // of these, with a kernel that operator tuning chose
};

struct Figures {
  std::vector<RunFigures> by_shape;   // at least one
  std::vector<std::string> warnings;  // full sentences, with those of the network
  // True if `stop_requested` ended the run: the last figures are of fewer samples, or not timed,
  // and shapes behind it are missing.
  bool interrupted = false;
};

// Measures the configuration on the samples at each of their input shapes. `stop_requested` ends
// the run after the piece of work at hand; it may be empty. Errors: kUnsupported when overflow
// reaches an output, kModel and kIo for the samples; StoppedByUser.
Figures Run(const ConfiguredNetwork& network, const DatasetOptions& data,
            const MeasureSettings& settings = {}, const std::function<bool()>& stop_requested = {});

}  // namespace halftone
