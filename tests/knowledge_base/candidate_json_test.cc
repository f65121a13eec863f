#include "knowledge_base/candidate_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

TEST(CandidateJsonTest, Golden) {
  Candidate candidate;
  candidate.options = {.precision_mode = "force_fp16",
                       .precision_mode_v2 = {},
                       .keep_dtype = {"conv1", "\"q\""},
                       .op_precision_given = true,
                       .impl_mode_by_node = {{"exp1", ImplMode::kHighPerformance}},
                       .impl_mode_by_type = {{"Conv2D", ImplMode::kHighPrecision}},
                       .op_select_implmode = "high_precision",
                       .optypelist_for_implmode = {"Pow"}};
  const std::string text =
      R"({"impl_mode_by_node":{"exp1":"high_performance"},)"
      R"("impl_mode_by_type":{"Conv2D":"high_precision"},"keep_dtype":["conv1","\"q\""],)"
      R"("op_precision_given":true,"op_select_implmode":"high_precision",)"
      R"("optypelist_for_implmode":["Pow"],"precision_mode":"force_fp16","schema":1})";
  EXPECT_EQ(CandidateToJson(candidate), text);
  EXPECT_EQ(CandidateFromJson(text), candidate);
}

TEST(CandidateJsonTest, DefaultsAreLeftOut) {
  EXPECT_EQ(CandidateToJson({}), R"({"schema":1})");
  EXPECT_EQ(CandidateFromJson(R"({"schema":1})"), Candidate{});
  Candidate v2;
  v2.options.precision_mode_v2 = "origin";
  EXPECT_EQ(CandidateFromJson(CandidateToJson(v2)), v2);
}

// Set and kept apart: every field that later versions added to PrecisionOptions.
TEST(CandidateJsonTest, GoldenOfFilesAndTexts) {
  Candidate candidate;
  candidate.options = {
      .modify_mixlist = Mixlist{.white = {{"Exp"}, {"Pow"}}, .gray = {{"Add", "Mul"}, {}}},
      .customize_dtypes = {{.target = "conv1",
                            .inputs = {DType::kFloat16, std::nullopt, DType::kBFloat16},
                            .outputs = {DType::kInt8}},
                           {.target = "Conv2D", .is_type = true}},
      .allow_hf32 = "true",
      .output_type = "out:0:FP16",
      .input_fp16_nodes = {"x"},
      .is_weight_clip = "0",
      .status_check = "1",
      .graph_run_mode = "1",
      .node_formats = {{"conv1", "float32_m10"}}};
  const std::string text =
      R"({"allow_hf32":"true","customize_dtypes":[{"inputs":["float16",null,"bfloat16"],)"
      R"("node":"conv1","outputs":["int8"]},{"inputs":[],"outputs":[],"type":"Conv2D"}],)"
      R"("graph_run_mode":"1","input_fp16_nodes":["x"],"is_weight_clip":"0",)"
      R"("modify_mixlist":{"gray":{"to_add":["Add","Mul"]},"white":{"to_add":["Exp"],)"
      R"("to_remove":["Pow"]}},"node_formats":[["conv1","float32_m10"]],"output_type":"out:0:FP16","schema":1,"status_check":"1"})";
  EXPECT_EQ(CandidateToJson(candidate), text);
  EXPECT_EQ(CandidateFromJson(text), candidate);
}

// protobuf hands such names on. A network with them could not be tuned into a bank: "a stored list
// of names is damaged".
TEST(CandidateJsonTest, NamesThatAreNotUtf8AreKeptAsTheyAre) {
  Candidate candidate;
  candidate.options = {.keep_dtype = {"conv\xff", "conv"},
                       .impl_mode_by_node = {{"exp\xfe", ImplMode::kHighPerformance},
                                             {"exp", ImplMode::kHighPrecision}},
                       .customize_dtypes = {{.target = "\xfd"}}};
  const std::string text =
      R"({"customize_dtypes":[{"inputs":[],"node":{"hex":"fd"},"outputs":[]}],)"
      R"("impl_mode_by_node":[["exp","high_precision"],[{"hex":"657870fe"},"high_performance"]],)"
      R"("keep_dtype":[{"hex":"636f6e76ff"},"conv"],"schema":1})";
  EXPECT_EQ(CandidateToJson(candidate), text);
  EXPECT_EQ(CandidateFromJson(text), candidate);
  const std::vector<std::string> names = {"a\xff", "b"};
  EXPECT_EQ(NamesToJson(names), R"([{"hex":"61ff"},"b"])");
  EXPECT_EQ(NamesFromJson(NamesToJson(names)), names);
}

