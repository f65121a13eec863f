#include "src/accuracy/user_metric.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <stdexcept>

#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::WriteScript;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string MessageOf(const std::function<void()>& body, ErrorKind kind) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

std::string RefusalOf(const MetricArguments& arguments) {
  return MessageOf([&] { ChooseMetric(arguments); }, ErrorKind::kUsage);
}

TEST(ChooseMetricTest, BuiltInOnesKnowTheirDirection) {
  EXPECT_TRUE(ChooseMetric({}).is_default());
  EXPECT_EQ(ChooseMetric({.metric = "top5"}).better, Better::kHigher);
  EXPECT_EQ(ChooseMetric({.metric = "max_abs"}).better, Better::kLower);
  EXPECT_FALSE(ChooseMetric({.metric = "top1"}).is_default());
}

TEST(ChooseMetricTest, CommandsAreWords) {
  const LossMetric metric = ChooseMetric(
      {.metric = "command:python3  score.py;rm --x=$Y", .better = "lower", .timeout_s = 2});
  EXPECT_EQ(metric.command, (std::vector<std::string>{"python3", "score.py;rm", "--x=$Y"}));
  EXPECT_EQ(metric.name, "command:python3  score.py;rm --x=$Y");
  EXPECT_EQ(metric.better, Better::kLower);
  EXPECT_EQ(metric.timeout_s, 2);
}

TEST(ChooseMetricTest, Refusals) {
  const std::string unknown = RefusalOf({.metric = "top2"});
  EXPECT_THAT(unknown, StartsWith("--metric=top2: expected one of sqnr_db, rel_l2, "));
  EXPECT_THAT(unknown, EndsWith(", with OUTPUT: before it for one output, or command:PROGRAM"));
  for (const MetricRow& row : AllMetrics()) {
    EXPECT_THAT(unknown, HasSubstr(" " + std::string(row.name) + ", "));
  }
  EXPECT_EQ(RefusalOf({.metric = "top1", .better = "higher"}),
            "--metric_better=higher belongs to --metric=command:PROGRAM; the direction of top1 is "
            "known: leave it out");
  EXPECT_EQ(RefusalOf({.metric = "command:./score"}),
            "--metric=command:./score: add --metric_better=higher or --metric_better=lower, the "
            "direction of your metric");
  EXPECT_EQ(RefusalOf({.metric = "command:./score", .better = "up"}),
            "--metric_better=up: expected higher or lower");
  EXPECT_EQ(RefusalOf({.metric = "command: ", .better = "lower"}),
            "--metric=command: expected a program behind the colon, as in "
            "--metric=command:./score.py");
  EXPECT_EQ(RefusalOf({.metric = "top1", .timeout_s = 0}),
            "--metric_timeout=0: expected a number above 0, at most 86400");
}

Graph TwoHeads() {
  Graph graph;
  graph.outputs = {
      graph.AddValue({.name = "policy:0", .type = {DType::kFloat32, {1, 9}}}),
      graph.AddValue({.name = "move", .type = {DType::kInt64, {1}}}),
  };
  return graph;
}

TEST(ChooseMetricTest, OfOneOutput) {
  const Graph graph = TwoHeads();
  const LossMetric metric = ChooseMetric(MetricArgumentsFor(graph, {.metric = "policy:0:sqnr_db"}));
  EXPECT_EQ(metric.name, "policy:0:sqnr_db");
  EXPECT_EQ(metric.output, "policy:0");
  EXPECT_EQ(metric.better, Better::kHigher);
  EXPECT_TRUE(metric.is_own());
  const auto of_output = OutputMetricOf(graph, metric);
  ASSERT_TRUE(of_output.has_value());
  EXPECT_EQ(of_output->output, 0U);
  EXPECT_EQ(of_output->row, FindMetric("sqnr_db"));
  EXPECT_EQ(OutputMetricOf(graph, ChooseMetric({})), std::nullopt);
  EXPECT_EQ(OutputMetricOf(graph, ChooseMetric({.metric = "move:agreement"}))->output, 1U);
}

