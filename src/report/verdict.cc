#include "src/report/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "search/trial/certify.h"
#include "search/trial/choose.h"
#include "search/trial/pareto_front.h"
#include "src/base/enum_table.h"
#include "src/base/text.h"
#include "src/report/bound_figure.h"
#include "src/report/cost_model.h"
#include "src/report/formats.h"
#include "src/report/not_searched.h"
#include "src/report/tune_summary.h"

namespace halftone {
namespace {

constexpr EnumRow<VerdictKind> kKinds[] = {
    {VerdictKind::kPromised, "promised", "promised"},
    {VerdictKind::kMetOnSamples, "met_on_samples", "met on the samples, not promised"},
    {VerdictKind::kNotMet, "not_met", "not met"},
    {VerdictKind::kNoBound, "no_bound", "no bound"},
    {VerdictKind::kNotSearched, "not_searched", "nothing searched"},
};

constexpr std::string_view kOfSearch = " on the samples of the search";
constexpr std::string_view kOfHeldout = " on held-out samples";

// For each point, whether it may be promised, as part of the sequence of tests.
std::vector<bool> PromisedPoints(const TuneSummary& summary) {
  std::vector<bool> promised(summary.front.points.size(), false);
  std::vector<Trial> trials;
  std::vector<std::optional<Certificate>> certificates;
  for (const FrontPoint& point : summary.front.points) {
    trials.push_back(point.trial);
    certificates.push_back(point.certificate);
  }
  for (const std::size_t i :
       Promisable(trials, summary.constraints, summary.reference.top1, certificates)) {
    promised[i] = true;
  }
  return promised;
}

BoundValues OnSearch(const FrontPoint& point, const Reference& reference) {
  return {.accuracy = point.measurement().accuracy,
          .latency = &point.measurement().latency,
          .reference_top1 = reference.top1};
}

// Requires point.heldout.
BoundValues OnHeldout(const FrontPoint& point, const Reference& reference) {
  return {
      .accuracy = *point.heldout, .latency = nullptr, .reference_top1 = reference.heldout_top1()};
}

// "57.5 dB [54.4 dB, 62.8 dB] on the samples of the search, 56 dB on held-out samples"
std::string FiguresOf(const BoundRow& row, const FrontPoint& point, const TuneSummary& summary) {
  const std::string anchor = AnchorInWords(summary.run.anchor);
  BoundValues values = OnSearch(point, summary.reference);
  values.anchor = anchor;
  std::string text = BoundFigure(row, summary.constraints, values);
  if (row.metric.empty()) {
    return text;
  }
  text += kOfSearch;
  if (point.heldout) {
    text += fmt::format(", {}{}",
                        BoundFigure(row, summary.constraints, OnHeldout(point, summary.reference)),
                        kOfHeldout);
  }
  return text;
}

// ---- Bounds ----

const PromisedBound* BoundOf(const std::optional<Certificate>& certificate, std::string_view name) {
  if (!certificate) {
    return nullptr;
  }
  const auto found = std::ranges::find(certificate->bounds, name, &PromisedBound::name);
  return found == certificate->bounds.end() ? nullptr : &*found;
}

// Why a bound that the samples meet is not promised, a clause.
std::string WhyNotPromised(const BoundRow& row, const FrontPoint& point,
                           const TuneSummary& summary) {
  if (row.metric.empty()) {
    return point.measurement().latency.is_predicted() ? "nothing is promised of a prediction"
                                                      : "its interval reaches beyond the bound";
  }
  if (!summary.confidence) {
    return "nothing is promised of other samples (--confidence=none)";
  }
  if (const PromisedBound* bound = BoundOf(point.certificate, row.name)) {
    return bound->holds ? "not promised, as another bound or a more accurate point could not be"
                        : "not promised: " + bound->statement;
  }
  return point.heldout ? "not promised: it was not certified"
         : summary.run.heldout_count > 0
             ? "not promised: it cannot run on the held-out samples"
             : "nothing is promised of other samples without held-out ones "
               "(--heldout_inputs, --heldout_share)";
}

std::optional<std::string> MissOfBound(const BoundRow& row, const FrontPoint& point,
                                       const TuneSummary& summary) {
  Constraints alone;
  alone.*row.value = summary.constraints.*row.value;
  if (row.share != nullptr) {
    alone.*row.share = summary.constraints.*row.share;
  }
  return MissOnSamples(point, alone, summary.reference);
}

BoundVerdict JudgeBound(const BoundRow& row, const FrontPoint& point, bool promised,
                        const TuneSummary& summary) {
  const auto found = [&](VerdictKind kind, std::string sentence) {
    return BoundVerdict{.name = std::string(row.name),
                        .demand = DemandOf(row, summary.constraints),
                        .kind = kind,
                        .sentence = std::move(sentence)};
  };
  const PromisedBound* bound = BoundOf(point.certificate, row.name);
  if (promised && bound != nullptr && bound->holds) {
    return found(VerdictKind::kPromised, bound->statement);
  }
  if (auto miss = MissOfBound(row, point, summary)) {
    return found(VerdictKind::kNotMet, *std::move(miss));
  }
  const Latency& latency = point.measurement().latency;
  const double most = summary.constraints.max_latency_ratio.value_or(0);
  const std::string figures = FiguresOf(row, point, summary);
  if (row.metric.empty() && !latency.is_predicted() && latency.ratio_interval.high <= most) {
    return found(VerdictKind::kPromised, figures);
  }
  return found(VerdictKind::kMetOnSamples,
               fmt::format("{}; {}", figures, WhyNotPromised(row, point, summary)));
}

std::vector<BoundVerdict> JudgeBounds(const FrontPoint& point, bool promised,
                                      const TuneSummary& summary) {
  std::vector<BoundVerdict> bounds;
  for (const BoundRow& row : AllBounds()) {
    if (summary.constraints.*row.value) {
      bounds.push_back(JudgeBound(row, point, promised, summary));
    }
  }
  return bounds;
}

// ---- The default of a search without bounds ----

std::string DefaultFigure(const Accuracy& accuracy) {
  const Nearness nearness = NearnessOf(accuracy);
  return IsJudgedByAgreement(accuracy) ? nearness.mean : nearness.worst;
}

BoundVerdict JudgeDefault(const FrontPoint& point) {
  const Accuracy& accuracy = point.measurement().accuracy;
  const bool by_agreement = IsJudgedByAgreement(accuracy);
  const std::optional<std::string> miss = MissOfDefault(point);
  return {
      .name = by_agreement ? "agreement" : "sqnr_db_worst",
      .demand = by_agreement ? fmt::format("an agreement of at least {:g}", kDefaultAgreement)
                             : fmt::format("{:g} dB of the worst sample", kDefaultWorstSqnrDb),
      .kind = miss ? VerdictKind::kNotMet : VerdictKind::kMetOnSamples,
      .sentence = miss.value_or(
          DefaultFigure(accuracy) + std::string(kOfSearch) +
          (point.heldout ? fmt::format(", {}{}", DefaultFigure(*point.heldout), kOfHeldout) : ""))};
}

// ---- Refused points ----

std::optional<std::string> WhyNotCertified(const FrontPoint& point, bool promised) {
  if (promised) {
    return std::nullopt;
  }
  if (!point.certificate) {
    return "it cannot run on the held-out samples";
  }
  for (const PromisedBound& bound : point.certificate->bounds) {
    if (!bound.holds) {
      return "cannot be promised: " + bound.statement;
    }
  }
  return "not tested: a more accurate point could not be promised, which ends the tests";
}

// Why the point is not the chosen one, which is slower or missing.
std::string WhyRefused(const TuneSummary& summary, std::size_t index, bool promised) {
  const FrontPoint& point = summary.front.points[index];
  const Constraints& constraints = summary.constraints;
  if (constraints.any()) {
    if (auto miss = MissOnSamples(point, constraints, summary.reference)) {
      return *std::move(miss);
    }
    if (constraints.of_accuracy() && !summary.front.baseline && summary.MustPromise()) {
      if (auto why = WhyNotCertified(point, promised)) {
        return *std::move(why);
      }
    }
  } else if (!summary.front.baseline) {
    if (auto miss = MissOfDefault(point)) {
      return *std::move(miss);
    }
  }
  if (!summary.front.chosen) {
    return "nothing was chosen";
  }
  if (summary.front.baseline) {
    return "less accurate than the configuration given";
  }
  const bool tie = summary.front.chosen_point().measurement().latency.ratio <=
                   point.measurement().latency.ratio * (1 + kTieRatio);
  return tie ? "less accurate than the chosen point, which takes as long within 1 %"
             : "less accurate than the chosen point";
}

std::vector<RefusedPoint> RefusedOf(const TuneSummary& summary, const std::vector<bool>& promised) {
  std::vector<RefusedPoint> refused;
  const std::size_t end = summary.front.chosen.value_or(summary.front.points.size());
  for (std::size_t i = 0; i < end; ++i) {
    refused.push_back({.point = i, .reason = WhyRefused(summary, i, promised[i])});
  }
  return refused;
}

// ---- Sentences ----

std::string NoneMeets(const TuneSummary& summary, const std::vector<RefusedPoint>& refused) {
  std::string text =
      fmt::format("No configuration meets {}{}.", DemandOf(summary.constraints),
                  summary.MustPromise()
                      ? fmt::format(" with {:g} % confidence", 100 * summary.confidence.value_or(0))
                      : "");
  std::vector<std::string> nearest;
  for (const std::size_t i : summary.front.nearest) {
    const Latency& latency = summary.front.points[i].measurement().latency;
    nearest.push_back(fmt::format("point {} ({}): {}", i + 1,
                                  FormatSpeed(latency, summary.run.anchor), refused[i].reason));
  }
  return nearest.empty() ? text : text + " Nearest: " + Join(nearest, "; ") + ".";
}

// Metrics of which a bound can be promised (search/trial/certify.h).
constexpr std::string_view kPromisable[] = {"sqnr_db", "rel_l2", "top1", "top1_agreement",
                                            "agreement"};

std::string BoundSentences(const TuneSummary& summary, const Verdict& verdict) {
  std::string text;
  for (const BoundVerdict& bound : verdict.bounds) {
    text += bound.kind == VerdictKind::kPromised
                ? fmt::format(" Promised: {}.", bound.sentence)
                : fmt::format(" {} ({}): {}.",
                              bound.kind == VerdictKind::kNotMet ? "Not met" : "Met on the samples",
                              bound.demand, bound.sentence);
  }
  const bool bounds_own = summary.constraints.min_metric || summary.constraints.max_metric;
  if (verdict.kind == VerdictKind::kPromised && summary.reference.metric && !bounds_own &&
      std::ranges::find(kPromisable, summary.reference.metric->name) == std::end(kPromisable)) {
    text += fmt::format(" Not promised: {}, of which there is no bound.",
                        Printable(summary.reference.metric->name));
  }
  return text;
}

std::string WhyChosen(const TuneSummary& summary, const Verdict& verdict) {
  if (summary.constraints.any()) {
    return fmt::format(
        "the {} that meets {}{}", summary.constraints.of_accuracy() ? "fastest" : "most accurate",
        DemandOf(summary.constraints),
        verdict.kind == VerdictKind::kMetOnSamples && summary.constraints.of_accuracy()
            ? " on the samples; nothing is promised of others"
            : "");
  }
  if (summary.front.baseline) {
    return "the fastest that is not less accurate than " +
           Summary(summary.front.baseline->candidate, *summary.run.words);
  }
  const bool good = verdict.bounds.front().kind != VerdictKind::kNotMet;
  return IsJudgedByAgreement(summary.front.chosen_point().measurement().accuracy)
             ? fmt::format(
                   "the {} in 99 % of the elements; state bounds such as --min_agreement to "
                   "choose yourself",
                   good ? "fastest that agrees with float32"
                        : "most accurate, as none agrees with float32")
             : fmt::format(
                   "the {} sample has 30 dB; state bounds such as --max_top1_drop to choose "
                   "yourself",
                   good ? "fastest whose worst" : "most accurate, as of none the worst");
}

std::string ChosenSentence(const TuneSummary& summary, const Verdict& verdict) {
  const FrontPoint& point = summary.front.chosen_point();
  const Nearness nearness = NearnessOf(point.measurement().accuracy);
  std::string text = fmt::format("Chosen: point {}, {} at {} {} ({}).", *summary.front.chosen + 1,
                                 FormatSpeed(point.measurement().latency, summary.run.anchor),
                                 nearness.mean == "-" ? "unknown" : nearness.mean, nearness.what,
                                 WhyChosen(summary, verdict));
  text += summary.constraints.any() ? BoundSentences(summary, verdict) : "";
  text += CostModelSentence(summary);
  if (point.measurement().latency.ratio_interval.low > 1) {
    text += fmt::format(" It is slower than {0}: the whole network in {0} serves better here.",
                        AnchorInWords(summary.run.anchor));
  }
  return text + WhyNothingIsFaster(summary);
}

VerdictKind WorstOf(const std::vector<BoundVerdict>& bounds) {
  VerdictKind worst = VerdictKind::kPromised;
  for (const BoundVerdict& bound : bounds) {
    worst = std::max(worst, bound.kind);
  }
  return worst;
}

}  // namespace

std::string_view NameOf(VerdictKind kind) {
  return NameIn(kKinds, kind);
}

std::string_view LabelOf(VerdictKind kind) {
  const auto* const row = std::ranges::find(kKinds, kind, &EnumRow<VerdictKind>::value);
  return row != std::end(kKinds) ? row->meaning : "?";
}

std::optional<std::string> MissOnSamples(const FrontPoint& point, const Constraints& constraints,
                                         const Reference& reference) {
  Constraints accuracy = constraints;
  accuracy.max_latency_ratio.reset();
  if (auto miss = Violation(accuracy, OnSearch(point, reference))) {
    return *miss + "," + std::string(kOfSearch);
  }
  auto miss = Violation(constraints, OnSearch(point, reference));
  if (miss || !point.heldout) {
    return miss;
  }
  miss = Violation(accuracy, OnHeldout(point, reference));
  return miss ? std::optional(*miss + "," + std::string(kOfHeldout)) : std::nullopt;
}

std::optional<std::string> MissOfDefault(const FrontPoint& point) {
  const auto miss = [](const Accuracy& accuracy, std::string_view where) {
    const bool by_agreement = IsJudgedByAgreement(accuracy);
    return IsGoodByDefault(accuracy)
               ? std::nullopt
               : std::optional(
                     fmt::format("{} {}{}; the default asks for {}",
                                 by_agreement ? "its agreement is" : "its worst sample has",
                                 DefaultFigure(accuracy), where,
                                 by_agreement ? fmt::format("{:g} %", 100 * kDefaultAgreement)
                                              : fmt::format("{:g} dB", kDefaultWorstSqnrDb)));
  };
  auto of_search = miss(point.measurement().accuracy, kOfSearch);
  return of_search || !point.heldout ? of_search : miss(*point.heldout, kOfHeldout);
}

Verdict VerdictOf(const TuneSummary& summary) {
  Verdict verdict;
  const TunedFront& front = summary.front;
  const bool not_searched = NothingSearched(summary);
  if (not_searched || front.points.empty()) {
    verdict.kind = not_searched ? VerdictKind::kNotSearched : VerdictKind::kNotMet;
    verdict.satisfied = false;
    verdict.sentence =
        not_searched ? WhyNotSearched(summary) : "No configuration could be measured.";
    return verdict;
  }
  const std::vector<bool> promised = PromisedPoints(summary);
  verdict.refused = RefusedOf(summary, promised);
  if (!front.chosen) {
    verdict.kind = VerdictKind::kNotMet;
    verdict.satisfied = false;
    verdict.sentence = NoneMeets(summary, verdict.refused);
    if (!front.nearest.empty()) {
      const std::size_t nearest = front.nearest.front();
      verdict.bounds = JudgeBounds(front.points[nearest], promised[nearest], summary);
    }
    return verdict;
  }
  const FrontPoint& chosen = front.chosen_point();
  if (summary.constraints.any()) {
    verdict.bounds = JudgeBounds(chosen, promised[*front.chosen], summary);
    verdict.kind = WorstOf(verdict.bounds);
    verdict.satisfied = verdict.kind == VerdictKind::kPromised ||
                        (verdict.kind == VerdictKind::kMetOnSamples &&
                         (!summary.confidence || !summary.constraints.of_accuracy()));
  } else if (!front.baseline) {
    verdict.bounds = {JudgeDefault(chosen)};
  }
  verdict.sentence = ChosenSentence(summary, verdict);
  return verdict;
}

}  // namespace halftone
