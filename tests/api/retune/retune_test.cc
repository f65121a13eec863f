// What is measured again and what is said of it.
#include "src/api/retune/retune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "knowledge_base/sqlite_store.h"
#include "search/space/decisions.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/precision/resolve/resolve.h"
#include "tests/api/retune/retune_fixture.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::halftone::testing::RetuneTest;
using ::halftone::testing::SourceDir;
using ::halftone::testing::WriteScript;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(RetuneTest, WhatIsFasterHoldsAndNothingIsSearchedWhereNoKernelChanged) {
  Tune(model_, tune_);
  PlantFront(1000, "");
  options_.output = folder_ / "out";
  const RetuneResult result = Retune(model_, options_);
  EXPECT_THAT(result.changes, ElementsAre("halftone 0.0.1 -> " + std::string(Version())));
  ASSERT_FALSE(result.points.empty());
  for (const RetunedPoint& point : result.points) {
    ASSERT_THAT(point.moved, SizeIs(1)) << "accuracy is what it was: the same kernels";
    EXPECT_THAT(point.moved[0], StartsWith("latency: 1000.000 [990.000, 1010.000] -> "));
    EXPECT_THAT(point.moved[0], HasSubstr("faster"));
    EXPECT_EQ(point.after.plan_digest, point.before.plan_digest);
    EXPECT_TRUE(point.after.measurement()->confirmed);
  }
  EXPECT_TRUE(result.holds());
  EXPECT_EQ(result.scope,
            "every operator runs on the kernels that the front was measured with; nothing to "
            "search again");
  EXPECT_FALSE(result.search);
  EXPECT_GT(result.anchor.after_s, 0);

  const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadOnly);
  ASSERT_THAT(store->Workloads(), SizeIs(2));
  const auto fronts = store->Fronts(store->Workloads()[1].key);
  ASSERT_THAT(fronts, SizeIs(1));
  EXPECT_EQ(fronts[0].strategy, "retune");
  EXPECT_EQ(LoadStored(model_, options_.bank, "host", "fastest").trial.plan_digest,
            fronts[0].members[0].plan_digest);

  const auto json = nlohmann::json::parse(ReadFile(folder_ / "out/retune.json"));
  EXPECT_EQ(json["schema_version"], kRetuneJsonSchemaVersion);
  EXPECT_EQ(json["holds"], true);
  EXPECT_EQ(json["points"].size(), result.points.size());
  EXPECT_THAT(ReadFile(folder_ / "out/retune.md"), HasSubstr(" still holds.**"));
}

TEST_F(RetuneTest, WhatIsSlowerDoesNotHold) {
  Tune(model_, tune_);
  PlantFront(0.001, "");
  const RetuneResult result = Retune(model_, options_);
  EXPECT_FALSE(result.holds());
  EXPECT_THAT(result.failures, Contains(HasSubstr(": latency: 0.001 [0.001, 0.001] -> ")));
  EXPECT_THAT(FormatRetune(result), HasSubstr("does not hold: point "));
}

// Float32 beside it became as slow, so that the ratio is better than ever.
TEST_F(RetuneTest, WhatIsSlowInAbsoluteTermsDoesNotHold) {
  Tune(model_, tune_);
  median_s_ = 1e-9;
  PlantFront(1000, "");
  options_.search = false;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_EQ(result.verdict(), RetuneVerdict::kDoesNotHold);
  ASSERT_FALSE(result.points.empty());
  EXPECT_GT(result.points[0].slowdown.value_or(0), kMaxSlowdown);
  EXPECT_THAT(result.failures, Contains(HasSubstr("of when it was shipped")));
  EXPECT_THAT(result.failures, Contains(HasSubstr("at most 2 times is accepted (--max_slowdown)")));
  options_.max_slowdown.reset();
  options_.front.clear();
  EXPECT_EQ(Retune(model_, options_).max_slowdown, std::nullopt);
}

