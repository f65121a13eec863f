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

// A network and what it is measured on.
struct MeasuredNetwork {
  std::string name;  // of its folder
  Model model;
  std::string inputs;     // DatasetOptions::inputs that were found
  Dataset samples;        // measured
  Dataset calibration;    // apart from `samples` where there are enough
  bool flatters = false;  // calibrated on samples that are measured
};

// The network in `folder`, on its eval/ with labels where these belong to its outputs, else on its
// test_data_set_N, or search_inputs.npy. At most `most` samples; of 32 or more a quarter, at most
// 64, is set aside for the calibration. Errors of LoadModel(), LoadDataset().
MeasuredNetwork LoadMeasured(const std::filesystem::path& folder, std::size_t most);

// Seconds of a measurement that is not to be timed.
inline constexpr double kNoTime = 1e-6;

// Options of a measurer of accuracy without latencies.
MeasureOptions AccuracyAlone(int threads);

// Scales of the network from its calibration samples.
struct Scales {
  SharedQuantization quantization;
  double seconds = 0;  // that the calibration took
};

Scales CalibratedScales(const Graph& graph, const Dataset& samples, bool correct_bias, int threads);

// How a uniform plan computes: every operator in the first of these formats that it has, else in
// float32.
struct UniformPlan {
  std::string name;  // "int8"
  std::vector<Choice> choices;
  // Chains in 8 bits end with a product whose result is float32.
  bool ends_in_float32 = false;
};

// "int8": qint8, elsewhere float32; "int8, float32 ends"; "int8 and float16, float32 ends":
// elsewhere float16 and high_performance.
std::vector<UniformPlan> Int8Plans();

// The same in 16 bits: float16 in either implementation, bfloat16.
std::vector<UniformPlan> SixteenBitPlans();

PrecisionPlan PlanOf(const Decisions& decisions, const UniformPlan& uniform);

// Groups of the plan that compute in 8 bits.
std::size_t QuantizedGroups(const Decisions& decisions, const UniformPlan& uniform);

// `decisions` of the host with 16 and 8 bits. `graph` and `target` must outlive them.
Decisions DecisionsWith(const Graph& graph, const TargetSpec& target,
                        const SharedQuantization& quantization);

}  // namespace halftone