// Stops compiling when PrecisionOptions gains a field: give it a row in candidate_json.cc, a value
// in one of the goldens and a name here.
TEST(CandidateJsonTest, EveryFieldIsKnownHere) {
  [[maybe_unused]] const auto& [mode, mode_v2, keep, given, by_node, by_type, implmode, types,
                                mixlist, customize, hf32, output_type, fp16_inputs, weight_clip,
                                status_check, run_mode, formats, quantization] = PrecisionOptions{};
}

TEST(CandidateJsonTest, ScalesAreKeptToTheBit) {
  Quantization quantization;
  quantization.activations["x"] = {.scale = 0.1F, .zero_point = 3};
  quantization.weights["w"] = {.scales = {0x1.234568p-9F, 1}, .zero_points = {0, -2}};
  quantization.per_channel_weights = false;
  quantization.bias_shifts["conv"] = {-0.3F};
  quantization.channel_factors["x"] = {.axis = 2, .factors = {0.1F, 0x1.8p20F}};
  Candidate candidate;
  candidate.options.node_formats = {{"conv", "qint8"}};
  const QuantizationSource source{.tool_version = "0.1.0",
                                  .model = Hash128{1, 2},
                                  .calibration_data = std::nullopt,
                                  .method = "auto",
                                  .samples = 12};
  candidate.options.quantization = SharedQuantization(quantization, source);
  const Candidate read = CandidateFromJson(CandidateToJson(candidate));
  EXPECT_EQ(read, candidate);
  EXPECT_EQ(*read.options.quantization, quantization);
  EXPECT_EQ(read.options.quantization.source(), source);
  EXPECT_THAT(CandidateToJson(candidate),
              ::testing::HasSubstr(R"("bias_shifts":[["conv",[-0.30000001192092896]]])"));
}

TEST(CandidateJsonTest, AQuantizationWithoutFactorsIsWrittenAsBefore) {
  Candidate candidate;
  candidate.options.quantization = SharedQuantization(Quantization{});
  const std::string text = CandidateToJson(candidate);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("channel_factors")));
  EXPECT_EQ(CandidateFromJson(text), candidate);
}

TEST(CandidateJsonTest, AMixlistWithoutChangeIsNotNoMixlist) {
  Candidate candidate;
  candidate.options.modify_mixlist.emplace();
  EXPECT_EQ(CandidateToJson(candidate), R"({"modify_mixlist":{},"schema":1})");
  EXPECT_EQ(CandidateFromJson(CandidateToJson(candidate)), candidate);
}

struct BadCase {
  const char* name;
  const char* text;
  const char* message;
};

class BadCandidateJson : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCandidateJson, IsRefused) {
  try {
    CandidateFromJson(GetParam().text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDatabase);
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadCandidateJson,
    ::testing::Values(
        BadCase{"NotJson", "{", "a stored candidate is damaged"},
        BadCase{"NoSchema", "{}", "a stored candidate is damaged"},
        BadCase{"NewerSchema", R"({"schema":2})", "has schema 2, expected 1"},
        BadCase{"UnknownKey", R"({"schema":1,"not_yet":[]})", "unknown option 'not_yet'"},
        BadCase{"UnknownList", R"({"schema":1,"modify_mixlist":{"pink":{}}})",
                "unknown keys in its modify_mixlist"},
        BadCase{"UnknownChange", R"({"schema":1,"modify_mixlist":{"gray":{"to_paint":[]}}})",
                "unknown keys in its modify_mixlist"},
        BadCase{"MixlistIsAList", R"({"schema":1,"modify_mixlist":["gray"]})", "is damaged"},
        BadCase{"EmptyListForMixlist", R"({"schema":1,"modify_mixlist":[]})", "is damaged"},
        BadCase{"UnknownDType",
                R"({"schema":1,"customize_dtypes":[{"node":"a","inputs":["f7"],)"
                R"("outputs":[]}]})",
                "unknown dtype 'f7'"},
        BadCase{"NodeAndType",
                R"({"schema":1,"customize_dtypes":[{"node":"a","type":"b",)"
                R"("inputs":[],"outputs":[]}]})",
                "unknown keys in its customize_dtypes"},
        BadCase{"NoOutputs", R"({"schema":1,"customize_dtypes":[{"node":"a","inputs":[]}]})",
                "is damaged"},
        BadCase{"WrongType", R"({"schema":1,"keep_dtype":"conv1"})", "is damaged"},
        BadCase{"UnknownMode", R"({"schema":1,"impl_mode_by_type":{"Exp":"magic"}})",
                "unknown implementation mode 'magic' for 'Exp'"}),
    [](const auto& param) { return param.param.name; });

TEST(NamesJsonTest, RoundTrip) {
  const std::vector<std::string> names = {"", "a,b", "\"", "\xC3\xA4"};
  EXPECT_EQ(NamesFromJson(NamesToJson(names)), names);
  EXPECT_EQ(NamesToJson({}), "[]");
  EXPECT_THROW(NamesFromJson("{\"a\":1}"), Error);
}

}  // namespace
}  // namespace halftone
