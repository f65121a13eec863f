// explain --tensor as a user gives it, on the example network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "src/base/output_file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

class ExplainTensorTest : public ::testing::Test {
 protected:
  // One run for all tests: whatever its points are, its histograms are there.
  static void SetUpTestSuite() {
    fs::remove_all(Front());
    const ProcessResult tuned = Halftone(
        {"tune", "--model=" + Digits("model.onnx"), "--inputs=" + Digits("search_inputs.npy"),
         "--max_samples=40", "--threads=1", "--max_trials=4", "--operator_tuning=off", "--no_bank",
         "--quantize=on", "--output=" + Front().string()});
    ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  }

  static void TearDownTestSuite() { fs::remove_all(Front()); }

  static fs::path Front() { return ::testing::TempDir() + "halftone_explain_tensor_front"; }

  static std::string Histograms() {
    return "--histograms=" + (Front() / "histograms.json").string();
  }

  static ProcessResult Explain(const Words& options) {
    Words words = {"explain", "--model=" + Digits("model.onnx")};
    words.insert(words.end(), options.begin(), options.end());
    return Halftone(words);
  }
};

TEST_F(ExplainTensorTest, ATensorHasItsHistogramAndItsReaders) {
  const ProcessResult result = Explain({Histograms(), "--tensor=stem/relu_output"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("tensor         stem/relu_output, float32 1x16x8x8\n"
                                     "made by        stem/relu (Relu)\n"
                                     "read by        widen/conv\n"
                                     "range kept     0 to "));
  // Of one tensor by `auto`, or the method that is better on the whole network.
  EXPECT_THAT(result.out, ContainsRegex("method +[a-z0-9:.]+(, chosen by auto)? on 30 samples\n"));
  EXPECT_THAT(result.out, HasSubstr(" % of the energy\n"));
  EXPECT_THAT(result.out, HasSubstr("histogram, bars logarithmic: # kept, x clipped\n"));
  EXPECT_THAT(result.out, HasSubstr("\nwiden/conv/weight "));
}

TEST_F(ExplainTensorTest, AWeightIsShownChannelByChannel) {
  const ProcessResult result = Explain({Histograms(), "--tensor=widen/conv/weight"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("weight         widen/conv/weight\n"
                                     "read by        widen/conv (Conv2D)\n"
                                     "channels       32\n"
                                     "scales         least 0.001686, median 0.003296, largest "
                                     "0.004225 (int8)\n"
                                     "largest/least  2.51\n"));
  EXPECT_THAT(result.out, HasSubstr("\n      31 "));
}

// Pixels from 0 to 0.51, of 0 to 1.
constexpr std::string_view kNarrow =
    R"({"schema_version": 1, "tool": {"name": "halftone", "version": "0"}, "model_hash": null,
 "calibration": {"method": "mine", "samples": 0, "data_hash": null}, "per_channel_weights": true,
 "activations": {"pixels": {"scale": 0.002, "zero_point": 0, "dtype": "uint8"}},
 "weights": {}, "bias_shifts": {}, "operators": {"stem/conv": "int8 to float32"}})";

TEST_F(ExplainTensorTest, ThePointFindsTheHistogramsOfItsRun) {
  const fs::path point = Front() / "point_7";
  fs::create_directories(point);
  WriteFileAtomically(point / "arguments.txt", "--quantization=quantization.json\n");
  WriteFileAtomically(point / "quantization.json", std::string(kNarrow));
  const ProcessResult beside = Explain({"--point=" + point.string(), "--tensor=pixels"});
  EXPECT_EQ(beside.exit_code, 0) << beside.err;
  EXPECT_THAT(beside.err, HasSubstr("note: histograms are those of " +
                                    (Front() / "histograms.json").string() + "\n"));
  EXPECT_THAT(beside.out, HasSubstr("range kept     0 to 0.51; scale 0.002, zero point 0 (uint8)\n"
                                    "method         given scale; seen on 30 samples\n"
                                    "seen           0 to 1\n"
                                    "clipped        29.7 % of the values, 16.6 % of the energy\n"))
      << "571 of the 1920 pixels, by the histogram and the point's scale";
  EXPECT_THAT(beside.out, HasSubstr(" clipped\n"));
  // The scale stays where samples show the values.
  const ProcessResult now =
      Explain({"--quantization=" + (point / "quantization.json").string(), "--tensor=pixels",
               "--calibration_inputs=" + Digits("heldout_inputs.npy")});
  EXPECT_EQ(now.exit_code, 0) << now.err;
  EXPECT_THAT(now.out, HasSubstr("range kept     0 to 0.51; scale 0.002, zero point 0 (uint8)\n"
                                 "method         given scale; seen on 64 samples\n"));
  // And where nothing does.
  const ProcessResult alone =
      Explain({"--quantization=" + (point / "quantization.json").string(), "--tensor=pixels"});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_THAT(alone.err, HasSubstr("note: there is no histogram of these scales"));
  EXPECT_THAT(alone.out, Not(HasSubstr("histogram")));
  EXPECT_THAT(alone.out, HasSubstr("\nstem/conv/weight "));
}