// From 0.001 to 1000: then or now, as fast or a thousand times slower.
TEST_F(RetuneTest, AnIntervalThatAnswersNothingIsInconclusive) {
  Tune(model_, tune_);
  ratio_interval_ = Interval{0.001, 1000};
  PlantFront(1, "");
  options_.search = false;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_EQ(result.verdict(), RetuneVerdict::kInconclusive);
  EXPECT_FALSE(result.holds());
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.undecided, Contains(HasSubstr("too wide to tell whether it is slower")));
}

TEST_F(RetuneTest, OnlyOperatorsOnOtherKernelsAreSearchedAgain) {
  Tune(model_, tune_);
  const Node& node = *std::find_if(model_.graph.nodes.begin(), model_.graph.nodes.end(),
                                   [](const Node& any) { return any.op == OpKind::kConv; });
  PlantFront(1000, node.name);
  options_.max_trials = 60;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_THAT(result.changed_nodes, ElementsAre(node.name));
  EXPECT_EQ(result.scope,
            "1 operator runs on other kernels than the front was measured with; only these are "
            "searched again");
  ASSERT_TRUE(result.search);
  EXPECT_EQ(result.search->search.strategy, "retune");
  EXPECT_GE(result.search->search.known, result.points.size()) << "what was just measured is known";
  // Whatever was tried is a member with another choice in this operator, and there is some.
  const TargetSpec target = LoadTarget(TargetOptions{});
  const Decisions decisions(model_.graph, target);
  const auto id = static_cast<NodeId>(&node - model_.graph.nodes.data());
  const std::size_t group = decisions.GroupOf(id).value();
  const auto others = [&](const Candidate& candidate) {
    Assignment assignment =
        decisions.AssignmentOf(ResolvePrecision(model_.graph, candidate.options, target));
    assignment[group] = 0;
    return assignment;
  };
  std::size_t fresh = 0;
  for (const StoredTrial& stored : TrialsOfNow()) {
    const auto is_member = [&](const RetunedPoint& point) {
      return point.before.plan_digest == stored.trial.plan_digest;
    };
    const auto same = [&](const RetunedPoint& point) {
      return others(point.before.candidate) == others(stored.trial.candidate);
    };
    fresh += std::ranges::none_of(result.points, is_member) ? 1 : 0;
    EXPECT_TRUE(std::ranges::any_of(result.points, same))
        << Summary(stored.trial.candidate, AllVocabularies()[0]);
  }
  EXPECT_GT(fresh, 0U);
}

TEST_F(RetuneTest, ManyOperatorsOnOtherKernelsAreSearchedAsAllAre) {
  Tune(model_, tune_);
  PlantFront(1000, std::ranges::find(model_.graph.nodes, OpKind::kConv, &Node::op)->name);
  options_.max_trials = 2;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_THAT(result.scope, HasSubstr("more than the 2 of --max_trials, so all are searched"));
  EXPECT_EQ(result.search.value().search.strategy, "model");
}

// All kernels changed, so that it searches, and writes what it finds.
TEST_F(RetuneTest, WrittenPointsNameTheModeAsAskedFor) {
  Tune(model_, tune_);
  PlantFront(1000, std::ranges::find(model_.graph.nodes, OpKind::kConv, &Node::op)->name);
  options_.max_trials = 2;
  for (const bool write_v2 : {false, true}) {
    options_.write_v2 = write_v2;
    options_.output = folder_ / (write_v2 ? "v2" : "v1");
    ASSERT_TRUE(Retune(model_, options_).search);
    std::size_t points = 0;
    for (const auto& entry : std::filesystem::directory_iterator(options_.output)) {
      if (std::filesystem::exists(entry.path() / "arguments.txt")) {
        const std::string arguments = ReadFile(entry.path() / "arguments.txt");
        ++points;
        if (write_v2) {
          // Modes without a newer name keep theirs.
          const std::string mode = arguments.find("allow_fp32_to_") != std::string::npos
                                       ? "--precision_mode=allow_fp32_to_"
                                       : "--precision_mode_v2=";
          EXPECT_THAT(arguments, HasSubstr(mode));
        } else {
          EXPECT_THAT(arguments, HasSubstr("--precision_mode="));
        }
      }
    }
    EXPECT_GT(points, 0U);
  }
}

