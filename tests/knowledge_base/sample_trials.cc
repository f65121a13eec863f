#include "tests/knowledge_base/sample_trials.h"

#include <string>

#include "knowledge_base/checksum.h"

namespace halftone::testing {

Workload SampleWorkload() {
  return {.model_name = "squeezenet",
          .operators = "Conv,Relu",
          .model_hash = {1, 2},
          .input_shapes = "data_0:1,3,224,224",
          .data_hash = {3, 4},
          .target = "host",
          .isa = "avx2+avx512",
          .kernel_table_hash = {5, 6},
          .tool_version = "0.1.0",
          .threads = 1,
          .cpu = "AMD EPYC (AuthenticAMD 25.17)"};
}

Trial MeasuredTrial(std::uint64_t number) {
  Trial trial;
  trial.candidate.options.precision_mode = "force_fp16";
  trial.candidate.options.keep_dtype = {"conv\"1\"", "node of umlaut \xC3\xA4"};
  trial.candidate.options.op_precision_given = true;
  trial.candidate.options.impl_mode_by_type = {{"Conv2D", ImplMode::kHighPrecision}};
  trial.plan_digest = {100, number};
  trial.low_precision_nodes = {"relu1", "pool1"};
  trial.kept_nodes = {"conv\"1\""};
  Measurement measurement;
  measurement.latency = {.ratio = 0.1 + 0.01 * static_cast<double>(number),
                         .ratio_interval = {0.09, 0.11},
                         .median_s = 1.0 / 3,
                         .anchor_median_s = 0x1p-1060,
                         .candidate_samples_s = {0.1, 0.2, 0.3},
                         .anchor_samples_s = {1.1, 1.2, 1.3},
                         .raced = number % 4 == 2,
                         .other_cores = 0.125 * static_cast<double>(number)};
  measurement.accuracy.metrics = {{"sqnr_db", 40.5, 30.25, 3, {}}, {"rel_l2", 0.01, 0.02, 1, {}}};
  measurement.peak_arena_bytes = 5'000'000'000;
  measurement.confirmed = number % 2 == 1;
  if (number % 3 == 0) {
    measurement.runtime = RuntimeRun{.runtime = "a runtime \xFF 1.0",
                                     .low_asked = 26,
                                     .low_ran = 25,
                                     .as_asked = false,
                                     .own_outputs = number % 2 == 1,
                                     .detail = "25 of 26 products",
                                     .build_s = 1.0 / 3};
  }
  if (measurement.confirmed) {
    measurement.accuracy.metrics[0].values = {1.0 / 3, 0x1p-1060, 60.5, 30.25};
  }
  trial.outcome = measurement;
  return trial;
}

Trial RejectedTrial(std::uint64_t number) {
  Trial trial = MeasuredTrial(number);
  trial.outcome = Rejection{"node 'relu1' makes inf"};
  return trial;
}

Trial UnresolvedTrial() {
  Trial trial;
  trial.candidate.options.precision_mode = "force_fp32";
  trial.outcome = Rejection{"EZ3003: no engine is left for node 'conv1'"};
  return trial;
}

StoredFront SampleFront(const Hash128& workload_key, const std::vector<Trial>& members) {
  StoredFront front;
  front.workload_key = workload_key;
  front.strategy = "greedy";
  front.constraints = {.min_sqnr_db = 30,
                       .max_rel_l2 = 0.25,
                       .max_top1_drop = {},
                       .min_agreement = 0.5,
                       .max_latency_ratio = 0.9,
                       .max_rel_l2_share = 0.95,
                       .min_metric = 0.125};
  front.reference_top1 = 0.75;
  for (const Trial& trial : members) {
    front.members.push_back(
        {.plan_digest = trial.plan_digest, .measurement_hash = MeasurementHashOf(trial)});
    front.chosen = front.members.size() - 1;
  }
  front.provenance = {{"cpu", "some CPU"}, {"command", "tune --model=\"a b.onnx\""}};
  return front;
}

KernelVersion SampleKernels() {
  return {.isa = "avx2+avx512",
          .kernel_table_hash = {5, 6},
          .tool_version = "0.1.0",
          .cpu = "AMD EPYC (AuthenticAMD 25.17)"};
}

CurrentMeasurements MeasuredWith(const KernelVersion& kernels) {
  return {
      .workload =
          [kernels](const Workload& workload) {
            return KernelVersion{workload.isa, workload.kernel_table_hash, workload.tool_version,
                                 workload.cpu} == kernels;
          },
      .timing = [kernels](const KernelVersion& with, std::string_view) { return with == kernels; },
      .profile = [kernels](const KernelVersion& with, std::string_view) { return with == kernels; },
      .calibration = [kernels](
                         const KernelVersion& with,
                         std::string_view) { return with.tool_version == kernels.tool_version; }};
}

OperatorTiming SampleTiming(int number) {
  return {.signature = "MatMul " + std::to_string(number) + "x32: float32 -> \"float32\"; 1 thread",
          .static_kernel = "matmul.f32.highway",
          .kernel = number % 2 == 0 ? "matmul.f32.onednn" : "matmul.f32.highway",
          .ratio = 1.0 / (number + 3),
          .ratio_interval = {0.1, 0x1p-3},
          .rounds = 40 + number,
          .static_s = 1e-5 / 3,
          .compared = number % 2 == 0 ? "matmul.f32.highway matmul.f32.onednn" : ""};
}

OperatorProfile SampleProfile(int threads) {
  const ProfiledCall first{
      .shape = {.family = "MatMul float32 -> float32 high_precision", .sizes = {5, 0, 10.0 / 3}},
      .seconds = {{"matmul.f32.highway", 1e-5 / 3}, {"matmul.f32.onednn", 0x1p-1060}}};
  ProfiledCall second = first;
  second.shape.sizes = {5, 0x1p-1060, -0.5};
  second.seconds["matmul.f32.highway"] = 0.25 * threads;
  const ProfiledCall other{.shape = {.family = "MatMul \"float16\"", .sizes = {}},
                           .seconds = {{"matmul.f16.highway", 1.0 / threads}}};
  return {.op = "MatMul", .threads = threads, .calls = {first, second, other}};
}

BankCalibration SampleCalibration(int number) {
  KernelVersion kernels = SampleKernels();
  kernels.cpu.clear();
  return {.key = {7, static_cast<std::uint64_t>(number)},
          .model_hash = SampleWorkload().model_hash,
          .operators = "Conv,Relu",
          .kernels = kernels,
          .quantization = "{\"scales\": \"of \xC3\xA4 " + std::to_string(number) + "\"}\n",
          .histograms = number % 2 == 0 ? "{\"bins\": [1, 2]}" : "",
          .cut = "",
          .had_s = 0};
}

Sensitivity SampleSensitivity() {
  const GroupSensitivity first{
      .choices = {{.errors = {0, 0}, .time = 1.0 / 3},
                  {.local_error = 1e-7, .errors = {2e-9, 1e-300}, .time = 0.2, .probed = true}},
      .formats = {{DType::kFloat16, {.errors = {1e-8, 0}, .rounding = {1e-7, 2e-7, 1.0 / 3, 0.25}}},
                  {DType::kBFloat16, {.errors = {1e-6, 3e-6}, .rounding = {1e-5, 2e-5, 3e-5, 0}}}},
      .largest_value = 65504,
      .largest_sample = 3,
      .longest_sum = 4096,
      .gain = 0.1};
  GroupSensitivity second = first;
  second.choices[1].refusal = "a result is \"infinite\"";
  second.choices[1].not_finite = true;
  return {.groups = {first, second},
          .weights = {0.5, 0.25},
          .other_time = 1.0 / 7,
          .cast_time = 1e-5,
          .cast_time_per_element = 1e-9 / 3,
          .evaluations = 1.25};
}

}  // namespace halftone::testing
