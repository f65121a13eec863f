// A network with scales for 8 bits, and its uniform plans.
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
  std::string inputs;     // DatasetOptions::inputs that were found
  Dataset samples;        // samples for the measurement
  Dataset calibration;    // none of `samples`, if there are enough
  bool flatters = false;  // true: calibration and measurement use the same samples
};

// The network in `folder` with its samples: eval/, with labels if these belong to its outputs; else
// test_data_set_N, or search_inputs.npy. Takes at most `most` samples. Of 32 or more samples, a
// quarter, at most 64, is reserved for the calibration. Errors of LoadModel(), LoadDataset().
MeasuredNetwork LoadMeasured(const std::filesystem::path& folder, std::size_t most);

// Budget in seconds for a measurement whose time does not matter.
inline constexpr double kNoTime = 1e-6;

// Options of a measurer of accuracy without latencies.
MeasureOptions AccuracyAlone(int threads);

// Scales of the network from its calibration samples.
struct SampleScales {
  SharedQuantization quantization;
  double seconds = 0;  // seconds of the calibration
};

SampleScales CalibratedScales(const Graph& graph, const Dataset& samples, bool correct_bias,
                              int threads);

// Rule of a uniform plan: every operator takes the first of these choices that it has, else
// float32.
struct UniformPlan {
  std::string name;  // "int8"
  std::vector<Choice> choices;
  // True: the plan has float ends (search/strategies/scaled_globals.h).
  bool ends_in_float32 = false;
};

// Plans in 8 bits. "int8": qint8, and float32 for operators without it; "int8, float32 ends"; "int8
// and float16, float32 ends": float16 with high_performance for operators without qint8.
std::vector<UniformPlan> Int8Plans();

// Uniform plans in 16 bits: float16 in both implementation modes, and bfloat16.
std::vector<UniformPlan> SixteenBitPlans();

PrecisionPlan PlanOf(const Decisions& decisions, const UniformPlan& uniform);

// Number of groups that compute in 8 bits in the plan.
std::size_t QuantizedGroups(const Decisions& decisions, const UniformPlan& uniform);

// Decisions of the host with formats of 16 and 8 bits. `graph` and `target` must outlive them.
Decisions DecisionsWith(const Graph& graph, const TargetSpec& target,
                        const SharedQuantization& quantization);

}  // namespace halftone
