// Networks with a configuration: where it comes from, and what the functions that take one return.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>

#include "halftone/halftone.h"
#include "src/base/temporary_folder.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::halftone::testing::SourceDir;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::filesystem::path kDigits = SourceDir() / "examples/digits";

ModelOptions Model() {
  return {.path = kDigits / "model.onnx"};
}

Configuration Mode(const std::string& mode) {
  Configuration configuration;
  configuration.precision.precision_mode = mode;
  return configuration;
}

DatasetOptions Samples() {
  return {.inputs = (kDigits / "search_inputs.npy").string(), .max_samples = 4};
}

MeasureSettings Untimed() {
  MeasureSettings settings;
  settings.threads = 1;
  settings.latency = false;
  return settings;
}

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string DigestOf(const ConfiguredNetwork& network) {
  return Run(network, Samples(), Untimed()).by_shape.at(0).plan_digest;
}

TEST(ConfiguredNetworkTest, FiguresAreThoseOfTheConfiguration) {
  const Figures half = halftone::Run({Model(), Mode("force_fp16")}, Samples(), Untimed());
  ASSERT_THAT(half.by_shape, SizeIs(1));
  const RunFigures& run = half.by_shape[0];
  EXPECT_EQ(run.input_shapes, "pixels:1,1,8,8");
  EXPECT_THAT(run.configuration, HasSubstr("force_fp16"));
  EXPECT_EQ(run.samples, 4);
  EXPECT_TRUE(run.representative);
  EXPECT_FALSE(run.speed_up) << "it was not timed";
  EXPECT_THAT(run.plan_digest, SizeIs(32));
  EXPECT_FALSE(run.low_precision_nodes.empty());
  const auto sqnr = std::ranges::find(run.accuracy, "sqnr_db", &MetricFigures::name);
  ASSERT_NE(sqnr, run.accuracy.end());
  // An element rounds by at most 2^-11 of itself at each of some ten layers: far above 30 dB, and
  // below the 138 dB of float32's own rounding.
  EXPECT_GT(sqnr->mean, 30);
  EXPECT_LT(sqnr->mean, 138);
  EXPECT_LE(sqnr->worst, sqnr->mean);

  const Figures whole =
      halftone::Run({Model(), Mode("must_keep_origin_dtype")}, Samples(), Untimed());
  EXPECT_NE(whole.by_shape.at(0).plan_digest, run.plan_digest);
  EXPECT_THAT(whole.by_shape[0].low_precision_nodes, IsEmpty());
}

TEST(ConfiguredNetworkTest, ExplanationNamesTheRule) {
  const ConfiguredNetwork network(Model(), Mode("force_fp16"));
  EXPECT_THAT(network.input_shapes(), ElementsAre("pixels:1,1,8,8"));
  EXPECT_THAT(Explain(network).text, HasSubstr("force_fp16"));
  EXPECT_THAT(Explain(network, {.format = "json"}).text, HasSubstr(DigestOf(network)));
  EXPECT_THAT(ErrorOf([&] { Explain(network, {.format = "xml"}); }), HasSubstr("xml"));
}

TEST(ConfiguredNetworkTest, WrittenOptionsAreAPointOfTheSamePlan) {
  const TemporaryFolder folder("this test");
  const ConfiguredNetwork network(Model(), Mode("allow_mix_precision"));
  EXPECT_THAT(WriteOptions(network, folder.path() / "point"),
              Contains("--precision_mode=allow_mix_precision"));
  Configuration of_point;
  of_point.point = folder.path() / "point";
  EXPECT_EQ(DigestOf({Model(), of_point}), DigestOf(network));
}

TEST(ConfiguredNetworkTest, NothingStandsBesideAPoint) {
  const TemporaryFolder folder("this test");
  WriteOptions({Model(), Mode("force_fp16")}, folder.path() / "point");
  const auto beside = [&](const std::function<void(Configuration&)>& add) {
    Configuration configuration;
    configuration.point = folder.path() / "point";
    add(configuration);
    return ErrorOf([&] { const ConfiguredNetwork network(Model(), configuration); });
  };
  EXPECT_EQ(beside([](Configuration&) {}), "no error");
  for (const PrecisionArgument& row : kPrecisionArguments) {
    EXPECT_THAT(beside([&](Configuration& given) { given.precision.*row.text = "1"; }),
                HasSubstr(std::string("has a ") + row.name + " of its own"));
  }
  EXPECT_THAT(beside([](Configuration& given) { given.target.soc_version = "Ascend310P3"; }),
              HasSubstr("has a target of its own"));
  EXPECT_THAT(beside([](Configuration& given) { given.target.ops_info = "ops.json"; }),
              HasSubstr("has a ops_info of its own"));
  EXPECT_THAT(beside([](Configuration& given) { given.bank = "bank"; }),
              HasSubstr("has a configuration of its own"));
  EXPECT_THAT(beside([](Configuration& given) { given.select = "fastest"; }),
              HasSubstr("has a configuration of its own"));
  EXPECT_THAT(beside([](Configuration& given) { given.fusion_switch_file = "switches.cfg"; }),
              HasSubstr("has a fusion_switch_file of its own"));
  EXPECT_THAT(beside([](Configuration& given) { given.input_shape = "pixels:2,1,8,8"; }),
              HasSubstr("has a input_shape of its own"));
}

TEST(ConfiguredNetworkTest, OneSourceOfTheConfiguration) {
  Configuration configuration = Mode("force_fp16");
  configuration.bank = "bank";
  EXPECT_THAT(ErrorOf([&] { const ConfiguredNetwork network(Model(), configuration); }),
              HasSubstr("found a bank and precision options"));
  configuration = {};
  configuration.select = "fastest";
  EXPECT_THAT(ErrorOf([&] { const ConfiguredNetwork network(Model(), configuration); }),
              HasSubstr("none is given; give its bank"));
}

TEST(ConfiguredNetworkTest, AStoppedRunSaysSo) {
  const ConfiguredNetwork network(Model(), Mode("force_fp16"));
  EXPECT_TRUE(halftone::Run(network, Samples(), Untimed(), [] { return true; }).interrupted);
  EXPECT_FALSE(halftone::Run(network, Samples(), Untimed()).interrupted);
}

TEST(ConfiguredNetworkTest, ExportWritesItsRecordAndKeepsWhatItPatches) {
  const TemporaryFolder folder("this test");
  const ConfiguredNetwork network(Model(), Mode("force_fp16"));
  const std::filesystem::path file = folder.path() / "net.onnx";
  const WrittenExport written = Export(network, {.format = "onnx-mixed", .file = file});
  EXPECT_THAT(written.files, Contains("net.onnx"));
  EXPECT_TRUE(std::filesystem::exists(file));
  EXPECT_THAT(written.record, HasSubstr(DigestOf(network)));
  EXPECT_THAT(
      ErrorOf([&] { Export(network, {.format = "openvino-ir", .file = file, .patched = file}); }),
      HasSubstr("is the file that is patched"));
  EXPECT_THAT(ErrorOf([&] { Export(network, {.format = "nope", .file = file}); }),
              HasSubstr("nope"));
}

}  // namespace
}  // namespace halftone