TEST(ChooseMetricTest, RefusalsOfOutputs) {
  const Graph graph = TwoHeads();
  const auto refusal = [&](const std::string& name) {
    return MessageOf([&] { MetricArgumentsFor(graph, {.metric = name}); }, ErrorKind::kUsage);
  };
  EXPECT_EQ(refusal("polycy:rel_l2"),
            "--metric=polycy:rel_l2: the network has no output 'polycy'; its outputs are "
            "'policy:0', 'move'");
  EXPECT_EQ(refusal("move:rel_l2"),
            "--metric=move:rel_l2: rel_l2 compares floating outputs, and 'move' is int64; use "
            "--metric=move:agreement");
  EXPECT_EQ(refusal("policy:0:agreement"),
            "--metric=policy:0:agreement: agreement compares integer and boolean outputs, and "
            "'policy:0' is float32; use --metric=policy:0:rel_l2");
  EXPECT_EQ(WhyUndefined(ChooseMetric({.metric = "policy:0:top1"}), true),
            "--metric=policy:0:top1: the labels are of another output; give them as "
            "--labels=policy:0:FILE");
  EXPECT_THAT(WhyUndefined(ChooseMetric({.metric = "policy:0:top1"}), false),
              HasSubstr("there are no labels; give --labels"));
}

TEST(LossInTest, MoreIsLessLoss) {
  Accuracy accuracy;
  accuracy.metrics = {{"top1", 0.75, 0, 0}, {"max_abs", 2, 2, 0}};
  EXPECT_EQ(LossIn(accuracy, ChooseMetric({.metric = "top1"})), -0.75);
  EXPECT_EQ(LossIn(accuracy, ChooseMetric({.metric = "max_abs"})), 2);
  EXPECT_EQ(LossIn(accuracy, ChooseMetric({.metric = "top5"})), std::nullopt);
}

TEST(LossInTest, WhyUndefined) {
  EXPECT_EQ(
      WhyUndefined(ChooseMetric({.metric = "top1"}), false),
      "--metric=top1: there are no labels; give --labels, or choose a metric that compares with "
      "float32");
  EXPECT_EQ(WhyUndefined(ChooseMetric({}), true),
            "no relative error is defined: where this differs from float32, every floating output "
            "of float32 is zero");
  EXPECT_EQ(WhyUndefined(ChooseMetric({.metric = "top5"}), true),
            "--metric=top5: it is defined for no sample of this network (see "
            "docs/internals/measuring.md); "
            "choose another metric");
}

TEST(ParseMetricOutputTest, OneFiniteNumber) {
  EXPECT_THAT(ParseMetricOutput("0.5\n", "p", 3), ElementsAre(0.5));
  EXPECT_THAT(ParseMetricOutput("\t -1e-3 \r\n", "p", 3), ElementsAre(-1e-3));
  EXPECT_THAT(ParseMetricOutput("+2", "p", 1), ElementsAre(2));
  for (const char* text :
       {"", "\n", "accuracy 0.5", "0.5 0.6", "nan", "inf", "0x10", "1,5", "++1"}) {
    EXPECT_THAT(MessageOf([&] { ParseMetricOutput(text, "p", 1); }, ErrorKind::kUnsupported),
                HasSubstr("expected one finite number and nothing else"))
        << text;
  }
  EXPECT_EQ(MessageOf([] { ParseMetricOutput("top1: 5\n", "./s", 1); }, ErrorKind::kUnsupported),
            "--metric=command: './s' printed 'top1: 5\\n' on standard output, expected one finite "
            "number and nothing else");
}

TEST(ParseMetricOutputTest, OneForEachSample) {
  EXPECT_THAT(ParseMetricOutput("0.5\n1\n-2\n", "p", 3), ElementsAre(0.5, 1, -2));
  EXPECT_THAT(ParseMetricOutput("1 2", "p", 2), ElementsAre(1, 2));
  for (const char* text : {"1 2", "1 2 3 4", "1 2 x", "1 2 nan"}) {
    EXPECT_THAT(MessageOf([&] { ParseMetricOutput(text, "p", 3); }, ErrorKind::kUnsupported),
                HasSubstr("expected one finite number, or one for each of the 3 samples and "
                          "nothing else"))
        << text;
  }
}

