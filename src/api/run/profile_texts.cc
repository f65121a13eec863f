// A profile for people, for programs, and for trace viewers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "src/api/profile.h"
#include "src/base/text.h"
#include "src/base/text_table.h"

namespace halftone {
namespace {

constexpr std::size_t kMostSteps = 25;  // that the table lists
constexpr double kMicro = 1e6;

struct OfOperator {
  std::size_t count = 0;
  double seconds = 0;
};

std::string Share(double seconds, double total) {
  return fmt::format("{:.1f}%", total > 0 ? 100 * seconds / total : 0.0);
}

std::string Microseconds(double seconds) {
  return fmt::format("{:.1f}", seconds * kMicro);
}

double SumOf(const RunProfile& profile) {
  double sum = 0;
  for (const ProfiledStep& step : profile.steps) {
    sum += step.median_s;
  }
  return sum;
}

TextTable ByOperator(const RunProfile& profile, double sum) {
  std::map<std::string, OfOperator> operators;
  for (const ProfiledStep& step : profile.steps) {
    ++operators[step.op].count;
    operators[step.op].seconds += step.median_s;
  }
  std::vector<std::pair<std::string, OfOperator>> sorted(operators.begin(), operators.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  TextTable table{.header = {"operator", "steps", "us", "share"}, .rows = {}};
  for (const auto& [op, of] : sorted) {
    table.rows.push_back(
        {op, std::to_string(of.count), Microseconds(of.seconds), Share(of.seconds, sum)});
  }
  return table;
}

// "head/fc", "head/fc and 2 more"
std::string NodesText(const ProfiledStep& step) {
  return step.nodes.size() < 2
             ? Shown(step.node)
             : fmt::format("{} and {} more", Shown(step.node), step.nodes.size() - 1);
}

TextTable LongestSteps(const RunProfile& profile, double sum) {
  std::vector<const ProfiledStep*> sorted;
  for (const ProfiledStep& step : profile.steps) {
    sorted.push_back(&step);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const ProfiledStep* a, const ProfiledStep* b) {
    return a->median_s > b->median_s;
  });
  sorted.resize(std::min(sorted.size(), kMostSteps));
  TextTable table{
      .header = {"us", "share", "GB/s", "node", "operator", "dtype", "kernel", "output"},
      .rows = {}};
  for (const ProfiledStep* step : sorted) {
    const double rate = step->median_s > 0 ? static_cast<double>(step->bytes) / step->median_s : 0;
    table.rows.push_back({Microseconds(step->median_s), Share(step->median_s, sum),
                          fmt::format("{:.1f}", rate * 1e-9), NodesText(*step), step->op,
                          step->dtype, step->kernel, step->output});
  }
  return table;
}

}  // namespace

std::string FormatProfile(const RunProfile& profile, std::size_t columns) {
  const double sum = SumOf(profile);
  std::string text = fmt::format(
      "{} a run, {} in {}; median of {}, {}; arena {}, at least {} are alive at once\n\n",
      FormatSeconds(profile.total_s), FormatSeconds(sum),
      Counted(static_cast<std::int64_t>(profile.steps.size()), "step"),
      Counted(profile.runs, "run"), Counted(profile.threads, "thread"),
      FormatBytes(static_cast<double>(profile.arena_bytes)),
      FormatBytes(static_cast<double>(profile.liveness_bound_bytes)));
  text += AlignedTable(ByOperator(profile, sum), columns) + "\n";
  text += AlignedTable(LongestSteps(profile, sum), columns);
  if (profile.steps.size() > kMostSteps) {
    text += fmt::format("and {} shorter steps\n", profile.steps.size() - kMostSteps);
  }
  return text;
}

std::string ProfileJson(const RunProfile& profile) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const ProfiledStep& step : profile.steps) {
    steps.push_back({{"node", step.node},
                     {"nodes", step.nodes},
                     {"op", step.op},
                     {"kernel", step.kernel},
                     {"dtype", step.dtype},
                     {"output", step.output},
                     {"bytes", step.bytes},
                     {"median_s", step.median_s},
                     {"start_s", step.start_s},
                     {"typical_s", step.typical_s}});
  }
  const nlohmann::ordered_json json = {{"schema", 1},
                                       {"model", profile.model},
                                       {"input_shapes", profile.input_shapes},
                                       {"runs", profile.runs},
                                       {"threads", profile.threads},
                                       {"total_s", profile.total_s},
                                       {"arena_bytes", profile.arena_bytes},
                                       {"liveness_bound_bytes", profile.liveness_bound_bytes},
                                       {"steps", std::move(steps)}};
  return PrintableJson(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
         "\n";
}

std::string ProfileTrace(const RunProfile& profile) {
  nlohmann::ordered_json events = nlohmann::ordered_json::array();
  for (const ProfiledStep& step : profile.steps) {
    events.push_back({{"name", step.node},
                      {"cat", step.op},
                      {"ph", "X"},
                      {"pid", 1},
                      {"tid", 1},
                      {"ts", step.start_s * kMicro},
                      {"dur", step.typical_s * kMicro},
                      {"args",
                       {{"nodes", step.nodes},
                        {"kernel", step.kernel},
                        {"dtype", step.dtype},
                        {"bytes", step.bytes},
                        {"output", step.output}}}});
  }
  const nlohmann::ordered_json json = {{"displayTimeUnit", "ns"},
                                       {"otherData", {{"model", profile.model}}},
                                       {"traceEvents", std::move(events)}};
  return PrintableJson(
             json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) +
         "\n";
}

}  // namespace halftone
