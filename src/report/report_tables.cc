#include "src/report/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"
#include "src/report/rejected_groups.h"

namespace halftone {
namespace {

std::string ProbeText(const ProbeSummary& probes) {
  std::string text =
      fmt::format("{} on {}, worth {:.1f} runs over all samples", Counted(probes.groups, "group"),
                  Counted(probes.samples, "sample"), probes.evaluations);
  if (probes.predictions > 0) {
    text += fmt::format("; {} predicted, off by {:.1f} dB and {:.1f} % in the median",
                        Counted(probes.predictions, "plan"), probes.loss_off_db,
                        100 * probes.latency_off);
  }
  return text;
}

std::string IntervalText(const MetricValue& value) {
  const std::optional<Interval> interval = MeanInterval(value);
  return interval ? fmt::format("{} to {}", FormatMetric(value.name, interval->low),
                                FormatMetric(value.name, interval->high))
                  : "-";
}

// "avx2 of avx2+avx512" where kernels did not use all that the CPU has.
std::string UsedOfCpu(const TuneSummary& summary) {
  return summary.run.isa == summary.run.cpu_isa
             ? summary.run.isa
             : fmt::format("{} of {}", summary.run.isa, summary.run.cpu_isa);
}

// What the choice of an operator would save, as a share of float32's time; 0: it cannot be made.
double PriceOf(const KeptOperator& kept) {
  return kept.refusal.empty() ? std::max(0.0, kept.saved_time) : 0;
}

}  // namespace

TextTable MetricTable(const Accuracy& search, const std::optional<Accuracy>& heldout) {
  TextTable table{{"metric", "mean", "95 % of the mean", "worst sample", "which"}, {}};
  if (heldout) {
    table.header.insert(table.header.end(), {"held-out mean", "95 % of it", "held-out worst"});
  }
  for (const MetricValue& value : search.metrics) {
    std::vector<std::string> row = {value.name, FormatMetric(value.name, value.mean),
                                    IntervalText(value), FormatMetric(value.name, value.worst),
                                    FormatWorstSample(value)};
    if (heldout) {
      const MetricValue* other = heldout->Find(value.name);
      row.push_back(other != nullptr ? FormatMetric(value.name, other->mean) : "-");
      row.push_back(other != nullptr ? IntervalText(*other) : "-");
      row.push_back(other != nullptr ? FormatMetric(value.name, other->worst) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable BoundTable(const Verdict& verdict) {
  TextTable table{{"bound", "verdict", "found"}, {}};
  for (const BoundVerdict& bound : verdict.bounds) {
    // The default of a search without bounds is no promise: it is kept, or not.
    const bool of_default = verdict.kind == VerdictKind::kNoBound;
    table.rows.push_back({bound.demand,
                          of_default
                              ? std::string(bound.kind == VerdictKind::kNotMet ? "default, not kept"
                                                                               : "default, kept")
                              : std::string(LabelOf(bound.kind)),
                          bound.sentence});
  }
  return table;
}

TextTable RefusedTable(const TuneSummary& summary) {
  struct Group {
    std::vector<std::size_t> points;
    std::string reason;  // of the last, which is closest to the chosen point
    bool differs = false;
  };

  std::map<std::string, std::size_t> of_reason;
  std::vector<Group> groups;
  for (const RefusedPoint& refused : summary.outcome.verdict.refused) {
    const auto [place, is_new] = of_reason.emplace(KindOfReason(refused.reason), groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    Group& group = groups[place->second];
    group.differs = group.differs || (!is_new && group.reason != refused.reason);
    group.points.push_back(refused.point);
    group.reason = refused.reason;
  }
  TextTable table{{"faster point", "speed-up [95 %]", "why it is not chosen"}, {}};
  for (const Group& group : groups) {
    std::vector<std::string> numbers;
    for (const std::size_t point : group.points) {
      numbers.push_back(fmt::format("{}", point + 1));
    }
    const auto speed_up = [&](std::size_t point) {
      return FormatSpeedUp(summary.front.points[point].measurement().latency);
    };
    table.rows.push_back(
        {Join(numbers, ", "),
         group.points.size() == 1 ? speed_up(group.points[0])
                                  : fmt::format("{} to {}", speed_up(group.points.front()),
                                                speed_up(group.points.back())),
         group.differs ? fmt::format("{} (point {}, the others with other figures)", group.reason,
                                     numbers.back())
                       : group.reason});
  }
  return table;
}

TextTable AlternativesTable(const TuneSummary& summary) {
  TextTable table{{"lowered instead", "in float32", "predicted speed-up",
                   IsJudgedByAgreement(summary) ? "predicted disagreement" : "predicted rel_l2"},
                  {}};
  for (const AlternativeSet& set : summary.insight.alternatives) {
    table.rows.push_back({set.lowered, set.kept.empty() ? "nothing" : Join(set.kept, ", "),
                          fmt::format("{:.3f}x", 1 / set.predicted.latency_ratio),
                          fmt::format("{:.3g}", set.predicted.loss)});
  }
  return table;
}

namespace {

// Whether the table of kept operators has one that alone loses more than a point that lowers it.
bool AloneLosesMore(const TuneSummary& summary) {
  return std::ranges::any_of(summary.insight.kept, [&](const KeptOperator& kept) {
    return kept.refusal.empty() &&
           std::ranges::any_of(summary.front.points, [&](const FrontPoint& point) {
             const MetricValue* sqnr = point.measurement().accuracy.Find("sqnr_db");
             const auto& lowered = point.trial.low_precision_nodes;
             return sqnr != nullptr && sqnr->mean > kept.sqnr_db &&
                    std::ranges::find(lowered, kept.node) != lowered.end();
           });
  });
}

}  // namespace

std::vector<KeptGroup> KeptByCause(const TuneSummary& summary) {
  std::vector<KeptGroup> groups;
  for (const KeptOperator& kept : summary.insight.kept) {
    auto group = std::ranges::find(groups, kept.cause, &KeptGroup::cause);
    if (group == groups.end()) {
      groups.push_back({.cause = kept.cause, .saved_time = 0, .operators = {}});
      group = groups.end() - 1;
    }
    group->saved_time += PriceOf(kept);
    group->operators.push_back(&kept);
  }
  std::ranges::stable_sort(groups, std::greater<>(), &KeptGroup::saved_time);
  for (KeptGroup& group : groups) {
    std::ranges::stable_sort(group.operators, std::greater<>(),
                             [](const KeptOperator* kept) { return PriceOf(*kept); });
  }
  return groups;
}

std::string Describe(const KeptGroup& group, const TuneSummary& summary) {
  const std::string count = Counted(std::ssize(group.operators), "operator");
  return group.saved_time > 0
             ? fmt::format("{}: {}, which would save {:.1f} us", group.cause, count,
                           1e6 * group.saved_time * summary.reference.latency_s)
             : fmt::format("{}: {}", group.cause, count);
}

TextTable KeptTable(const TuneSummary& summary, std::span<const KeptGroup> groups) {
  TextTable table{{"operator", "could be", "its own SQNR",
                   std::string(OutputSqnrHeading(IsJudgedByAgreement(summary))), "largest value",
                   "would save", "why not: cause and evidence"},
                  {}};
  for (const KeptGroup& group : groups) {
    for (const KeptOperator* kept : group.operators) {
      const bool can = kept->refusal.empty();
      table.rows.push_back(
          {kept->node, kept->choice, can ? FormatSqnr(kept->local_sqnr_db) : "-",
           can ? FormatSqnr(kept->sqnr_db) : "-", fmt::format("{:.4g}", kept->largest_value),
           can ? fmt::format("{:.1f} us", 1e6 * PriceOf(*kept) * summary.reference.latency_s) : "-",
           fmt::format("{}: {}", kept->cause, kept->evidence)});
    }
  }
  return table;
}

std::vector<std::string> WarningsOnce(const TuneSummary& summary) {
  std::vector<std::string> warnings;
  for (const std::string& warning : summary.warnings) {
    if (std::ranges::count(warnings, warning) == 0) {
      warnings.push_back(warning);
    }
  }
  for (std::string& warning : warnings) {
    if (const auto count = std::ranges::count(summary.warnings, warning); count > 1) {
      warning += fmt::format(" ({} times)", count);
    }
  }
  return warnings;
}

std::string_view OutputSqnrHeading(bool by_agreement) {
  return by_agreement ? "SQNR before the discrete outputs" : "SQNR of the outputs";
}

std::string KeptUnexplained(const TuneSummary& summary) {
  const std::optional<std::size_t> described = summary.front.described();
  if (!summary.insight.kept.empty() || !described) {
    return {};
  }
  const std::size_t kept = summary.front.points.at(*described).trial.kept_nodes.size();
  return kept == 0 ? ""
                   : fmt::format(
                         "At {} {} kept in float32. The reasons are not known: "
                         "the search ended before it probed operators, or its strategy "
                         "probes none. A larger --max_trials or --budget, with "
                         "--strategy=model, finds them.",
                         DescribedPoint(summary),
                         Counted(static_cast<std::int64_t>(kept), "operator") +
                             (kept == 1 ? " is" : " are"));
}

TextTable ShapeTable(const TuneSummary& summary) {
  TextTable table{
      {"input shape", "weight", "samples", "float32", "speed-up [95 %]",
       summary.run.shapes.size() > 1 && IsJudgedByAgreement(summary) ? "agreement" : "SQNR mean",
       "worst"},
      {}};
  const std::optional<std::size_t> described = summary.front.described();
  if (!described) {
    return table;
  }
  double weights = 0;
  for (const ShapeFacts& shape : summary.run.shapes) {
    weights += shape.weight;
  }
  const std::vector<ShapeMeasurement>& measured = summary.front.points[*described].by_shape;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const ShapeFacts& shape = summary.run.shapes[i];
    const Nearness nearness = NearnessOf(measured[i].accuracy);
    table.rows.push_back({shape.input_shapes, fmt::format("{:.1f} %", 100 * shape.weight / weights),
                          fmt::format("{}", shape.sample_count),
                          FormatSeconds(measured[i].latency.anchor_median_s),
                          FormatSpeedUp(measured[i].latency), nearness.mean, nearness.worst});
  }
  return table;
}

std::string KeptExplanation(const TuneSummary& summary) {
  return fmt::format(
      "Effect of lowering each of these operators alone, by the probes on {}; times without "
      "casts.{}",
      Counted(summary.insight.probes ? summary.insight.probes->samples : 0, "sample"),
      AloneLosesMore(summary)
          ? " One alone may lose more than a point that lowers it and others, too: alone, its "
            "operands are rounded for it, and in the point they are rounded once for all that read "
            "them, and errors of operators that read the same rounded values partly cancel."
          : "");
}

namespace {

// "88 s of 90 s (loading 2 s, calibration 17 s = 421 runs)"; float32 runs from one on, where the
// time of one is known.
std::string TimeText(const TuneSummary& summary) {
  const double run_s = summary.search.plan.run_s;
  std::vector<std::string> parts;
  for (const PhaseTime& time : summary.phases) {
    parts.push_back(fmt::format("{} {}{}", NameOf(time.phase), FormatSeconds(time.seconds),
                                run_s > 0 && time.seconds >= run_s
                                    ? fmt::format(" = {:.0f} runs", time.seconds / run_s)
                                    : ""));
  }
  return FormatSeconds(summary.elapsed_s) +
         (summary.budget_s ? fmt::format(" of {:g} s", *summary.budget_s) : "") +
         (parts.empty() ? "" : fmt::format(" ({})", Join(parts, ", ")));
}

}  // namespace

TextTable FactTable(const TuneSummary& summary) {
  TextTable facts{
      {"fact", "value"},
      {{"model", fmt::format("{} ({}, {} may be kept)", summary.run.model_path,
                             Counted(summary.run.node_count, "node"), summary.run.keepable_count)},
       {"model hash", summary.run.model_hash.ToHex()},
       {"input shapes", summary.run.input_shapes},
       {"inputs",
        fmt::format("{}: {}{}", summary.run.inputs.empty() ? "generated" : summary.run.inputs,
                    Counted(summary.run.sample_count, "sample"),
                    summary.run.representative ? "" : ", random: NOT representative")},
       {"held-out samples", fmt::format("{}", summary.run.heldout_count)},
       {"fp32 top-1",
        summary.reference.top1 ? fmt::format("{:.4f}", *summary.reference.top1) : "no labels"},
       {summary.run.anchor + " latency", FormatSeconds(summary.reference.latency_s)},
       {"fp32 arena", FormatBytes(static_cast<double>(summary.reference.arena_bytes))},
       {"target", fmt::format("{}: {}, {}, {}", summary.run.target, summary.run.cpu,
                              UsedOfCpu(summary), Counted(summary.run.threads, "thread"))},
       {"machine", Describe(summary.machine.facts, summary.machine.other_cores)},
       {"search",
        fmt::format(
            "{}, seed {}, {}; {}, {} measured now, {} known; {}", summary.search.strategy,
            summary.run.seed, summary.run.space,
            Counted(static_cast<std::int64_t>(summary.search.distinct_plans), "distinct plan"),
            summary.search.measured, summary.search.known, summary.search.stop_reason)},
       {"time", TimeText(summary)},
       {"knowledge base", summary.run.database.empty() ? "none" : summary.run.database},
       {"tool", fmt::format("halftone {}, {}", summary.run.tool_version, summary.run.compiler)},
       {"made at", summary.run.created_at},
       {"command", summary.run.command}}};
  if (summary.insight.probes) {
    facts.rows.push_back({"probes", ProbeText(*summary.insight.probes)});
  }
  return facts;
}

TextTable RejectedTable(const TuneSummary& summary) {
  TextTable table{{"configurations", "first of them", "its reason"}, {}};
  const std::vector<RejectedGroup> groups = RejectedGroups(summary.search.rejected);
  const std::size_t shown = std::min(groups.size(), kShownRejectedGroups);
  for (const RejectedGroup& group : std::span(groups).first(shown)) {
    table.rows.push_back({fmt::format("{}", group.configurations), group.summary, group.reason});
  }
  if (groups.size() > kShownRejectedGroups) {
    std::size_t others = 0;
    for (const RejectedGroup& group : std::span(groups).subspan(shown)) {
      others += group.configurations;
    }
    table.rows.push_back(
        {fmt::format("{}", others), "",
         fmt::format("{} further reasons, in front.json", groups.size() - kShownRejectedGroups)});
  }
  return table;
}

}  // namespace halftone
