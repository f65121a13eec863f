#include "tests/fleet/example_fleet.h"

#include <fmt/format.h>

#include <utility>

namespace halftone::testing {
namespace {

std::map<std::string, double> Sqnr(double db) {
  return {{"sqnr_db", db}};
}

std::map<std::string, double> Classes(double db, double top1) {
  return {{"sqnr_db", db}, {"top1", top1}, {"top1_agreement", 0.99}};
}

std::vector<FleetPoint> ImagePoints(double factor) {
  return {PointOf(2.0 * factor, Classes(33, 0.97)), PointOf(1.5 * factor, Classes(47, 0.98), true),
          PointOf(1.2 * factor, Classes(71, 0.99)), PointOf(1.01, Classes(120, 0.99))};
}

FleetResult Labelled(FleetResult result) {
  result.reference_top1 = 0.98;
  return result;
}

FleetResult NotMet(FleetResult result) {
  result.end = TaskEnd::kBoundsNotMet;
  result.exit_code = 3;
  result.reason = "No point has an SQNR of at least 90 dB and is faster than float32.";
  return result;
}

FleetResult Busy(FleetResult result) {
  result.other_cores = 0.9;
  return result;
}

FleetResult OnCpu(FleetResult result, const std::string& cpu) {
  result.cpu = cpu;
  return result;
}

FleetResult Died(FleetResult result) {
  result.end = TaskEnd::kDied;
  result.exit_code = 139;
  result.attempts = 3;
  result.reason = "";
  return result;
}

std::vector<FleetResult> ExampleResults() {
  return {
      Labelled(ResultOf("zen5", "image", ImagePoints(1))),
      Labelled(Busy(ResultOf("sapphire", "image", ImagePoints(1.1)))),
      ResultOf("zen5", "tokens",
               {PointOf(1.8, {{"agreement", 0.9912}}, true), PointOf(1.3, {{"agreement", 1}})}),
      FailedResult("sapphire", "tokens", "tokens/model.onnx: op 'Odd' is not supported"),
      ResultOf("zen5", "speech", {PointOf(1.4, Sqnr(65), true)}),
      OnCpu(ResultOf("sapphire", "speech", {PointOf(1.01, Sqnr(130), true)}), "Rare CPU"),
      NotMet(ResultOf("zen5", "strict", {PointOf(1.6, Sqnr(50))})),
      Died(FailedResult("sapphire", "strict", "")),
      ResultOf("zen5", "fresh", {PointOf(1.7, Sqnr(42), true)}),
      ResultOf("sapphire", "fresh", {}),
      ResultOf("zen5", "stranger", {PointOf(9, Sqnr(1), true)}),
  };
}

std::vector<FleetResult> ResultsBefore() {
  FleetResult faster = ResultOf("zen5", "speech", {PointOf(1.6, Sqnr(65), true)});
  FleetResult exact = ResultOf("sapphire", "speech", {PointOf(1.0, Sqnr(128), true)});
  exact.points.front().digest = "another";
  return {Labelled(ResultOf("zen5", "image", ImagePoints(1))),
          Labelled(ResultOf("sapphire", "image", ImagePoints(0.9))),
          ResultOf("zen5", "tokens", {PointOf(1.8, {{"agreement", 0.9952}}, true)}),
          ResultOf("sapphire", "tokens", {PointOf(1.2, {{"agreement", 1}}, true)}),
          faster,
          exact,
          FailedResult("zen5", "strict", "no samples"),
          ResultOf("zen5", "old", {PointOf(1.1, Sqnr(80), true)})};
}

}  // namespace

FleetPoint PointOf(double speed_up, std::map<std::string, double> accuracy, bool chosen) {
  return {.speed_up = speed_up,
          .speed_up_low = speed_up - 0.02,
          .speed_up_high = speed_up + 0.02,
          .latency_s = 0.002 / speed_up,
          .chosen = chosen,
          .accuracy = std::move(accuracy),
          .digest = "plan",
          .folder = fmt::format("point_{}", static_cast<int>(speed_up * 100))};
}

FleetResult ResultOf(const std::string& kind, const std::string& network,
                     std::vector<FleetPoint> points) {
  return {.network = network,
          .kind = kind,
          .end = TaskEnd::kDone,
          .reason = "Chosen: point 1.",
          .node = "node7",
          .begin = "2026-01-02T03:04:05Z",
          .seconds = 90,
          .version = "0.1.0",
          .cpu = "CPU of " + kind,
          .isa = "avx2",
          .target = "host",
          .other_cores = 0.01,
          .model_hash = "00000000000000010000000000000002",
          .samples = 96,
          .search_s = 75.4,
          .measured = 30,
          .known = 12,
          .reference_s = 0.002,
          .points = std::move(points)};
}

FleetResult FailedResult(const std::string& kind, const std::string& network,
                         const std::string& reason) {
  return {.network = network,
          .kind = kind,
          .end = TaskEnd::kFailed,
          .exit_code = 1,
          .reason = reason,
          .node = "node8",
          .begin = "2026-01-02T03:04:05Z",
          .seconds = 2};
}

FleetPlan PlanOf(const std::vector<std::string>& kinds, const std::vector<std::string>& networks) {
  FleetPlan plan;
  for (const std::string& kind : kinds) {
    plan.kinds.push_back({.name = kind});
  }
  for (const std::string& network : networks) {
    plan.networks.push_back({.name = network, .model = network + "/model.onnx", .kinds = kinds});
  }
  return plan;
}

FleetReport ReportOf(const std::vector<FleetResult>& results,
                     const std::vector<FleetResult>& before) {
  std::vector<std::string> networks;
  for (const FleetResult& result : results) {
    networks.push_back(result.network);
  }
  return MakeFleetReport(results, PlanOf({"k"}, networks), before,
                         {.before = before.empty() ? "" : "before"});
}

FleetReportFacts FactsOfExample() {
  return {.name = "zoo",
          .round = 2,
          .created_at = "2026-01-03T00:00:00Z",
          .tool_version = "0.1.0",
          .before = "round 1",
          .damaged = {{{"zen5", "torn"}, "result.json:3:1: expected ',', found the end"}}};
}

FleetReport ExampleReport() {
  const FleetPlan plan =
      PlanOf({"zen5", "sapphire"}, {"image", "tokens", "speech", "strict", "fresh", "torn"});
  return MakeFleetReport(ExampleResults(), plan, ResultsBefore(), FactsOfExample());
}

FleetReport RetuneReport() {
  FleetPlan plan = PlanOf({"zen5"}, {"holds", "moved", "broken", "waits"});
  plan.task = RoundTask::kRetune;
  FleetResult holds = ResultOf("zen5", "holds", {PointOf(1.4, Sqnr(65), true)});
  holds.end = TaskEnd::kHolds;
  holds.retune_verdict = "Holds.";
  FleetResult moved = ResultOf("zen5", "moved", {PointOf(1.2, Sqnr(65), true)});
  moved.end = TaskEnd::kSearchedAgain;
  moved.retune_verdict = "Speed-up 1.40x before, 1.20x now.";
  FleetReportFacts facts = FactsOfExample();
  facts.damaged.clear();
  return MakeFleetReport({holds, moved, FailedResult("zen5", "broken", "the model is gone")}, plan,
                         {}, std::move(facts));
}

FleetReport HostileReport() {
  const std::string script = "<script>alert('x')</script>|a|\"b\",c";
  const std::string control = "line\nbreak\x1b[31m\x80\xe2\x80\xae [a](javascript:alert(1)) `*b*`";
  FleetReportFacts facts = FactsOfExample();
  facts.name = script;
  facts.before = control;
  facts.damaged = {{{script, "both"}, control}};
  FleetResult good = ResultOf(script, control, {PointOf(1.5, Sqnr(50), true)});
  good.cpu = script;
  FleetResult moved = good;
  moved.points.front().speed_up_high = 1.1;
  moved.version = control;
  return MakeFleetReport({moved, FailedResult(script, script, control)},
                         PlanOf({script}, {control, script, "both"}), {good}, std::move(facts));
}

FleetReport EmptyReport() {
  FleetReportFacts facts = FactsOfExample();
  facts.before.clear();
  facts.damaged.clear();
  return MakeFleetReport({}, PlanOf({"zen5"}, {"image"}), {}, std::move(facts));
}

FleetReport LargeReport(int networks) {
  std::vector<std::string> names;
  std::vector<FleetResult> results;
  for (int i = 0; i < networks; ++i) {
    names.push_back(fmt::format("network_{:05}", i));
    results.push_back(Labelled(ResultOf("zen5", names.back(), ImagePoints(1 + i % 7 * 0.01))));
    results.push_back(Labelled(ResultOf("sapphire", names.back(), ImagePoints(1))));
  }
  FleetReportFacts facts = FactsOfExample();
  facts.damaged.clear();
  return MakeFleetReport(results, PlanOf({"zen5", "sapphire"}, names), results, std::move(facts));
}

std::vector<NamedReport> AllExampleReports() {
  constexpr int kManyNetworks = 10000;
  return {{"example", ExampleReport()},
          {"retune", RetuneReport()},
          {"hostile", HostileReport()},
          {"empty", EmptyReport()},
          {"large", LargeReport(kManyNetworks)}};
}

}  // namespace halftone::testing
