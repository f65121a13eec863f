#include "src/fleet/report/report_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/text.h"
#include "src/fleet/report/report_tables.h"
#include "src/fleet/report/report_texts.h"

namespace halftone {
namespace {

// Most rows of a section that lists faults; report.csv and report.json have the rest.
constexpr std::size_t kMostListed = 1000;
// Names in a sentence.
constexpr std::size_t kMostNamed = 100;

std::string FirstNames(const std::vector<std::string>& names, std::size_t most) {
  const std::size_t shown = std::min(most, names.size());
  std::string text =
      Join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

std::vector<std::string> KeysOf(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

std::string CpuText(const FleetKindRow& kind) {
  std::vector<std::string> models;
  for (const auto& [cpu, count] : kind.cpus) {
    models.push_back(kind.cpus.size() > 1 ? fmt::format("{} ({})", cpu, count) : cpu);
  }
  return FirstNames(models, kMostNamed);
}

// Sentences on results whose latencies are in doubt.
std::vector<std::string> DoubtSentences(const FleetReport& report) {
  std::vector<std::string> sentences;
  if (report.counts.busy > 0) {
    sentences.push_back(fmt::format(
        "Marked \"busy\": {}, measured while other programs used more than {} cores of the "
        "machine. Measure them again before you rely on their speed-ups.",
        Counted(report.counts.busy, "result"), kBusyOtherCores));
  }
  for (const FleetKindRow& kind : report.kinds) {
    if (kind.cpus.size() > 1) {
      sentences.push_back(fmt::format(
          "Kind {} has {} CPU models: {}. Their latencies do not compare: give each model a kind "
          "of its own. Results of the rarer ones are marked \"other CPU\".",
          kind.name, kind.cpus.size(), CpuText(kind)));
    }
  }
  for (const FleetKindRow& kind : report.kinds) {
    std::vector<std::string> targets = KeysOf(kind.targets);
    std::erase(targets, "host");
    if (!targets.empty()) {
      sentences.push_back(fmt::format(
          "Latencies of kind {} are those of target {}: the report of each network says whether "
          "they are measured or predicted.",
          kind.name, Join(targets, ", ")));
    }
  }
  if (!report.strangers.empty()) {
    std::vector<std::string> names;
    for (const FleetItem& item : report.strangers) {
      names.push_back(fmt::format("{} on {}", item.network, item.kind));
    }
    sentences.push_back(
        "Left out, because the plan has no such item: " + FirstNames(names, kMostNamed) + ".");
  }
  return sentences;
}

// Ends of a round of retune, the worst first.
constexpr TaskEnd kRetuneEnds[] = {
    TaskEnd::kDied,         TaskEnd::kFailed,        TaskEnd::kGateFailed, TaskEnd::kBoundsNotMet,
    TaskEnd::kInconclusive, TaskEnd::kSearchedAgain, TaskEnd::kDone,       TaskEnd::kHolds};

std::vector<const FleetRow*> RowsThatEnded(const FleetReport& report, TaskEnd end) {
  std::vector<const FleetRow*> rows;
  for (const FleetRow& row : report.rows) {
    if (row.state == RowState::kFinished && row.result.end == end) {
      rows.push_back(&row);
    }
  }
  return rows;
}

void LeaveOut(std::size_t count, std::string_view where, ReportSection& section) {
  if (count > section.table.rows.size()) {
    section.sentences.push_back(fmt::format("The first {} of {}; the others are in {}.",
                                            section.table.rows.size(), count, where));
  }
}

// Verdicts of a round of retune; those that hold are counted and stand in the table of speed-ups.
ReportSection RetuneSection(const FleetReport& report) {
  ReportSection section = {.id = "retune", .heading = "What still holds"};
  if (report.task != RoundTask::kRetune) {
    return section;
  }
  std::vector<const FleetRow*> rows;
  std::vector<std::string> counts;
  for (const TaskEnd end : kRetuneEnds) {
    const std::vector<const FleetRow*> ended = RowsThatEnded(report, end);
    if (!ended.empty()) {
      counts.push_back(fmt::format("{} {}", ended.size(), NameOf(end)));
    }
    if (end != TaskEnd::kHolds) {
      rows.insert(rows.end(), ended.begin(), ended.end());
    }
  }
  section.sentences.push_back(counts.empty() ? "Nothing is finished yet."
                                             : "Verdicts: " + Join(counts, ", ") + ".");
  section.caption = "Items that do not hold what they shipped";
  section.table.header = {"network", "kind", "verdict", "what moved"};
  for (std::size_t i = 0; i < std::min(kMostListed, rows.size()); ++i) {
    const FleetRow& row = *rows[i];
    section.table.rows.push_back(
        {row.item.network, row.item.kind, StateText(row),
         row.result.retune_verdict.empty() ? row.result.reason : row.result.retune_verdict});
    section.links.push_back(row.has_front ? ResultUrl(row.item) : "");
  }
  LeaveOut(rows.size(), "report.json", section);
  return section;
}

ReportSection TotalsSection(const FleetReport& report) {
  ReportSection section = {.id = "totals", .heading = "Totals"};
  section.sentences.push_back(CountsSentence(report.counts) + ".");
  for (std::string& sentence : DoubtSentences(report)) {
    section.sentences.push_back(std::move(sentence));
  }
  return section;
}

ReportSection MeanSection(const FleetReport& report, Judge judge) {
  const bool by_agreement = judge == Judge::kAgreement;
  ReportSection section = {
      .id = by_agreement ? "means-of-agreement" : "means",
      .heading = by_agreement ? "Mean speed-up, networks with integer outputs" : "Mean speed-up"};
  section.table = MeanTable(report, judge);
  if (!section.table.rows.empty()) {
    section.sentences.push_back(
        "In parentheses, how many networks keep the bound with a point that is faster than "
        "float32; "
        "the others count as 1.");
    section.caption = "Geometric mean of the speed-up over float32 at each bound";
  }
  return section;
}

ReportSection MeanSectionOfSqnr(const FleetReport& report) {
  return MeanSection(report, Judge::kSqnr);
}

ReportSection MeanSectionOfAgreement(const FleetReport& report) {
  return MeanSection(report, Judge::kAgreement);
}

ReportSection MovesSection(const FleetReport& report) {
  ReportSection section = {.id = "moves", .heading = "What moved"};
  if (!report.compared) {
    return section;
  }
  section.heading = "What moved since " + report.facts.before;
  section.sentences.push_back(report.moves.empty() ? "Nothing to compare yet."
                                                   : MoveCounts(report) + ".");
  std::size_t moved = 0;
  std::set<MoveKind> kinds;
  section.table.header = {"network", "kind", "verdict", "before", "now", "note"};
  for (const FleetMove& move : report.moves) {
    if (move.kinds.front() == MoveKind::kSame) {
      continue;
    }
    ++moved;
    kinds.insert(move.kinds.begin(), move.kinds.end());
    if (moved > kMostListed) {
      continue;
    }
    section.table.rows.push_back({move.item.network, move.item.kind, MoveText(move),
                                  CellText(move.before, move.judge), CellText(move.now, move.judge),
                                  move.note});
    section.links.push_back(move.now.kind != CellKind::kNoFront ? ResultUrl(move.item) : "");
  }
  std::vector<std::string> meanings;
  meanings.reserve(kinds.size());
  for (const MoveKind kind : kinds) {
    meanings.push_back(fmt::format("{}: {}", NameOf(kind), MeaningOf(kind)));
  }
  if (!meanings.empty()) {
    section.sentences.push_back(Join(meanings, "; ") + ".");
  }
  section.caption =
      "Items that moved, the worst first: the chosen point, its speed-up with the "
      "95 % interval and its accuracy";
  LeaveOut(moved, "report.json", section);
  return section;
}

ReportSection FailuresSection(const FleetReport& report) {
  ReportSection section = {.id = "failures", .heading = "Failures"};
  section.caption = "Items without what was asked for, and why";
  section.table.header = {"network", "kind", "state", "attempts", "node", "reason"};
  const std::vector<const FleetRow*> bad = BadRows(report);
  for (std::size_t i = 0; i < std::min(kMostListed, bad.size()); ++i) {
    const FleetRow& row = *bad[i];
    const bool finished = row.state == RowState::kFinished;
    section.table.rows.push_back({row.item.network, row.item.kind, StateText(row),
                                  finished ? std::to_string(row.result.attempts) : "",
                                  row.result.node, ReasonText(row)});
    section.links.push_back(row.has_front ? ResultUrl(row.item) : "");
  }
  LeaveOut(bad.size(), "report.csv", section);
  return section;
}

ReportSection MissingSection(const FleetReport& report) {
  ReportSection section = {.id = "missing", .heading = "Not finished"};
  for (const FleetKindRow& kind : report.kinds) {
    std::vector<std::string> names;
    for (const FleetRow& row : report.rows) {
      if (row.state == RowState::kNotFinished && row.item.kind == kind.name) {
        names.push_back(row.item.network);
      }
    }
    if (!names.empty()) {
      section.sentences.push_back(fmt::format("{}: {}.", kind.name, FirstNames(names, kMostNamed)));
    }
  }
  return section;
}

ReportSection MachinesSection(const FleetReport& report) {
  ReportSection section = {.id = "machines", .heading = "Machines"};
  section.caption = "Kinds of machine, with the results of each";
  section.table.header = {"kind",         "items", "done",  "not met", "failed, damaged",
                          "not finished", "busy",  "hours", "CPU",     "instruction sets",
                          "target"};
  for (const FleetKindRow& kind : report.kinds) {
    const FleetCounts& counts = kind.counts;
    section.table.rows.push_back({kind.name, std::to_string(counts.items),
                                  std::to_string(counts.good), std::to_string(counts.not_met),
                                  std::to_string(counts.failed + counts.damaged),
                                  std::to_string(counts.not_finished), std::to_string(counts.busy),
                                  fmt::format("{:.1f}", counts.seconds / 3600), CpuText(kind),
                                  Join(KeysOf(kind.isas), ", "), Join(KeysOf(kind.targets), ", ")});
  }
  return section;
}

ReportSection SpeedUpSection(const FleetReport& report, Judge judge) {
  const bool by_agreement = judge == Judge::kAgreement;
  ReportSection section = {
      .id = by_agreement ? "speed-ups-of-agreement" : "speed-ups",
      .heading = by_agreement ? "Speed-ups of networks with integer outputs" : "Speed-ups"};
  section.table = SpeedUpTable(report, judge);
  for (const FleetRow& row : report.rows) {
    if (row.judge == judge) {
      section.links.push_back(row.has_front ? ResultUrl(row.item) : "");
    }
  }
  if (section.table.rows.empty()) {
    return section;
  }
  section.caption =
      IsSmallFleet(report)
          ? fmt::format(
                "Best speed-up over float32 at each bound, with its 95 % interval and the "
                "{} there",
                by_agreement ? "agreement" : "SQNR")
          : fmt::format(
                "Best speed-up over float32 at each bound, in parentheses the {} there; "
                "intervals are in report.csv",
                by_agreement ? "agreement in %" : "SQNR in dB");
  std::vector<std::string> meanings;
  for (const FleetBound& bound : BoundsOf(judge)) {
    meanings.push_back(fmt::format("{}: {}", bound.heading, bound.meaning));
  }
  section.sentences = {
      "A cell is the fastest point that keeps the bound on the samples of the search and is faster "
      "than float32 beyond doubt; \"-\" where only float32 keeps it. In the column \"chosen\" is "
      "the point that the network's own goal chose; \"-\" where none meets it.",
      Join(meanings, "; ") + "."};
  return section;
}

ReportSection SpeedUpSectionOfSqnr(const FleetReport& report) {
  return SpeedUpSection(report, Judge::kSqnr);
}

ReportSection SpeedUpSectionOfAgreement(const FleetReport& report) {
  return SpeedUpSection(report, Judge::kAgreement);
}

// In the order of the report.
constexpr ReportSection (*kAllSections[])(const FleetReport&) = {
    RetuneSection,        TotalsSection,
    MeanSectionOfSqnr,    MeanSectionOfAgreement,
    MovesSection,         FailuresSection,
    MissingSection,       MachinesSection,
    SpeedUpSectionOfSqnr, SpeedUpSectionOfAgreement};

}  // namespace

std::vector<ReportSection> SectionsOf(const FleetReport& report) {
  std::vector<ReportSection> sections;
  for (const auto& make : kAllSections) {
    ReportSection section = make(report);
    if (!section.sentences.empty() || !section.table.rows.empty()) {
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

}  // namespace halftone
