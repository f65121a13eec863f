// A search for an Ascend device with 8-bit layers: candidates, points, and what reads them back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "src/amct/layers.h"
#include "src/api/export_plan.h"
#include "src/api/halftone.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/temporary_folder.h"
#include "src/precision/resolve/resolve.h"
#include "src/quantization/files/amct_config.h"
#include "tests/support/model_writer.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::filesystem::path kDigits = testing::SourceDir() / "examples/digits";

TuneOptions Options() {
  TuneOptions options;
  options.target.soc_version = "Ascend310P3";
  options.data.inputs = kDigits / "search_inputs.npy";
  options.max_trials = 60;
  options.quantize.mode = QuantizeMode::kOn;
  return options;
}

Model Digits() {
  return LoadModel({.path = kDigits / "model.onnx", .inputs = kDigits / "search_inputs.npy"});
}

TEST(AmctPointsTest, ReadBackToTheirPlans) {
  const Model model = Digits();
  const TemporaryFolder folder("amct_points");
  TuneOptions options = Options();
  options.output = folder.path() / "out";
  const TuneSummary summary = Tune(model, options);
  std::size_t quantized = 0;
  for (const FrontPoint& point : summary.front.points) {
    const std::filesystem::path at = options.output / point.folder;
    const OptionSet set = LoadOptionSet(at.string(), {});
    const PrecisionPlan plan = ResolvePrecision(model.graph, set.precision.options, set.target);
    EXPECT_EQ(plan.Digest(), point.trial.plan_digest) << point.folder;
    const bool has_8_bits = !point.trial.candidate.options.node_formats.empty();
    EXPECT_EQ(std::filesystem::exists(at / "compression_optimize.cfg"), has_8_bits);
    const std::string script = ReadFile(at / "atc.sh");
    if (!has_8_bits) {
      EXPECT_THAT(script, Not(HasSubstr("compression")));
      continue;
    }
    ++quantized;
    EXPECT_THAT(script,
                AllOf(HasSubstr("--compression_optimize_conf=\"$folder\"/compression_optimize.cfg"),
                      HasSubstr("cd -- \"$folder\""), Not(HasSubstr("--quantization"))));
    std::set<std::string> layers;
    for (const auto& [node, format] : point.trial.candidate.options.node_formats) {
      layers.insert(node);
    }
    EXPECT_EQ(
        QuantizedLayers(model.graph, ParseAmctConfig(ReadFile(at / "quant.cfg"), "quant.cfg")),
        layers);
  }
  EXPECT_GT(quantized, 0U) << "8 bits are the fastest by the roofline";
  // 64 images of 8 x 8 numbers.
  EXPECT_EQ(std::filesystem::file_size(options.output / "calibration/input_0.bin"), 64U * 64 * 4);
  EXPECT_THAT(summary.warnings, Contains(HasSubstr("nothing here was run on one")));
  // What ATC refuses is a rejection with its rule. A mode in which the target runs no product is
  // not proposed at all.
  EXPECT_TRUE(std::ranges::any_of(summary.search.rejected, [](const auto& rejected) {
    return rejected.reason.starts_with(
        "ATC does not calibrate in high precision: --precision_mode=force_fp32");
  }));
  EXPECT_THAT(summary.warnings,
              Contains(AllOf(StartsWith("mode must_keep_origin_dtype is left out: EZ3002: optype "
                                        "[Conv2D] is not supported by AiCore"),
                             EndsWith("(mode must_keep_origin_dtype, target Ascend310P3)"))));
}

TEST(AmctPointsTest, EightBitsAreAskedFor) {
  TuneOptions options = Options();
  options.quantize.mode = std::nullopt;
  options.max_trials = 8;
  for (const FrontPoint& point : Tune(Digits(), options).front.points) {
    EXPECT_TRUE(point.trial.candidate.options.node_formats.empty());
  }
}

// Two products without a name before and behind one that has one.
Model UnnamedLayers() {
  testing::ModelWriter model;
  model.Input("x", {2, 4});
  for (const char* name : {"w0", "w1", "w2"}) {
    std::vector<float> weights;
    for (int i = 0; i < 16; ++i) {
      weights.push_back(0.1F * static_cast<float>(i % 5 - 2));
    }
    model.Floats(name, {4, 4}, weights);
  }
  model.Node("MatMul", "", {"x", "w0"}, {"a"});
  model.Node("MatMul", "fc", {"a", "w1"}, {"b"});
  model.Node("MatMul", "", {"b", "w2"}, {"y"});
  model.Output("y");
  return LoadModel({.path = model.Save()});
}

// AMCT finds layers by their names in the model: those that the importer makes up are of no file.
TEST(AmctPointsTest, AnExportedConfigurationHasTheNamesOfTheFileAlone) {
  const Model model = UnnamedLayers();
  TuneOptions options = Options();
  options.data.inputs.clear();
  const TuneSummary summary = Tune(model, options);
  const auto quantized = std::ranges::find_if(summary.front.points, [](const FrontPoint& point) {
    return point.trial.candidate.options.node_formats.size() == 3;
  });
  ASSERT_NE(quantized, summary.front.points.end());
  PrecisionOptions one = quantized->trial.candidate.options;
  std::erase_if(one.node_formats, [](const auto& format) { return format.first != "fc"; });
  const TargetSpec target = LoadTarget("Ascend310P3");
  const auto exported = [&](const PrecisionOptions& precision) {
    return ExportPlan(model, target, precision, ParseExportFormat("amct"), {.file = "quant.cfg"});
  };
  const ExportedPlan of_one = exported(one);
  EXPECT_THAT(of_one.bytes, AllOf(Not(HasSubstr("MatMul_")), Not(HasSubstr("skip_layers"))));
  EXPECT_THAT(of_one.notes, Contains(HasSubstr("without a name in the model")));
  std::set<std::string> lost;
  for (const Loss& loss : of_one.losses) {
    lost.insert(loss.node);
  }
  EXPECT_THAT(lost, ::testing::IsSupersetOf({"a", "y"}));
  // The other way round the named layer is the one that is left out.
  PrecisionOptions others = quantized->trial.candidate.options;
  others.node_formats.erase("fc");
  EXPECT_THAT(exported(others).bytes, HasSubstr("skip_layers: \"fc\""));
}

struct RefusedRow {
  void (*change)(QuantizeOptions& options);
  const char* message;
};

TEST(AmctPointsTest, WhatAtcCannotDoIsRefused) {
  const RefusedRow rows[] = {
      {[](QuantizeOptions& options) { options.mode = QuantizeMode::kOnly; }, "--quantize=only: "},
      {[](QuantizeOptions& options) { options.method = "mse"; }, "--calibration_method=mse: "},
      {[](QuantizeOptions& options) {
         options.given = SharedQuantization(Quantization{.activations = {{"pixels", {}}}});
       },
       "--quantization: ATC takes no ranges"}};
  const Model model = Digits();
  for (const RefusedRow& row : rows) {
    TuneOptions options = Options();
    row.change(options.quantize);
    try {
      Tune(model, options);
      ADD_FAILURE() << "accepted: " << row.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr(row.message));
    }
  }
}

}  // namespace
}  // namespace halftone