// The same kernel is other machine code there.
TEST_F(RetuneTest, OnAnotherInstructionSetEverythingIsSearchedAgain) {
  Tune(model_, tune_);
  isa_ = "avx1024";
  PlantFront(1000, "");
  options_.search = false;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_THAT(result.changes, Contains(StartsWith("instruction set avx1024 -> ")));
  EXPECT_THAT(result.scope, StartsWith("on another instruction set every kernel may be slower "));
}

TEST_F(RetuneTest, WithoutASearchItSaysThatThereWasNone) {
  Tune(model_, tune_);
  PlantFront(1000, model_.graph.nodes.front().name);
  options_.search = false;
  const RetuneResult result = Retune(model_, options_);
  EXPECT_FALSE(result.search);
  EXPECT_THAT(result.scope, HasSubstr("; not searched again (--no_search)"));
}

TEST_F(RetuneTest, TheShippedFrontMayBeAFile) {
  tune_.output = folder_ / "shipped";
  const TuneSummary tuned = Tune(model_, tune_);
  options_.bank.clear();
  options_.front = folder_ / "shipped/front.json";
  options_.search = false;
  const RetuneResult result = Retune(model_, options_);
  ASSERT_EQ(result.points.size(), tuned.front.points.size());
  for (std::size_t i = 0; i < tuned.front.points.size(); ++i) {
    EXPECT_EQ(result.points[i].before.plan_digest, tuned.front.points[i].trial.plan_digest);
    EXPECT_EQ(result.points[i].after.plan_digest, tuned.front.points[i].trial.plan_digest);
  }
  EXPECT_THAT(result.changes, IsEmpty());
  EXPECT_EQ(result.scope,
            "every operator runs on the kernels that the front was measured with; nothing to "
            "search again");
  EXPECT_EQ(result.front.chosen, tuned.front.chosen);
}

// front.json and point.json say which kernels measured the points.
TEST_F(RetuneTest, FilesHoldTheKernelsOfThen) {
  tune_.output = folder_ / "shipped";
  Tune(model_, tune_);
  const auto with_kernels = [&](const std::filesystem::path& path, const auto& change) {
    auto document = nlohmann::json::parse(ReadFile(path));
    change(path.filename() == "point.json" ? document["measured"] : document);
    WriteFileAtomically(path, document.dump());
  };
  options_.bank.clear();
  options_.search = false;
  const std::string node = model_.graph.nodes.front().name;
  for (const bool of_point : {false, true}) {
    const auto folder = folder_ / "shipped";
    const auto file = of_point ? folder / "point_1/point.json" : folder / "front.json";
    options_.front = of_point ? "" : file;
    options_.point = of_point ? folder / "point_1" : "";
    EXPECT_THAT(Retune(model_, options_).changed_nodes, IsEmpty());
    with_kernels(file, [&](auto& document) { document["kernels"][node] = "float32 conv.old"; });
    EXPECT_THAT(Retune(model_, options_).changed_nodes, ElementsAre(node));
    with_kernels(file, [](auto& document) { document.erase("kernels"); });
    EXPECT_THAT(Retune(model_, options_).scope,
                StartsWith("which kernels the front was measured with is not recorded"));
    with_kernels(file, [](auto& document) { document["kernels"] = "fast ones"; });
    EXPECT_THROW(Retune(model_, options_), Error);
  }
}