class UserMetricTest : public ::testing::Test {
 protected:
  // A program of these lines; $1 is the folder.
  std::string Script(const std::string& lines) {
    path_ =
        std::filesystem::path(::testing::TempDir()) /
        ("metric_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    WriteScript(path_, lines);
    return path_.string();
  }

  MetricValue Run(const std::string& program, double timeout_s = 600) {
    const std::vector<std::string> names = {"logits"};
    const auto metric = MakeUserMetric(
        ChooseMetric({.metric = "command:" + program, .better = "higher", .timeout_s = timeout_s}),
        dataset_, names);
    const Tensor reference = Tensor::From<float>({1, 2}, std::vector<float>{1, 2});
    const Tensor actual = Tensor::From<float>({1, 2}, std::vector<float>{1, 3});
    for (std::size_t sample = 0; sample < 2; ++sample) {
      metric->TakeReference(sample, {&reference, 1});
      metric->TakeOutputs(sample, {&actual, 1});
    }
    return metric->Run();
  }

  ~UserMetricTest() override { std::filesystem::remove(path_); }

  Dataset dataset_ = Dataset({{"set[0]", {}}, {"set[1]", {}}});
  std::filesystem::path path_;
};

// The contract as documented: the files, their content, the number of them, the argument's place.
TEST_F(UserMetricTest, TheProgramFindsWhatTheContractSays) {
  const std::string script = Script(
      "test \"$1\" = --weight=2 || exit 9\n"
      "cd \"$2\" || exit 8\n"
      "test \"$(cat samples.txt)\" = \"set[0]\nset[1]\" || exit 7\n"
      "test \"$(cat outputs.txt)\" = logits || exit 6\n"
      "for f in reference/0_0.npy reference/1_0.npy outputs/0_0.npy outputs/1_0.npy; do\n"
      "  test \"$(head -c 6 $f | tail -c 5)\" = NUMPY || exit 5\n"
      "done\n"
      "cmp -s reference/0_0.npy outputs/0_0.npy && exit 4\n"
      "ls reference outputs | grep -c npy");
  const MetricValue value = Run(script + " --weight=2");
  EXPECT_EQ(value.mean, 4);
  EXPECT_EQ(value.name, "command:" + script + " --weight=2");
  EXPECT_EQ(value.worst_sample, -1);
  EXPECT_TRUE(value.values.empty());
}

TEST_F(UserMetricTest, NumbersOfSamplesAreAveraged) {
  const MetricValue value = Run(Script("echo 0.75; echo 0.25"));
  EXPECT_EQ(value.mean, 0.5);
  EXPECT_EQ(value.worst, 0.25) << "higher is better";
  EXPECT_EQ(value.worst_sample, 1);
  EXPECT_THAT(value.values, ElementsAre(0.75, 0.25));
}

TEST_F(UserMetricTest, TheFolderGoesWithIt) {
  const std::string seen = std::string(::testing::TempDir()) + "/folder_of_user_metric";
  const MetricValue value = Run(Script("echo \"$1\" > " + seen + "; echo 1"));
  EXPECT_EQ(value.mean, 1);
  std::string folder = ReadFile(seen);
  folder.pop_back();
  EXPECT_THAT(folder, HasSubstr("halftone_"));
  EXPECT_FALSE(std::filesystem::exists(folder));
  std::filesystem::remove(seen);
}

LossMetric OfFunction(MetricFunction function) {
  MetricArguments arguments{.metric = "function:gain", .better = "higher"};
  arguments.function = std::make_shared<const MetricFunction>(std::move(function));
  return ChooseMetric(arguments);
}

// Two samples with one row of two each; the outputs of the second run differ.
class FunctionMetricTest : public ::testing::Test {
 protected:
  MetricValue Run(MetricFunction function, float actual = 3) {
    const std::vector<std::string> names = {"logits"};
    const auto metric = MakeUserMetric(OfFunction(std::move(function)), dataset_, names);
    std::vector<Tensor> buffer = {Tensor(DType::kFloat32, {1, 2})};
    const auto fill = [&](float first, float second) {
      buffer[0].mutable_values<float>()[0] = first;
      buffer[0].mutable_values<float>()[1] = second;
    };
    for (std::size_t sample = 0; sample < 2; ++sample) {
      fill(1, 2);
      metric->TakeReference(sample, buffer);
      fill(static_cast<float>(sample), actual);
      metric->TakeOutputs(sample, buffer);  // the buffer is used again
    }
    fill(-1, -1);
    return metric->Run();
  }

