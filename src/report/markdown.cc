#include <fmt/format.h>

#include <cmath>

#include "src/base/text.h"
#include "src/report/formats.h"
#include "src/report/front_rows.h"

namespace halftone {
namespace {

// Cells and names come from the model: pipes and line breaks would break the table.
std::string Escaped(std::string_view cell) {
  std::string text;
  for (const char c : cell) {
    if (c == '|') {
      text += "\\|";
    } else if (c == '\n' || c == '\r') {
      text += ' ';
    } else {
      text += c;
    }
  }
  return text;
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += " " + Escaped(cell) + " |";
  }
  return line + "\n";
}

std::string MarkdownTable(const TextTable& table) {
  std::string text = MarkdownRow(table.header);
  text += "|";
  for (std::size_t c = 0; c < table.header.size(); ++c) {
    text += "---|";
  }
  text += "\n";
  for (const auto& row : table.rows) {
    text += MarkdownRow(row);
  }
  return text;
}

TextTable MetricTable(const Accuracy& search, const std::optional<Accuracy>& heldout) {
  TextTable table{{"metric", "mean", "worst sample", "number of it"}, {}};
  if (heldout) {
    table.header.insert(table.header.end(), {"held-out mean", "held-out worst"});
  }
  for (const MetricValue& value : search.metrics) {
    std::vector<std::string> row = {value.name, fmt::format("{:.6g}", value.mean),
                                    fmt::format("{:.6g}", value.worst),
                                    fmt::format("{}", value.worst_sample)};
    if (heldout) {
      const MetricValue* other = heldout->Find(value.name);
      row.push_back(other != nullptr ? fmt::format("{:.6g}", other->mean) : "-");
      row.push_back(other != nullptr ? fmt::format("{:.6g}", other->worst) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Other sets of kept operators, by prediction.
std::string AlternativesText(const TuneSummary& summary) {
  std::string text;
  for (const AlternativeSet& set : summary.alternatives) {
    text += fmt::format(
        "- {} lowered, and in float32 {}: {:.3f}x and {:.1f} dB predicted, not measured\n",
        Escaped(set.lowered), set.kept.empty() ? "nothing" : Escaped(Join(set.kept, ", ")),
        1 / set.predicted.latency_ratio, -20 * std::log10(set.predicted.loss));
  }
  return text.empty()
             ? text
             : "Other sets of operators in float32 that should do as well:\n\n" + text + "\n";
}

// Why operators of the chosen point are in float32, and at what price.
std::string KeptSection(const TuneSummary& summary) {
  TextTable table{{"operator", "could be", "its own SQNR", "SQNR of the outputs", "largest value",
                   "would save", "why not: cause and evidence"},
                  {}};
  for (const KeptOperator& kept : summary.kept) {
    const bool can = kept.refusal.empty();
    table.rows.push_back(
        {kept.node, kept.choice, can ? fmt::format("{:.1f} dB", kept.local_sqnr_db) : "-",
         can ? fmt::format("{:.1f} dB", kept.sqnr_db) : "-",
         fmt::format("{:.4g}", kept.largest_value),
         can ? fmt::format("{:.1f} us", 1e6 * kept.saved_time * summary.reference_latency_s) : "-",
         fmt::format("{}: {}", kept.cause, kept.evidence)});
  }
  return fmt::format(
             "## Kept in float32 at the chosen point\n\nWhat lowering each of these operators "
             "alone would do, by the probes on {}; times without casts.\n\n",
             Counted(summary.probes ? summary.probes->samples : 0, "sample")) +
         MarkdownTable(table) + "\n" + AlternativesText(summary);
}

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

std::string PointSection(const FrontPoint& point, std::size_t number) {
  const Measurement& measurement = point.measurement();
  const Latency& latency = measurement.latency;
  std::string text =
      fmt::format("### Point {}: {}\n\n", number, Escaped(Summary(point.trial.candidate)));
  text += fmt::format("- Speed-up {}; median {} a run, fp32 {} in the same {} rounds{}\n",
                      FormatSpeedUp(latency), FormatSeconds(latency.median_s),
                      FormatSeconds(latency.anchor_median_s), latency.candidate_samples_s.size(),
                      measurement.confirmed ? ", re-measured afresh after the search" : "");
  text += fmt::format("- Arena {}; plan `{}`\n",
                      FormatBytes(static_cast<double>(measurement.peak_arena_bytes)),
                      point.trial.plan_digest.ToHex());
  text += fmt::format("- Kept in float32: {}\n",
                      Escaped(FormatKept(point.trial, point.trial.kept_nodes.size())));
  if (!point.arguments.empty()) {
    text += "- Reproduce (in this folder):";
    for (const Argument& argument : point.arguments) {
      text += fmt::format(" `{}={}`", argument.option, argument.value);
    }
    text += "\n";
  }
  return text + "\n" + MarkdownTable(MetricTable(measurement.accuracy, point.heldout)) + "\n";
}

}  // namespace

std::string FormatMarkdown(const TuneSummary& summary) {
  std::string text = fmt::format("# Precision front of {}\n\n{}\n\n", Escaped(summary.model_name),
                                 Verdict(summary));
  text += MarkdownTable(FrontTable(summary));
  text +=
      "\n`*` marks the chosen point. Speed-up is fp32 time / time of the point, both measured in "
      "the same shuffled "
      "rounds; the 95 % interval covers rounds and places of buffers; \"tie\": it holds 1, or the "
      "difference is below 1 %.\n\n";
  if (const std::string note = LatencyNote(summary.target); !note.empty()) {
    text += "> **Note:** " + Escaped(note) + "\n\n";
  }
  for (const std::string& warning : summary.warnings) {
    text += "> **Warning:** " + Escaped(warning) + "\n\n";
  }
  text += "## How it was measured\n\n";
  TextTable facts{
      {"fact", "value"},
      {{"model", fmt::format("{} ({}, {} may be kept), `{}`", summary.model_path,
                             Counted(summary.node_count, "node"), summary.keepable_count,
                             summary.model_hash.ToHex())},
       {"input shapes", summary.input_shapes},
       {"inputs", fmt::format("{}: {}{}", summary.inputs.empty() ? "generated" : summary.inputs,
                              Counted(summary.sample_count, "sample"),
                              summary.representative ? "" : ", random: NOT representative")},
       {"held-out samples", fmt::format("{}", summary.heldout_count)},
       {"fp32 top-1",
        summary.reference_top1 ? fmt::format("{:.4f}", *summary.reference_top1) : "no labels"},
       {"fp32 latency", FormatSeconds(summary.reference_latency_s)},
       {"fp32 arena", FormatBytes(static_cast<double>(summary.reference_arena_bytes))},
       {"target", fmt::format("{}: {}, {}, {}", summary.target, summary.cpu, summary.isa,
                              Counted(summary.threads, "thread"))},
       {"search",
        fmt::format("{}, seed {}, {}; {}, {} measured now, {} known; {}", summary.strategy,
                    summary.seed, summary.space,
                    Counted(static_cast<std::int64_t>(summary.distinct_plans), "distinct plan"),
                    summary.measured, summary.known, summary.stop_reason)},
       {"time", FormatSeconds(summary.elapsed_s)},
       {"knowledge base", summary.database.empty() ? "none" : summary.database},
       {"tool", fmt::format("halftone {}, {}", summary.tool_version, summary.compiler)},
       {"made at", summary.created_at},
       {"command", "`" + summary.command + "`"}}};
  if (summary.probes) {
    facts.rows.push_back({"probes", ProbeText(*summary.probes)});
  }
  text += MarkdownTable(facts) + "\n";
  if (!summary.kept.empty()) {
    text += KeptSection(summary);
  }
  text += "## Points\n\n";
  for (std::size_t i = 0; i < summary.points.size(); ++i) {
    text += PointSection(summary.points[i], i + 1);
  }
  if (!summary.rejected.empty()) {
    text += "## Rejected\n\n";
    TextTable rejected{{"configuration", "reason"}, {}};
    for (const RejectedPoint& point : summary.rejected) {
      rejected.rows.push_back({point.summary, point.reason});
    }
    text += MarkdownTable(rejected);
  }
  return text;
}

}  // namespace halftone
