// Networks with scales for 8 bits, and their uniform plans.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "search/measure/network_measurer.h"
#include "search/space/decisions.h"
#include "src/accuracy/dataset.h"
#include "src/api/halftone.h"
#include "src/precision/precision_plan.h"
#include "src/quantization/quantization.h"
#include "src/target/target_spec.h"

namespace halftone {

// A network and the samples that it is measured on.
struct MeasuredNetwork {
  std::string name;  // name of its folder
  Model model;
  std::string inputs;   // DatasetOptions::inputs of the samples that were found
  Dataset samples;      // samples for the measurement
  Dataset calibration;  // samples for the calibration
  // True: calibration uses samples of the measurement, because there are few.
  bool flatters = false;
};

// Loads the network in `folder` with its samples, at most `most`: those in eval/, or else
// search_inputs.npy, or else test_data_set_N. Labels are used if they belong to its outputs. Of 32
// or more samples, a quarter, but at most kMostCalibrationSamples, is reserved for the calibration.
// Errors: those of LoadModel() and LoadDataset().
MeasuredNetwork LoadMeasured(const std::filesystem::path& folder, std::size_t most);

// Budget in seconds of a measurement whose latency is not used.
inline constexpr double kNoTime = 1e-6;

// Options of a measurer that is used for accuracy, without latencies.
MeasureOptions AccuracyAlone(int threads);

// Scales of the network from its calibration samples.
struct SampleScales {
  SharedQuantization quantization;
  double seconds = 0;  // seconds of the calibration
};

SampleScales CalibratedScales(const Graph& graph, const Dataset& samples, bool correct_bias,
                              int threads);

// Rule of a uniform plan: every group of operators takes the first of these choices that it has,
// else float32.
struct UniformPlan {
  std::string name;  // "int8"
  std::vector<Choice> choices;
  // True: if no group in 8 bits reads the results of a group in 8 bits, that group has float32
  // results; if it has no such choice, it computes in float32.
  bool ends_in_float32 = false;
};

// Plans in 8 bits:
// - "int8": qint8, and float32 for operators without it
// - "int8, float32 ends"
// - "int8 and float16, float32 ends": float16 with high_performance for operators without qint8
std::vector<UniformPlan> Int8Plans();

// Uniform plans in 16 bits: float16 in both implementation modes, and bfloat16.
std::vector<UniformPlan> SixteenBitPlans();

PrecisionPlan PlanOf(const Decisions& decisions, const UniformPlan& uniform);

// Number of groups that compute in 8 bits in this plan.
std::size_t QuantizedGroups(const Decisions& decisions, const UniformPlan& uniform);

// Decisions with the formats float16, bfloat16 and qint8. `graph` and `target` must outlive them.
Decisions DecisionsWith(const Graph& graph, const TargetSpec& target,
                        const SharedQuantization& quantization);

}  // namespace halftone
