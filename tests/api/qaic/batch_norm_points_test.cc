// Points for the device of a network with BatchNormalization behind every convolution: what the
// front says of a point, what running it says, and what its QDQ file computes, are the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "src/accuracy/tensor_file.h"
#include "src/api/halftone.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "tests/support/image_samples.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ModelWriter;

constexpr std::int64_t kChannels = 8;
constexpr std::int64_t kSamples = 8;

// BatchNormalization whose factors differ by 2^8 from channel to channel, as after training with
// channels that hardly ever fire.
void AddBatchNorm(ModelWriter& writer, const std::string& name, const char* from, const char* to,
                  std::int64_t channels, Rng& rng) {
  std::vector<float> scale(static_cast<std::size_t>(channels));
  for (std::size_t c = 0; c < scale.size(); ++c) {
    scale[c] = std::ldexp(1.0F, 2 - static_cast<int>(c % 9));
  }
  const std::vector<float> ones(scale.size(), 1);
  writer.Floats(name + ".scale", {channels}, scale);
  writer.Floats(name + ".bias", {channels}, testing::SmallNumbers(scale.size(), rng));
  writer.Floats(name + ".mean", {channels}, testing::SmallNumbers(scale.size(), rng));
  writer.Floats(name + ".var", {channels}, ones);
  const std::string inputs[] = {name + ".scale", name + ".bias", name + ".mean", name + ".var"};
  writer.Node("BatchNormalization", name,
              {from, inputs[0].c_str(), inputs[1].c_str(), inputs[2].c_str(), inputs[3].c_str()},
              {to});
}

fs::path SaveNetwork() {
  ModelWriter writer;
  Rng rng(5);
  writer.Input("x", {1, 3, 16, 16});
  writer.Floats("w1", {kChannels, 3, 3, 3}, testing::SmallNumbers(kChannels * 27, rng));
  writer.Floats("w2", {kChannels, 1, 3, 3}, testing::SmallNumbers(kChannels * 9, rng));
  writer.Floats("w3", {10, kChannels, 1, 1}, testing::SmallNumbers(10 * kChannels, rng));
  ModelWriter::SetInts(writer.Node("Conv", "full", {"x", "w1"}, {"a1"}), "pads", {1, 1, 1, 1});
  AddBatchNorm(writer, "full.bn", "a1", "b1", kChannels, rng);
  writer.Node("Relu", "full.relu", {"b1"}, {"c1"});
  auto& depthwise = writer.Node("Conv", "depthwise", {"c1", "w2"}, {"a2"});
  ModelWriter::SetInts(depthwise, "pads", {1, 1, 1, 1});
  ModelWriter::SetInt(depthwise, "group", kChannels);
  AddBatchNorm(writer, "depthwise.bn", "a2", "b2", kChannels, rng);
  writer.Node("Relu", "depthwise.relu", {"b2"}, {"c2"});
  writer.Node("Conv", "pointwise", {"c2", "w3"}, {"a3"});
  AddBatchNorm(writer, "pointwise.bn", "a3", "y", 10, rng);
  writer.Output("y");
  return writer.Save();
}

// Mean SQNR of the samples, which lie along the first axis.
double SqnrOf(const Tensor& exact, const Tensor& actual) {
  const std::vector<double> a = DoublesOf(exact);
  const std::vector<double> b = DoublesOf(actual);
  EXPECT_EQ(a.size(), b.size());
  const std::size_t each = a.size() / kSamples;
  double sum = 0;
  for (std::size_t s = 0; s < kSamples; ++s) {
    double power = 0;
    double error = 0;
    for (std::size_t i = s * each; i < (s + 1) * each; ++i) {
      power += a[i] * a[i];
      error += (a[i] - b[i]) * (a[i] - b[i]);
    }
    sum += 10 * std::log10(power / error);
  }
  return sum / kSamples;
}

double MeanOf(const Accuracy& accuracy) {
  for (const MetricValue& metric : accuracy.metrics) {
    if (metric.name == "sqnr_db") {
      return metric.mean;
    }
  }
  ADD_FAILURE() << "no sqnr_db";
  return 0;
}

TEST(BatchNormPointsTest, FrontRunAndFileAgree) {
  const fs::path path = SaveNetwork();
  const TemporaryFolder folder("points of batch norm");
  Tensor images(DType::kFloat32, {kSamples, 3, 16, 16});
  Rng rng(9);
  for (float& value : images.mutable_values<float>()) {
    value = static_cast<float>(rng.Uniform(-1, 1));
  }
  const fs::path inputs = folder.path() / "x.npy";
  WriteFileAtomically(inputs, FormatNpy(images));
  const Model model = LoadModel({.path = path, .inputs = inputs.string()});
  TuneOptions options;
  options.target.soc_version = "cloud_ai_100";
  options.data.inputs = inputs.string();
  options.heldout_share = 0;
  options.confidence.reset();
  options.max_trials = 8;
  options.output = folder.path() / "out";
  options.quantize.mode = QuantizeMode::kOn;
  const TuneSummary summary = Tune(model, options);
  const PrecisionOptions float32 = {.precision_mode = "must_keep_origin_dtype"};
  const auto outputs_of = [&](const Model& network, const std::string& name) {
    const SavedOutputs saved =
        SaveOutputs(network, {LoadTarget("host"), float32, {.inputs = inputs.string()}}, 1,
                    folder.path() / name);
    return ParseNpy(ReadFile(folder.path() / name / saved.files.at(0)), name);
  };
  const Tensor exact = outputs_of(model, "exact");
  std::size_t files = 0;
  for (std::size_t i = 0; i < summary.front.points.size(); ++i) {
    const std::string name = "point_" + std::to_string(i + 1);
    const fs::path point = options.output / name;
    const OptionSet set = LoadOptionSet(point.string(), options.target);
    const RunResult run =
        RunConfiguration(model, {set.target, set.precision.options, {.inputs = inputs.string()}});
    const double measured = MeanOf(run.measurement.accuracy);
    EXPECT_EQ(MeanOf(summary.front.points[i].measurement().accuracy), measured) << name;
    const fs::path file = point / "model_qdq.onnx";
    if (!fs::exists(file)) {
      continue;
    }
    ++files;
    // Sums of products of 8-bit integers are exact in both. Between them the device has float16,
    // the file float32: a value of up to 255 steps differs by 2^-12 of it at most, 0.06 steps,
    // uniform; that adds 0.12^2 / 12 to a power of rounding of 1 / 12, 1.5 % or 0.07 dB, in each of
    // three layers.
    const Tensor actual = outputs_of(LoadModel({.path = file, .inputs = inputs.string()}), name);
    EXPECT_NEAR(SqnrOf(exact, actual), measured, 0.2) << name;
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace halftone
