// A front of the shipped digits, planted in a bank with numbers of before that tests choose, so
// that no outcome depends on how fast this machine is.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "knowledge_base/front_trials.h"
#include "knowledge_base/sqlite_store.h"
#include "src/api/retune/retune.h"
#include "tests/support/paths.h"

namespace halftone::testing {

class RetuneTest : public ::testing::Test {
 protected:
  RetuneTest() {
    const auto digits = testing::SourceDir() / "examples/digits";
    std::filesystem::remove_all(folder_);
    tune_.data = {.inputs = digits / "search_inputs.npy", .max_samples = 20};
    tune_.max_trials = 4;
    tune_.strategy = "greedy";
    tune_.measure = {.threads = 1, .quick_budget_s = 0.01, .full_budget_s = 0.02};
    tune_.operator_tuning = OperatorTuningMode::kOff;  // kernels are planted
    tune_.bank = folder_ / "tuned";
    model_ = LoadModel({.path = digits / "model.onnx", .inputs = tune_.data.inputs});
    options_.data = tune_.data;
    options_.measure = tune_.measure;
    options_.operator_tuning = tune_.operator_tuning;
    options_.bank = folder_ / "bank";
    options_.max_trials = 6;
  }

  ~RetuneTest() override { std::filesystem::remove_all(folder_); }

  // The newest front of the tuned bank as halftone 0.0.1 would have measured it, in another bank:
  // every member with this latency, and `node` with a kernel that there is none of any more.
  void PlantFront(double ratio, const std::string& node) {
    const auto tuned = OpenSqliteStore(DatabasePath(tune_.bank, "host"), OpenMode::kReadOnly);
    const WorkloadSummary summary = tuned->Workloads().at(0);
    StoredFront front = tuned->Fronts(summary.key).at(0);
    const auto history = tuned->History(summary.key);
    Workload workload = summary.workload;
    workload.tool_version = "0.0.1";
    workload.isa = isa_.empty() ? workload.isa : isa_;
    const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadWrite);
    front.workload_key = store->AddWorkload(workload);
    if (all_trials_) {
      front.members.clear();
      for (const StoredTrial& stored : tuned->Trials(summary.key)) {
        if (stored.trial.measurement() != nullptr) {
          front.members.push_back({.plan_digest = stored.trial.plan_digest, .trial_id = stored.id});
        }
      }
      front.chosen = 1;
    }
    for (FrontMember& member : front.members) {
      Trial trial = FindMember(history, member)->trial;
      auto& latency = std::get<Measurement>(trial.outcome).latency;
      latency.ratio = ratio;
      latency.ratio_interval = ratio_interval_.value_or(Interval{ratio * 0.99, ratio * 1.01});
      latency.median_s = median_s_;
      for (MetricValue& value : std::get<Measurement>(trial.outcome).accuracy.metrics) {
        const double more = value.name == "sqnr_db" ? sqnr_db_more_ : 0;
        value.mean += more;
        for (double& of_sample : value.values) {
          of_sample += more;
        }
        if (!keep_values_) {
          value.values.clear();
        }
      }
      member = {.plan_digest = trial.plan_digest,
                .trial_id = store->AddTrial(front.workload_key, trial)};
    }
    front.constraints.min_sqnr_db = min_sqnr_db_;
    std::string& kernels = front.provenance.at("kernels");
    if (!node.empty()) {
      const std::size_t at = kernels.find("\"" + node + "\"\t");
      ASSERT_NE(at, std::string::npos) << kernels;
      kernels.insert(at + node.size() + 3, "float32 conv.old_kernel, ");
    }
    store->AddFront(front);
  }

  std::vector<StoredTrial> TrialsOfNow() {
    const auto store = OpenSqliteStore(DatabasePath(options_.bank, "host"), OpenMode::kReadOnly);
    return store->Trials(store->Workloads().at(1).key);
  }

  std::filesystem::path folder_ = ::testing::TempDir() + "halftone_retune_test_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name();

  // 60 digits to search on, 360 held out, and a bound that they promise.
  void UseHeldOutSamples() {
    const auto digits = testing::SourceDir() / "examples/digits";
    tune_.data.max_samples = 60;
    tune_.heldout = {.inputs = digits / "heldout_inputs.npy"};
    tune_.constraints.min_sqnr_db = 20;
    min_sqnr_db_ = 20;
    options_.data = tune_.data;
    options_.heldout = tune_.heldout;
    options_.search = false;
  }

  // The members of the planted front are all plans that were measured, and the second is chosen.
  bool all_trials_ = false;
  std::string isa_;                         // of the planted front; empty: that of now
  std::optional<Interval> ratio_interval_;  // of the planted front; empty: 1 % around the ratio
  double median_s_ = 1e3;                   // of the planted front: whatever runs now is faster
  double sqnr_db_more_ = 0;                 // than was measured, in the planted front
  bool keep_values_ = true;                 // by sample, in the planted front
  std::optional<double> min_sqnr_db_;       // of the planted front
  TuneOptions tune_;
  RetuneOptions options_;
  Model model_;
};

}  // namespace halftone::testing
