// Networks whose outputs are all integers or booleans ended in "internal error: the metric was
// computed: rel_l2". Every command that computes, stores or shows an accuracy is run on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "src/accuracy/tensor_file.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "src/ir/tensor.h"
#include "tests/cli/discrete_networks.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ArgMaxEnd;
using ::halftone::testing::Drawn;
using ::halftone::testing::EmptyEnd;
using ::halftone::testing::GreaterEnd;
using ::halftone::testing::IsNanEnd;
using ::halftone::testing::kRows;
using ::halftone::testing::kSamples;
using ::halftone::testing::kWidth;
using ::halftone::testing::MixedEnd;
using ::halftone::testing::ModelWriter;
using ::halftone::testing::NearTies;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::halftone::testing::Scores;
using ::halftone::testing::ShapeEnd;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Network {
  const char* name;
  ModelWriter (*make)();
};

class DiscreteOutputsTest : public ::testing::Test {
 protected:
  DiscreteOutputsTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "work");
    fs::create_directories(folder_ / "bank");
    Tensor inputs(DType::kFloat32, Shape{kSamples * kRows, kWidth});
    const std::vector<float> values = Drawn(inputs.ElementCount(), 3);
    std::ranges::copy(values, inputs.mutable_values<float>().begin());
    WriteFileAtomically(inputs_, FormatNpy(inputs));
  }

  ~DiscreteOutputsTest() override { fs::remove_all(folder_); }

  void Use(const ModelWriter& writer) {
    WriteFileAtomically(model_, writer.model.SerializeAsString());
  }

  // Whatever the end, no bug shows and no number that is none.
  ProcessResult Run(std::vector<std::string> words) {
    words.insert(words.begin(), HALFTONE_BINARY);
    const ProcessResult result =
        RunProcess(words, {{"TUNE_BANK_PATH", (folder_ / "bank").string()},
                           {"ASCEND_CACHE_PATH", (folder_ / "cache").string()},
                           {"ASCEND_WORK_PATH", (folder_ / "work").string()},
                           {"HOME", folder_.string()}});
    const std::string shown = Join(words, " ");
    EXPECT_NE(result.exit_code, 70) << shown << "\n" << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("internal error"))) << shown;
    ExpectNumbers(result.out, shown + ": standard output");
    ExpectNumbers(result.err, shown + ": standard error");
    return result;
  }

  ProcessResult Done(const std::vector<std::string>& words) {
    ProcessResult result = Run(words);
    EXPECT_EQ(result.exit_code, 0) << Join(words, " ") << "\n" << result.out << result.err;
    return result;
  }

  ProcessResult Tune(std::vector<std::string> more = {}) {
    return Done(TuneWords(std::move(more)));
  }

  [[nodiscard]] std::vector<std::string> TuneWords(std::vector<std::string> more) const {
    std::vector<std::string> words = {"tune",
                                      "--model=" + model_.string(),
                                      "--inputs=" + inputs_.string(),
                                      "--threads=1",
                                      "--max_trials=6",
                                      "--operator_tuning=off"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // One usage error with the sentence.
  void ExpectRefused(const std::vector<std::string>& words, const std::string& sentence) {
    const ProcessResult result = Run(words);
    EXPECT_EQ(result.exit_code, 2) << Join(words, " ") << "\n" << result.out;
    EXPECT_THAT(result.err, HasSubstr(sentence));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }

  static void ExpectNumbers(const std::string& text, const std::string& what) {
    static const std::regex kNone(R"((^|[^A-Za-z_])-?(nan|inf)([^A-Za-z_]|$))", std::regex::icase);
    std::smatch found;
    // The operator's name is none.
    const std::string without = std::regex_replace(text, std::regex("is_nan|IsNaN"), "");
    EXPECT_FALSE(std::regex_search(without, found, kNone)) << what << ": " << text;
  }

  void ExpectReports(const fs::path& output) {
    for (const char* name : {"report.md", "front.json", "front.csv", "junit.xml", "report.html"}) {
      const std::string text = ReadFile(output / name);
      EXPECT_THAT(text, HasSubstr("agreement")) << name;
      if (std::string_view(name) != "report.html") {  // which holds a library of charts
        ExpectNumbers(text, name);
      }
    }
  }

  fs::path folder_ = fs::path(::testing::TempDir()) /
                     ("halftone_discrete_outputs_" +
                      std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
  fs::path model_ = folder_ / "model.onnx";
  fs::path inputs_ = folder_ / "x.npy";
};

TEST_F(DiscreteOutputsTest, RunSaysAgreement) {
  const Network networks[] = {{"ArgMax", ArgMaxEnd},
                              {"IsNaN", IsNanEnd},
                              {"Greater", GreaterEnd},
                              {"Shape", ShapeEnd},
                              {"Empty", EmptyEnd}};
  for (const Network& network : networks) {
    SCOPED_TRACE(network.name);
    Use(network.make());
    for (const char* mode : {"force_fp16", "must_keep_origin_dtype"}) {
      const ProcessResult result =
          Done({"run", "--model=" + model_.string(), "--inputs=" + inputs_.string(), "--threads=1",
                std::string("--precision_mode=") + mode});
      EXPECT_TRUE(std::regex_search(result.out, std::regex("agreement +mean [0-9.]+ %")))
          << result.out;
      EXPECT_THAT(result.out, Not(HasSubstr("sqnr_db")));
    }
    // Of random data too.
    EXPECT_THAT(Done({"run", "--model=" + model_.string(), "--threads=1"}).out,
                HasSubstr("agreement        mean 100 %"));
  }
}

TEST_F(DiscreteOutputsTest, TuneWritesItsReports) {
  const Network networks[] = {{"ArgMax", ArgMaxEnd},
                              {"IsNaN", IsNanEnd},
                              {"Greater", GreaterEnd},
                              {"Shape", ShapeEnd},
                              {"Empty", EmptyEnd}};
  for (const Network& network : networks) {
    SCOPED_TRACE(network.name);
    Use(network.make());
    const fs::path output = folder_ / ("out_" + std::string(network.name));
    const ProcessResult result = Tune({"--output=" + output.string(), "--no_bank"});
    EXPECT_THAT(result.out, HasSubstr("agreement mean"));
    EXPECT_THAT(result.out, Not(HasSubstr("SQNR")));
    ExpectReports(output);
    const auto json = nlohmann::json::parse(ReadFile(output / "front.json"));
    EXPECT_EQ(json.at("metric").at("name"), "agreement");
    EXPECT_EQ(json.at("metric").at("reference"), 1);
    for (const auto& point : json.at("front")) {
      EXPECT_FALSE(point.at("accuracy").contains("rel_l2"));
      EXPECT_GE(point.at("accuracy").at("agreement").at("mean"), 0);
      EXPECT_LE(point.at("accuracy").at("agreement").at("mean"), 1);
    }
  }
}

// The floating output alone is the metric; the classes beside it may differ.
TEST_F(DiscreteOutputsTest, TheMetricOfOneOutputIsBoundedAndGated) {
  Use(MixedEnd());
  const ProcessResult result = Tune({"--no_bank", "--metric=scores:sqnr_db", "--min_metric=20",
                                     "--confidence=none", "--fail_if=metric<20"});
  EXPECT_THAT(result.out, HasSubstr("scores:sqnr_db (fp32 exact)"));
  EXPECT_THAT(result.out, HasSubstr("Chosen: point"));
  EXPECT_THAT(result.out, HasSubstr("gate metric<20: passed"));
  const ProcessResult wrong =
      Run(TuneWords({"--no_bank", "--metric=score:sqnr_db", "--min_metric=20"}));
  EXPECT_EQ(wrong.exit_code, 2) << wrong.err;
  EXPECT_THAT(wrong.err, HasSubstr("--metric=score:sqnr_db: the network has no output 'score'; "
                                   "its outputs are "));
}

TEST_F(DiscreteOutputsTest, EveryStrategySearchesThem) {
  Use(NearTies());
  EXPECT_THAT(Done({"run", "--model=" + model_.string(), "--inputs=" + inputs_.string(),
                    "--threads=1", "--precision_mode=force_fp16"})
                  .out,
              Not(HasSubstr("mean 100 %")));
  for (const char* strategy : {"model", "greedy", "bisect", "nsga2", "exhaustive", "random"}) {
    SCOPED_TRACE(strategy);
    const ProcessResult result =
        Tune({"--no_bank", "--precision_mode=force_fp16", std::string("--strategy=") + strategy});
    EXPECT_THAT(result.out, HasSubstr("agreement"));
    EXPECT_THAT(result.out, HasSubstr("Chosen: point"));
  }
}

// No NaN is there in float32 or float16: all plans agree in all, which meets any bound.
TEST_F(DiscreteOutputsTest, WhatAgreesInAllMeetsTheBound) {
  Use(IsNanEnd());
  const ProcessResult result =
      Tune({"--no_bank", "--min_agreement=1", "--confidence=none", "--fail_if=agreement<1"});
  EXPECT_THAT(result.out, HasSubstr("at 100 % agreement (the fastest that meets an agreement of "
                                    "at least 1 on the samples; nothing is promised of others)"));
  EXPECT_THAT(result.out, HasSubstr("gate agreement<1: passed; expected agreement of at least 1, "
                                    "found 1"));
}

// Plans of this network tie, so the front has one of float16 or float32 itself, which is promised
// always.
TEST_F(DiscreteOutputsTest, HeldOutSamplesPromiseAgreement) {
  Use(IsNanEnd());
  const fs::path output = folder_ / "out";
  const std::string float32 = "Promised: its outputs are those of float32";
  const ProcessResult result = Tune(
      {"--no_bank", "--heldout_share=0.5", "--min_agreement=0.3", "--output=" + output.string()});
  EXPECT_THAT(result.out, AnyOf(HasSubstr("Promised: the agreement on new samples is at least "),
                                HasSubstr(float32)));
  EXPECT_THAT(ReadFile(output / "report.html"), HasSubstr("an agreement of at least 0.3"));
  EXPECT_THAT(ReadFile(output / "report.html"), HasSubstr("data-verdict=\"promised\""));
  // Three samples promise no 99 %: another point than float32 is chosen on them.
  const ProcessResult more =
      Run(TuneWords({"--no_bank", "--heldout_share=0.5", "--min_agreement=0.99"}));
  EXPECT_THAT(more.err, HasSubstr("promise: --min_agreement=0.99: with 3 held-out samples"));
  if (more.out.find(float32) != std::string::npos) {
    EXPECT_EQ(more.exit_code, 0) << more.out;
    EXPECT_THAT(more.out, HasSubstr("verdict: promised\nChosen: point "));
  } else {
    EXPECT_EQ(more.exit_code, 3) << more.out;
    EXPECT_THAT(more.out, HasSubstr("verdict: met on the samples, not promised\nChosen: point "));
    EXPECT_THAT(more.out, HasSubstr("; 299 or more are needed for 99.00 %"));
  }
}

TEST_F(DiscreteOutputsTest, TheKnowledgeBaseAnswersVerifiesAndIsMeasuredAgain) {
  Use(ArgMaxEnd());
  const std::string model = "--model=" + model_.string();
  const std::string inputs = "--inputs=" + inputs_.string();
  Tune({"--precision_mode=force_fp16,force_fp32"});
  const std::vector<std::string> same = {"--precision_mode=force_fp16,force_fp32"};
  EXPECT_THAT(Tune(same).out, HasSubstr("answered from the front"));
  std::vector<std::string> goal = same;
  goal.emplace_back("--goal=min_agreement=0");
  goal.emplace_back("--confidence=none");
  const ProcessResult answered = Tune(goal);
  EXPECT_THAT(answered.out, HasSubstr("answered from the front"));
  EXPECT_THAT(answered.out, HasSubstr("an agreement of at least 0"));
  std::vector<std::string> verify = same;
  verify.emplace_back("--verify");
  EXPECT_THAT(Tune(verify).out, HasSubstr("verified"));
  EXPECT_THAT(Done({"bank", "show", "--op_bank_path=" + (folder_ / "bank").string()}).out,
              HasSubstr("% agreement"));
  EXPECT_THAT(Done({"run", model, inputs, "--threads=1", "--from_bank"}).out,
              HasSubstr("% agreement, plan "));
  const fs::path output = folder_ / "again";
  const ProcessResult retuned = Run({"retune", model, inputs, "--threads=1", "--max_trials=4",
                                     "--operator_tuning=off", "--output=" + output.string()});
  EXPECT_THAT(retuned.exit_code, ::testing::AnyOf(0, 3, 5)) << retuned.err;
  EXPECT_THAT(retuned.out, HasSubstr("agreement then"));
  EXPECT_THAT(ReadFile(output / "retune.md"), HasSubstr("agreement then"));
  EXPECT_TRUE(nlohmann::json::parse(ReadFile(output / "retune.json"))
                  .at("points")
                  .at(0)
                  .at("after")
                  .at("accuracy")
                  .contains("agreement"));
  Done({"bank", "prune", "--dominated", "--superseded",
        "--op_bank_path=" + (folder_ / "bank").string()});
  Done({"bank", "verify", "--op_bank_path=" + (folder_ / "bank").string()});
}

TEST_F(DiscreteOutputsTest, ABoundComesBackFromFrontJsonAndTheBank) {
  Use(IsNanEnd());
  const fs::path output = folder_ / "out";
  Tune({"--min_agreement=0.25", "--heldout_share=0.5", "--output=" + output.string()});
  for (const std::string& front :
       {"--front=" + (output / "front.json").string(), std::string("--max_trials=6")}) {
    const ProcessResult retuned =
        Run({"retune", "--model=" + model_.string(), "--inputs=" + inputs_.string(),
             "--heldout_share=0.5", "--threads=1", "--no_search", "--operator_tuning=off", front});
    EXPECT_THAT(retuned.out, HasSubstr("--min_agreement=0.25 ")) << front << retuned.err;
  }
}

TEST_F(DiscreteOutputsTest, AoeTunesThem) {
  for (const auto& make : {ArgMaxEnd, GreaterEnd, ShapeEnd}) {
    Use(make());
    for (const char* job : {"--job_type=1", "--job_type=2"}) {
      const ProcessResult result =
          Done({"aoe", "--framework=5", "--model=" + model_.string(),
                "--inputs=" + inputs_.string(), job, "--max_trials=4", "--threads=1"});
      EXPECT_THAT(result.err, Not(HasSubstr("sqnr")));
    }
  }
}

TEST_F(DiscreteOutputsTest, OptionsForFloatingOutputsAreOneSentence) {
  Use(ArgMaxEnd());
  const std::string why =
      " compares floating outputs, and this network has none: its outputs are 'best' (int64); ";
  ExpectRefused(TuneWords({"--no_bank", "--max_rel_l2=0.01"}),
                "--max_rel_l2=0.01: rel_l2" + why + "use min_agreement");
  ExpectRefused(TuneWords({"--no_bank", "--min_sqnr_db=40"}),
                "--min_sqnr_db=40: sqnr_db" + why + "use min_agreement");
  ExpectRefused(TuneWords({"--no_bank", "--goal=max_top1_drop=0.1"}),
                "--max_top1_drop=0.1: top1_agreement" + why + "use min_agreement");
  ExpectRefused(TuneWords({"--no_bank", "--fail_if=sqnr_db_worst<40"}),
                "--fail_if=sqnr_db_worst<40: sqnr_db" + why + "use agreement");
  ExpectRefused(TuneWords({"--no_bank", "--fail_if=top1_drop>0.1"}),
                "--fail_if=top1_drop>0.1: top1_agreement" + why + "use agreement");
  for (const char* command : {"tune", "run", "retune"}) {
    ExpectRefused({command, "--model=" + model_.string(), "--inputs=" + inputs_.string(),
                   "--threads=1", "--metric=cosine"},
                  "--metric=cosine" + why + "leave it out, or use --metric=agreement");
  }
}

TEST_F(DiscreteOutputsTest, OptionsForDiscreteOutputsAreOneSentenceElsewhere) {
  ModelWriter writer = Scores();
  writer.Output("scores");
  Use(writer);
  const std::string why =
      " compares integer and boolean outputs, and this network has none: its outputs are 'scores' "
      "(float32); ";
  ExpectRefused(
      TuneWords({"--no_bank", "--min_agreement=0.9"}),
      "--min_agreement=0.9: agreement" + why + "use min_sqnr_db, max_rel_l2 or max_top1_drop");
  ExpectRefused(TuneWords({"--no_bank", "--fail_if=agreement<0.9"}),
                "--fail_if=agreement<0.9: agreement" + why + "use sqnr_db");
  ExpectRefused(TuneWords({"--no_bank", "--metric=agreement"}),
                "--metric=agreement" + why + "leave it out, or use --metric=rel_l2");
}

// Floating outputs are judged as ever; what the others differ by is reported, and may be bounded.
TEST_F(DiscreteOutputsTest, MixedOutputsKeepTheirFloatMetrics) {
  Use(MixedEnd());
  const ProcessResult run =
      Done({"run", "--model=" + model_.string(), "--inputs=" + inputs_.string(), "--threads=1",
            "--precision_mode=force_fp16"});
  EXPECT_THAT(run.out, HasSubstr("sqnr_db"));
  EXPECT_THAT(run.out, HasSubstr("rel_l2"));
  EXPECT_TRUE(std::regex_search(run.out, std::regex("agreement +mean [0-9.]+ %"))) << run.out;
  const fs::path output = folder_ / "out";
  const ProcessResult tuned = Tune({"--no_bank", "--min_sqnr_db=20", "--min_agreement=0.1",
                                    "--confidence=none", "--output=" + output.string()});
  EXPECT_THAT(tuned.out, HasSubstr("SQNR mean"));
  const auto json = nlohmann::json::parse(ReadFile(output / "front.json"));
  EXPECT_FALSE(json.contains("metric"));
  EXPECT_EQ(json.at("constraints").at("min_agreement"), 0.1);
  for (const auto& point : json.at("front")) {
    EXPECT_TRUE(point.at("accuracy").contains("rel_l2"));
    EXPECT_TRUE(point.at("accuracy").contains("agreement"));
  }
  EXPECT_THAT(Tune({"--no_bank", "--metric=agreement"}).out, HasSubstr("agreement (fp32 100 %)"));
}

TEST_F(DiscreteOutputsTest, TheUsersOwnProgramJudgesThem) {
  Use(ArgMaxEnd());
  testing::WriteScript(folder_ / "score.sh", "test -f $1/outputs/0_0.npy && echo 0.5");
  const ProcessResult result =
      Tune({"--no_bank", "--metric=command:" + (folder_ / "score.sh").string(),
            "--metric_better=lower"});
  EXPECT_THAT(result.out, HasSubstr("agreement mean"));
}

TEST_F(DiscreteOutputsTest, LabelsAreRefusedWithTheReason) {
  Use(ArgMaxEnd());
  Tensor labels(DType::kInt64, Shape{kSamples, kRows});
  WriteFileAtomically(folder_ / "labels.npy", FormatNpy(labels));
  const ProcessResult result =
      Run({"run", "--model=" + model_.string(), "--inputs=" + inputs_.string(),
           "--labels=" + (folder_ / "labels.npy").string()});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("all outputs of this network are integers or booleans"));
}

}  // namespace
}  // namespace halftone