TEST_F(RetuneTest, ThePointOfAFolderIsMeasuredAlone) {
  tune_.output = folder_ / "tuned_here";
  const TuneSummary tuned = Tune(model_, tune_);
  std::filesystem::rename(tune_.output / "point_1", folder_ / "shipped");
  std::filesystem::remove_all(tune_.output);
  options_.bank.clear();
  options_.point = folder_ / "shipped";
  options_.search = false;
  const RetuneResult result = Retune(model_, options_);
  ASSERT_EQ(result.points.size(), 1U);
  EXPECT_TRUE(result.points[0].shipped);
  EXPECT_EQ(result.points[0].before.plan_digest, tuned.front.points[0].trial.plan_digest);
  EXPECT_EQ(result.points[0].after.plan_digest, tuned.front.points[0].trial.plan_digest);
  EXPECT_EQ(result.points[0].before.measurement()->latency.ratio,
            tuned.front.points[0].measurement().latency.ratio);
  EXPECT_THAT(result.changes, IsEmpty());
}

// It was resolved for this target before, whatever the point says.
TEST_F(RetuneTest, PointsOfAnotherTargetAreRefused) {
  tune_.output = folder_ / "shipped";
  Tune(model_, tune_);
  options_.target.soc_version = "Ascend310P3";
  options_.bank.clear();
  options_.front = folder_ / "shipped/front.json";
  try {
    Retune(model_, options_);
    ADD_FAILURE() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), "--front=" + options_.front.string() +
                                ": expected points of the target Ascend310P3 (--soc_version), '" +
                                (folder_ / "shipped/point_1").string() +
                                "' is of host; give its --soc_version");
  }
}

// The number that the program gave then is in the front; the points of now are judged by it.
TEST_F(RetuneTest, AProgramOfTheUsersJudgesAgain) {
  const std::filesystem::path script = folder_ / "count";
  WriteScript(script, "wc -l < $1/samples.txt");
  const std::string name = "command:" + script.string();
  tune_.measure.metric = {.metric = name, .better = "higher"};
  Tune(model_, tune_);
  PlantFront(1000, "");
  options_.measure.metric = tune_.measure.metric;
  WriteScript(script, "echo 10");
  const RetuneResult result = Retune(model_, options_);
  ASSERT_TRUE(result.metric.has_value());
  EXPECT_EQ(result.metric->reference, 10);
  ASSERT_FALSE(result.points.empty());
  for (const RetunedPoint& point : result.points) {
    EXPECT_EQ(point.after.measurement()->accuracy.loss, -10);
    EXPECT_THAT(point.moved, Contains(name + ": 15 -> 10, worse"));
  }
  EXPECT_FALSE(result.holds());
  EXPECT_THAT(FormatRetune(result, 300), HasSubstr("  metric then  now  "));
  EXPECT_THAT(FormatRetuneJson(result), HasSubstr("\"reference\": 10.0"));
}

TEST_F(RetuneTest, AFrontWithoutTheMetricSaysSo) {
  Tune(model_, tune_);
  PlantFront(1000, "");
  options_.measure.metric.metric = "top1";
  options_.data.labels = SourceDir() / "examples/digits/search_labels.npy";
  const RetuneResult result = Retune(model_, options_);
  EXPECT_THAT(result.warnings, Contains("the front was measured without --metric=top1: its value "
                                        "then is not known"));
}

TEST_F(RetuneTest, Errors) {
  const auto message = [&] {
    try {
      Retune(model_, options_);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(), StartsWith("there is no knowledge base '"));
  OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadWrite);
  EXPECT_EQ(message(), "the knowledge base '" + DatabasePath(options_.bank, "host").string() +
                           "' holds no front of 'digits' with input shapes " + model_.input_shapes +
                           " on 1 thread; run `halftone tune` on it first, or name a front.json "
                           "with --front");
  options_.front = folder_ / "front.json";
  EXPECT_THAT(message(), HasSubstr("front.json"));
  WriteFileAtomically(options_.front, "{}");
  EXPECT_THAT(message(), StartsWith("--front=" + options_.front.string() +
                                    ": expected the front.json that `halftone tune --output` "
                                    "writes: "));
  WriteFileAtomically(options_.front, R"({"schema_version": 99})");
  EXPECT_EQ(message(), "--front=" + options_.front.string() +
                           ": expected a front.json of schema 1, found 99; tune again");
}

}  // namespace
}  // namespace halftone
