// Measurement of a configuration: its accuracy against float32, and its latency.
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

// Limits of a 95 % confidence interval.
struct Bounds95 {
  double low = 0;
  double high = 0;
};

// Values of one metric over the samples. docs/internals/measuring.md lists the metrics and their
// units.
struct MetricFigures {
  std::string name;  // "sqnr_db"
  double mean = 0;
  std::optional<Bounds95> mean_interval;  // empty: too few samples
  double worst = 0;
  // Index of the sample with that value; -1: the metric has one value for all samples.
  std::int64_t worst_sample = 0;
  std::string worst_sample_name;
};

// Figures of a configuration at one input shape.
struct RunFigures {
  std::string configuration;  // "force_fp16; the mode is the default"
  std::string input_shapes;   // "x:1,3,224,224"
  std::string plan_digest;    // 32 hexadecimal digits
  // Latency of float32 / latency of the configuration; empty: not timed. On a device without
  // float32, its most precise plan takes the place of float32.
  std::optional<double> speed_up;
  std::optional<Bounds95> speed_up_interval;
  double median_s = 0;            // median seconds of a run; 0: not timed
  double reference_median_s = 0;  // median seconds of a run of float32; 0: not timed
  std::vector<MetricFigures> accuracy;
  std::optional<double> reference_top1;          // top-1 accuracy of float32; empty: no labels
  std::int64_t samples = 0;                      // number of samples that were judged
  bool representative = true;                    // false: the samples are random
  std::vector<std::string> kept_nodes;           // nodes in float32 that could be lowered
  std::vector<std::string> low_precision_nodes;  // nodes in 8 or 16 bits
  std::vector<std::string> overflow;  // sentences about nodes that made values infinite or NaN
  std::vector<std::string> judging;   // sentences about how the metrics compare outputs
  std::size_t steps = 0;              // kernel calls of a run
  std::size_t tuned_steps = 0;        // kernel calls with a kernel that operator tuning chose
};

struct Figures {
  // One element for each of ConfiguredNetwork::input_shapes(), in their order; after a stop fewer,
  // but at least one.
  std::vector<RunFigures> by_shape;
  std::vector<std::string> warnings;  // full sentences, including those of the network
  // True: `stop_requested` ended the run. The last figures are of fewer samples, or not timed, and
  // later shapes are missing.
  bool interrupted = false;
};

// Measures the configuration on the samples, at each input shape of the network. `stop_requested`
// may be empty; if it returns true, the run ends after the sample or timed run at hand, and the
// figures cover what was done. Errors: kUnsupported if overflow reaches an output; kModel and kIo
// for the samples; kUsage for the settings; StoppedByUser if the stop ended a program of the user.
Figures Run(const ConfiguredNetwork& network, const DatasetOptions& data,
            const MeasureSettings& settings = {}, const std::function<bool()>& stop_requested = {});

}  // namespace halftone
