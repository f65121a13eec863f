// The promise of a front: the accuracy that front.json says of a point is that of its rounded file
// in ONNX Runtime, and of the same file read back by halftone.
//
// The library of ONNX Runtime: $ORT_LIBRARY, or what labs/onnxruntime/bench_vs_onnxruntime.sh
// keeps; without it the files are read back only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "labs/onnxruntime/runtime_session.h"
#include "src/accuracy/metrics.h"
#include "src/api/halftone.h"
#include "src/base/file.h"
#include "src/exec/executable.h"
#include "src/onnx/reader.h"
#include "src/passes/passes.h"
#include "src/precision/resolve/resolve.h"
#include "src/runtimes/onnxruntime/ort_api.h"
#include "tests/support/paths.h"
#include "tests/support/planted_runtime.h"
#include "tests/support/runtime_library.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Outputs of the network on a sample, whose inputs are in the order of the graph.
using RunSample = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

bool IsHalf(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}

class PromiseTest : public ::testing::Test {
 protected:
  PromiseTest() {
    fs::remove_all(output_);
    options_.data.inputs = (digits_ / "search_inputs.npy").string();
    options_.heldout_share = 0;
    options_.measure.threads = 1;
    options_.quantize.mode = QuantizeMode::kOn;
    options_.budget.evaluations = 16;
    options_.output = output_;
    fs::create_directories(programs_);
    options_.measure.on.runtime = testing::PlantedRuntime(programs_);
  }

  // The mean of sqnr_db of all samples, as front.json defines it, in dB.
  [[nodiscard]] double MeanSqnr(const RunSample& run) const {
    const Executable reference = Compile(model_.graph, ReferencePlan(model_.graph), {});
    const Dataset samples = LoadDataset(model_.graph, options_.data);
    const MetricRow& row = *FindMetric("sqnr_db");
    double noise = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::vector<Tensor> inputs = samples.Read(i).inputs;
      const std::vector<Tensor> exact = reference.Run(inputs);
      const std::vector<Tensor> actual = run(inputs);
      const SampleOutputs outputs{.reference = exact, .actual = actual, .labels = {}};
      noise += row.to_mean_scale(row.of_sample(SampleView(outputs)).value());
    }
    return row.from_mean_scale(noise / static_cast<double>(samples.size()));
  }

  fs::path digits_ = testing::SourceDir() / "examples/digits";

  ~PromiseTest() override { fs::remove_all(programs_); }

  fs::path programs_ = fs::path(::testing::TempDir()) / "halftone_promise_test_programs";
  fs::path output_ = fs::path(::testing::TempDir()) / "halftone_promise_test";
  Model model_ = LoadModel({.path = digits_ / "model.onnx"});
  TuneOptions options_;
};

// Both round the same numbers at the same places, in another order of sums: neither error is above
// twice the other in amplitude (20 log10 2 = 6.02 dB, see typed_runtime_test.cc), down to what the
// last operators do to a float32 result (4 halves of its last bit, 2^-22: 132 dB). Kernels of
// high_performance, such as Winograd's, have an error of their own that no file can say: a file of
// such a plan may be better than promised by more.
TEST_F(PromiseTest, EveryPointHasItsAccuracyInOtherRuntimes) {
  const TuneSummary summary = Tune(model_, options_);
  const double resolution = -20 * std::log10(0x1p-22);
  const auto library = testing::RuntimeLibrary();
  std::optional<OrtApi> api;
  if (library) {
    api.emplace(*library);
  }
  const auto front = nlohmann::json::parse(ReadFile(output_ / "front.json"));
  int files = 0;
  int integers = 0;
  ASSERT_EQ(front.at("front").size(), summary.front.points.size());
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    const auto& point = front.at("front").at(i);
    const PrecisionPlan plan = ResolvePrecision(
        model_.graph, summary.front.points[i].trial.candidate.options, LoadTarget("host"));
    const bool is_exact = std::ranges::none_of(plan.nodes, [](const NodePrecision& node) {
      return node.impl_mode == ImplMode::kHighPerformance && IsHalf(node.compute_dtype());
    });
    const fs::path folder = output_ / point.at("folder").get<std::string>();
    if (!fs::exists(folder / "model_rounded.onnx")) {
      EXPECT_TRUE(point.at("low_precision_nodes").empty()) << folder;
      continue;
    }
    ++files;
    const double promised = point.at("accuracy").at("sqnr_db").at("mean");
    const auto expect = [&](double found, const char* where) {
      std::cout << folder.filename().string() << ": " << promised << " dB promised, " << found
                << " dB " << where << "\n";
      EXPECT_GT(std::min(found, resolution), std::min(promised, resolution) - 6.03) << where;
      if (is_exact) {
        EXPECT_LT(std::min(found, resolution), std::min(promised, resolution) + 6.03) << where;
      }
    };
    for (const char* name : {"model_rounded.onnx", "model_qdq.onnx"}) {
      const fs::path file = folder / name;
      if (!fs::exists(file)) {
        continue;
      }
      integers += name == std::string("model_qdq.onnx") ? 1 : 0;
      Graph read = ReadOnnx(file);
      Canonicalize(read);
      // In the types of the file: those of its Casts, too.
      const Executable again = Compile(
          read,
          ResolvePrecision(read, {.precision_mode = "must_keep_origin_dtype"}, LoadTarget("host")),
          {});
      expect(MeanSqnr([&](const auto& inputs) { return again.Run(inputs); }), "read back");
      if (api) {
        const std::string bytes = ReadFile(file);
        expect(MeanSqnr([&](const std::vector<Tensor>& inputs) {
                 RuntimeSession session(
                     *api, bytes, {},
                     {{model_.graph.value(model_.graph.inputs[0]).name, inputs.at(0)}});
                 session.Run();
                 return session.Outputs();
               }),
               "in ONNX Runtime");
      }
    }
  }
  EXPECT_GE(files, 1);
  std::cout << files << " points with files, " << integers << " of them in 8 bits\n";
}

}  // namespace
}  // namespace halftone