  Dataset dataset_ = Dataset({{"set[0]", {}}, {"set[1]", {}}}, Labels{{7}, {8}});
};

TEST_F(FunctionMetricTest, ItGetsWhatTheContractSays) {
  const MetricValue value = Run([](const JudgedOutputs& judged) -> std::vector<double> {
    EXPECT_THAT(judged.samples, ElementsAre("set[0]", "set[1]"));
    EXPECT_THAT(judged.outputs, ElementsAre("logits"));
    EXPECT_EQ(judged.values.size(), 2U);
    EXPECT_THAT(judged.references[1][0].values<float>(), ElementsAre(1, 2));
    EXPECT_THAT(judged.values[0][0].values<float>(), ElementsAre(0, 3));
    EXPECT_THAT(judged.values[1][0].values<float>(), ElementsAre(1, 3));
    EXPECT_EQ(judged.labels[1][0], 8);
    return {0.5};
  });
  EXPECT_EQ(value.name, "function:gain");
  EXPECT_EQ(value.mean, 0.5);
  EXPECT_EQ(value.worst_sample, -1);
  EXPECT_TRUE(value.values.empty());
}

TEST_F(FunctionMetricTest, NumbersOfSamplesAreAveraged) {
  const MetricValue value = Run([](const JudgedOutputs&) -> std::vector<double> {
    return {0.75, 0.25};
  });
  EXPECT_EQ(value.mean, 0.5);
  EXPECT_EQ(value.worst_sample, 1);
  EXPECT_THAT(value.values, ElementsAre(0.75, 0.25));
}

TEST_F(FunctionMetricTest, WhatGoesWrongIsOneSentence) {
  const auto message = [&](std::vector<double> values) {
    return MessageOf([&] { Run([&](const JudgedOutputs&) { return values; }); },
                     ErrorKind::kUnsupported);
  };
  EXPECT_EQ(message({}),
            "--metric=function:gain: it gave 0 numbers, expected one finite number, or "
            "one for each of the 2 samples");
  EXPECT_THAT(message({1, 2, 3}), HasSubstr("gave 3 numbers"));
  EXPECT_THAT(message({1, std::nan("")}), HasSubstr("gave a number that is infinite or NaN"));
  EXPECT_EQ(message({1, -1e308}),
            "--metric=function:gain: it gave -1e+308, expected numbers of -1e+100 to 1e+100; scale "
            "it");
  EXPECT_THROW(Run([](const JudgedOutputs&) -> std::vector<double> {
                 throw std::runtime_error("of the caller");
               }),
               std::runtime_error);
}

TEST(ChooseMetricTest, FunctionsHaveANameAndADirection) {
  const LossMetric metric = OfFunction([](const JudgedOutputs&) { return std::vector<double>{1}; });
  EXPECT_EQ(metric.name, "function:gain");
  EXPECT_TRUE(metric.is_own());
  EXPECT_EQ(RowOfValue("function:rel_l2"), nullptr) << "it is no metric of an output";
  MetricArguments arguments{.metric = "gain", .better = "higher"};
  arguments.function = metric.function;
  EXPECT_THAT(RefusalOf(arguments), StartsWith("--metric=gain: a function is named function:NAME"));
  arguments = {.metric = "function:gain"};
  EXPECT_THAT(RefusalOf(arguments), StartsWith("--metric=function:gain: expected one of sqnr_db"))
      << "a name alone is no function";
  arguments.function = metric.function;
  EXPECT_THAT(RefusalOf(arguments), HasSubstr("add --metric_better=higher"));
}

TEST_F(UserMetricTest, WhatGoesWrongIsOneSentence) {
  EXPECT_EQ(MessageOf([&] { Run("/no/such/program"); }, ErrorKind::kUsage),
            "--metric=command: '/no/such/program' cannot be started: No such file or directory");
  const std::string fails = Script("echo reading >&2; echo 'no numpy here' >&2; echo 5; exit 2");
  EXPECT_EQ(MessageOf([&] { Run(fails); }, ErrorKind::kUnsupported),
            "--metric=command: '" + fails + "' ended with exit code 2: 'no numpy here'");
  const std::string silent = Script("exit 1");
  EXPECT_THAT(MessageOf([&] { Run(silent); }, ErrorKind::kUnsupported),
              HasSubstr("exit code 1: it says nothing on standard error"));
  const std::string slow = Script("sleep 1000");
  EXPECT_EQ(MessageOf([&] { Run(slow, 0.2); }, ErrorKind::kUnsupported),
            "--metric=command: '" + slow +
                "' took longer than 0.2 s and was stopped; give it more with --metric_timeout");
  EXPECT_THAT(MessageOf([&] { Run(Script("echo 1e308")); }, ErrorKind::kUnsupported),
              HasSubstr("it gave 1e+308, expected numbers of -1e+100 to 1e+100"));
  EXPECT_THAT(MessageOf([&] { Run(Script("echo accuracy")); }, ErrorKind::kUnsupported),
              HasSubstr("printed 'accuracy\\n' on standard output"));
}

}  // namespace
}  // namespace halftone