TEST_F(ExplainTensorTest, WithoutScalesTheSamplesAreCalibrated) {
  const ProcessResult result =
      Explain({"--tensor=pixels", "--calibration_inputs=" + Digits("heldout_inputs.npy"),
               "--calibration_method=minmax"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("range kept     0 to 1; scale 0.003922, zero point 0 (uint8)\n"
                                    "method         minmax on 64 samples\n"
                                    "seen           0 to 1\n"
                                    "clipped        0 % of the values, 0 % of the energy\n"));
}

TEST_F(ExplainTensorTest, ATableAndJsonAndCsv) {
  const ProcessResult table = Explain({Histograms(), "--tensors"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out,
              ContainsRegex("^21 tensors were calibrated by [a-z0-9:.]+ on 30 samples[.]\n"));
  const ProcessResult json = Explain({Histograms(), "--tensor=pixels", "--format=json"});
  const auto document = nlohmann::json::parse(json.out);
  ASSERT_EQ(document.at("tensors").size(), 1U);
  std::uint64_t total = 0;
  for (const auto& count : document["tensors"][0]["histogram"]["counts"]) {
    total += count.get<std::uint64_t>();
  }
  EXPECT_EQ(total, 30U * 64) << "pixels of the calibration";
  EXPECT_EQ(document.at("weights").at(0).at("name"), "stem/conv/weight");
  const ProcessResult csv = Explain({Histograms(), "--tensor=pixels", "--format=csv"});
  EXPECT_THAT(csv.out, StartsWith("from,to,values,clipped\n0,0.00390625,"));
  const ProcessResult channels = Explain({Histograms(), "--tensor=head/fc/weight", "--format=csv"});
  EXPECT_THAT(channels.out, StartsWith("first_channel,last_channel,lowest,highest,scale\n0,0,"));
  EXPECT_EQ(std::ranges::count(channels.out, '\n'), 11);
}

struct Refused {
  Words options;
  std::string message;
};

TEST_F(ExplainTensorTest, WrongOptionsAreOneSentence) {
  const fs::path damaged = Front() / "damaged.json";
  WriteFileAtomically(damaged, "{\"schema_version\": 1}");
  for (const auto& [options, message] : std::initializer_list<Refused>{
           {{Histograms(), "--tensor=stem/relu_outputt"},
            "error: --tensor='stem/relu_outputt': the network has no tensor of this name; close: "
            "'stem/relu_output'"},
           {{Histograms(), "--tensor=stem/c"},
            "the network has no tensor of this name; close: 'stem/conv_output', "
            "'stem/conv/weight'"},
           {{Histograms(), "--tensor=stem/conv"},
            "error: --tensor='stem/conv' is an operator; its result is the tensor "
            "'stem/conv_output'"},
           {{Histograms(), "--tensor=probabilities"}, "error: --tensor='probabilities'"},
           {{"--tensor=pixels"},
            "error: --tensor and --tensors show scales, and nothing gives any"},
           {{Histograms(), "--tensor=pixels", "--tensors"},
            "error: --tensor shows one tensor and --tensors all of them: leave one of them out"},
           {{Histograms(), "--tensors", "--steps"}, "error: --tensors and --steps exclude each"},
           {{Histograms(), "--tensor=pixels", "--node=x"},
            "--tensor and --node exclude each other"},
           {{Histograms()}, "error: --histograms is of --tensor and --tensors"},
           {{Histograms(), "--tensors", "--calibration_inputs=x.npy"},
            "error: --histograms has what --calibration_inputs would show"},
           {{"--tensors", "--calibration_method=best", "--calibration_inputs=x.npy"}, "'best'"},
           {{"--tensors", "--histograms=" + damaged.string()},
            "damaged.json: expected the key 'tool', found none of this name"},
           {{"--tensors", "--histograms=/nonexistent/h.json"}, "/nonexistent/h.json"}}) {
    const ProcessResult result = Explain(options);
    EXPECT_NE(result.exit_code, 0) << options.back();
    EXPECT_THAT(result.err, HasSubstr(message)) << options.back();
    EXPECT_EQ(result.out, "") << options.back();
  }
}

// An earlier run's file does not stay beside the reports of one that quantised nothing.
TEST_F(ExplainTensorTest, TheFileOfAnEarlierRunIsRemoved) {
  const fs::path folder = ::testing::TempDir() + "halftone_explain_tensor_again";
  fs::remove_all(folder);
  fs::copy(Front(), folder, fs::copy_options::recursive);
  const ProcessResult tuned = Halftone(
      {"tune", "--model=" + Digits("model.onnx"), "--inputs=" + Digits("search_inputs.npy"),
       "--max_samples=5", "--threads=1", "--max_trials=2", "--operator_tuning=off", "--no_bank",
       "--quantize=off", "--output=" + folder.string()});
  EXPECT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_FALSE(fs::exists(folder / "histograms.json"));
  EXPECT_THAT(ReadFile(folder / "report.html"), Not(HasSubstr("Tensors in 8 bits")));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace halftone
