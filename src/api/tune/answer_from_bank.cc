#include "src/api/tune/answer_from_bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "knowledge_base/front_trials.h"
#include "search/explain/kept_operators.h"
#include "search/measure/shapes_measurer.h"
#include "search/strategies/model_strategy.h"
#include "src/api/bank/stored_prober.h"
#include "src/api/tune/heldout.h"
#include "src/api/tune/judging_notes.h"
#include "src/base/error.h"
#include "src/base/hash.h"
#include "src/precision/resolve/resolve.h"
#include "src/report/formats.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr std::string_view kSearchFact = "search";
constexpr std::string_view kHeldoutFact = "heldout";
constexpr std::string_view kSamplesFact = "samples";  // FittedSamples
constexpr std::string_view kTimeFact = "search_ended_by_s";
constexpr std::string_view kJudgingFact = "judging";           // ToText() of the footnotes
constexpr std::string_view kMetricFact = "metric_of_float32";  // the mean of --metric

std::string ToText(const FittedSamples& fitted) {
  json counts = json::array();
  for (const ShapeSamples& shape : fitted.used) {
    counts.push_back({shape.search, shape.heldout});
  }
  return json{{"asked", fitted.asked.ToHex()}, {"counts", counts}, {"warning", fitted.warning}}
      .dump();
}

// Empty: the text is not ToText() of samples.
std::optional<FittedSamples> FittedFrom(const std::string& text) {
  try {
    const json stored = json::parse(text);
    const auto asked = Hash128::FromHex(stored.at("asked").get<std::string>());
    if (!asked) {
      return std::nullopt;
    }
    FittedSamples fitted{
        .asked = *asked, .used = {}, .warning = stored.at("warning").get<std::string>()};
    for (const json& counts : stored.at("counts")) {
      fitted.used.push_back(
          {.search = counts.at(0).get<std::size_t>(), .heldout = counts.at(1).get<std::size_t>()});
    }
    return fitted;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// Hash of all inputs of a search besides the workload; the goal matters only at its end.
std::string SearchKeyOf(const TuneOptions& options, const SearchSpace& space,
                        const Hash128& heldout) {
  Hasher hasher;
  hasher.Add(options.strategy).Add(static_cast<std::int64_t>(options.seed));
  hasher.Add(static_cast<std::int64_t>(options.max_trials));
  hasher.Add(static_cast<std::int64_t>(options.budget.evaluations.value_or(0)));
  for (const auto* list : {&space.modes, &space.keepable_nodes, &space.pinned_keep_dtype}) {
    hasher.Add(std::ssize(*list));
    for (const std::string& item : *list) {
      hasher.Add(item);
    }
  }
  hasher.Add(heldout);
  if (space.quantization) {
    hasher.Add(space.quantization.digest());
    if (options.quantize.bias_correction == BiasCorrection::kSequential) {
      hasher.Add(NameOf(options.quantize.bias_correction));
    }
  }
  if (const MetricArguments& metric = options.measure.metric; !metric.metric.empty()) {
    hasher.Add(metric.metric).Add(metric.better);
  }
  return hasher.Finish().ToHex();
}

// A baseline or a strategy of the caller's is no part of the key.
bool CanBeAnswered(const TuneOptions& options) {
  return !options.baseline && !options.make_strategy;
}

// Seconds that the search may take; empty: no limit.
std::optional<double> TimeLimitOf(const TuneOptions& options) {
  std::optional<double> limit_s;
  for (const auto& limit : {options.budget.time, options.time_limit}) {
    if (limit) {
      limit_s = std::min(limit_s.value_or(limit->count()), limit->count());
    }
  }
  return limit_s;
}

// True if time ends this search no later than `seconds`, from kTimeFact.
bool EndsBy(const TuneOptions& options, std::string_view seconds) {
  double stored_s = 0;
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), stored_s);
  const auto limit_s = TimeLimitOf(options);
  return limit_s && *limit_s <= stored_s;
}

json ToJson(const Accuracy& accuracy) {
  json object = json::object();
  for (const MetricValue& metric : accuracy.metrics) {
    object[metric.name] = {{"mean", metric.mean},
                           {"worst", metric.worst},
                           {"worst_sample", metric.worst_sample},
                           {"worst_sample_name", metric.worst_sample_name},
                           {"values", metric.values}};
  }
  return object;
}

MetricValue MetricFrom(std::string name, const json& value) {
  return {.name = std::move(name),
          .mean = value.at("mean").get<double>(),
          .worst = value.at("worst").get<double>(),
          .worst_sample = value.at("worst_sample").get<std::int64_t>(),
          .values = value.at("values").get<std::vector<double>>(),
          .worst_sample_name = value.at("worst_sample_name").get<std::string>()};
}

// Metrics in the order of AllMetrics(), the user's own last.
Accuracy AccuracyFrom(const json& object) {
  Accuracy accuracy;
  for (const MetricRow& row : AllMetrics()) {
    if (const auto found = object.find(row.name); found != object.end()) {
      accuracy.metrics.push_back(MetricFrom(std::string(row.name), *found));
    }
  }
  for (const auto& [name, value] : object.items()) {
    if (FindMetric(name) == nullptr) {
      accuracy.metrics.push_back(MetricFrom(name, value));
    }
  }
  return accuracy;
}

std::string FactOf(const StoredFront& front, std::string_view name) {
  const auto found = front.provenance.find(std::string(name));
  return found == front.provenance.end() ? "" : found->second;
}

// Whether kHeldoutFact counts the plan among those that run as float32; older ones count none.
bool NamesAsFloat32(const json& heldout, const Hash128& plan) {
  const json digests = heldout.value("as_float32", json::array());
  return std::any_of(digests.begin(), digests.end(),
                     [&](const json& digest) { return digest == plan.ToHex(); });
}

// `newest` are the Trials() of the front's workload: nearly always they hold all members, and to
// read everything that was ever measured takes longer.
void AddPoints(const StoredFront& front, const Prepared& prepared,
               const std::vector<StoredTrial>& newest, Certified& answer) {
  const json heldout = json::parse(FactOf(front, kHeldoutFact));
  const bool newest_do = std::ranges::all_of(front.members, [&](const FrontMember& member) {
    return FindMember(newest, member) != nullptr;
  });
  const std::vector<StoredTrial> history =
      newest_do ? std::vector<StoredTrial>() : prepared.bank.store->History(front.workload_key);
  for (const StoredTrial* stored :
       TrialsOf(front, newest_do ? newest : history, prepared.facts.database)) {
    FrontPoint& point = answer.front.points.emplace_back();
    point.trial = stored->trial;
    const auto values = heldout.at("points").find(point.trial.plan_digest.ToHex());
    if (values != heldout.at("points").end()) {
      point.heldout = AccuracyFrom(*values);
    }
    point.as_float32 = NamesAsFloat32(heldout, point.trial.plan_digest);
  }
  answer.reference.heldout = AccuracyFrom(heldout.at("reference"));
  answer.reference.arena_bytes = heldout.at("reference_arena_bytes").get<std::int64_t>();
}

// The losses of the points by the metric, and what float32 has of it. False: a point does not have
// it, as one that another search left on the front.
bool ApplyMetric(const StoredFront& front, const LossMetric& metric, Certified& answer) {
  if (metric.is_default()) {
    return true;
  }
  const std::string reference = FactOf(front, kMetricFact);
  if (reference.empty()) {
    return false;
  }
  answer.reference.metric = MetricSummary{.name = metric.name,
                                          .higher_is_better = metric.better == Better::kHigher,
                                          .reference = json::parse(reference).get<double>()};
  answer.reference = WithHeldout(answer.reference, answer.reference.heldout);
  for (FrontPoint& point : answer.front.points) {
    Accuracy& accuracy = std::get<Measurement>(point.trial.outcome).accuracy;
    accuracy.loss = LossIn(accuracy, metric);
    if (!accuracy.loss) {
      return false;
    }
  }
  return true;
}

SearchFacts FactsOfAnswer(const StoredFront& front, const std::vector<StoredTrial>& trials,
                          const Vocabulary& words) {
  SearchFacts facts;
  facts.strategy = front.strategy;
  for (const StoredTrial& stored : trials) {
    if (const Rejection* rejection = stored.trial.rejection()) {
      facts.rejected.push_back({Summary(stored.trial.candidate, words), rejection->reason});
    }
    facts.known += stored.trial.plan_digest == Hash128{} ? 0 : 1;
  }
  facts.distinct_plans = facts.known;
  const std::string ended_by = FactOf(front, kTimeFact);
  facts.stop_reason = fmt::format(
      "answered from the front of {}{}, nothing was run; --verify measures the chosen point, "
      "--search_again {}",
      front.recorded_at,
      ended_by.empty() ? "" : fmt::format(", whose search ended with its {} s", ended_by),
      ended_by.empty() ? "searches" : "goes on with it");
  return facts;
}

// The newest front of this search; null where there is none, or time ended it earlier than it would
// end this one. What `retune` left is of no search, and what was before it is out of date.
const StoredFront* FrontOfSearch(const std::vector<StoredFront>& fronts, const TuneOptions& options,
                                 const std::string& key) {
  for (const StoredFront& front : fronts) {
    const std::string search = FactOf(front, kSearchFact);
    if (search.empty()) {
      return nullptr;
    }
    if (search == key) {
      const std::string ended_by = FactOf(front, kTimeFact);
      return ended_by.empty() || EndsBy(options, ended_by) ? &front : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

Provenance HeldoutFacts(const TunedFront& front, const Reference& reference) {
  json points = json::object();
  json as_float32 = json::array();
  for (const FrontPoint& point : front.points) {
    if (point.as_float32) {
      as_float32.push_back(point.trial.plan_digest.ToHex());
    }
    if (point.heldout) {
      points[point.trial.plan_digest.ToHex()] = ToJson(*point.heldout);
    }
  }
  const json values = {{"points", points},
                       {"as_float32", as_float32},
                       {"reference", ToJson(reference.heldout)},
                       {"reference_arena_bytes", reference.arena_bytes}};
  return {{std::string(kHeldoutFact), values.dump()}};
}

std::optional<HeldoutValues> HeldoutOf(const StoredFront& front, const Hash128& plan) {
  const std::string fact = FactOf(front, kHeldoutFact);
  if (fact.empty()) {
    return std::nullopt;
  }
  try {
    const json heldout = json::parse(fact);
    const auto values = heldout.at("points").find(plan.ToHex());
    return values == heldout.at("points").end()
               ? std::nullopt
               : std::optional(HeldoutValues{.point = AccuracyFrom(*values),
                                             .reference = AccuracyFrom(heldout.at("reference")),
                                             .as_float32 = NamesAsFloat32(heldout, plan)});
  } catch (const json::exception&) {
    return std::nullopt;  // AnswerFromBank() is who says so
  }
}

Provenance AnswerFacts(const TuneOptions& options, const SearchSpace& space, const Hash128& heldout,
                       const TuneSummary& summary, const std::string& notes,
                       const FittedSamples& fitted) {
  if (summary.search.end == SearchEnd::kUser || !CanBeAnswered(options)) {
    return {};
  }
  Provenance facts = HeldoutFacts(summary.front, summary.reference);
  facts.emplace(kSearchFact, SearchKeyOf(options, space, heldout));
  if (!notes.empty()) {
    facts.emplace(kJudgingFact, notes);
  }
  if (!fitted.used.empty()) {
    facts.emplace(kSamplesFact, ToText(fitted));
  }
  if (summary.reference.metric) {
    facts.emplace(kMetricFact, json(summary.reference.metric->reference).dump());
  }
  if (const auto limit_s = TimeLimitOf(options);
      summary.search.end == SearchEnd::kTime && limit_s) {
    facts.emplace(kTimeFact, fmt::format("{}", *limit_s));
  }
  return facts;
}

std::optional<FittedSamples> StoredSamples(TrialStore& store, std::span<const Hash128> keys,
                                           const Hash128& asked, std::size_t shapes) {
  for (const Hash128& key : keys) {
    for (const StoredFront& front : store.Fronts(key)) {
      auto fitted = FittedFrom(FactOf(front, kSamplesFact));
      if (fitted && fitted->asked.ToHex() == asked.ToHex() && fitted->used.size() == shapes) {
        return fitted;
      }
    }
  }
  return std::nullopt;
}

std::optional<Certified> AnswerFromBank(const Prepared& prepared, const Hash128& workload_key) {
  const TuneOptions& options = prepared.options;
  if (prepared.bank.store == nullptr || !CanBeAnswered(options)) {
    return std::nullopt;
  }
  TrialStore& store = *prepared.bank.store;
  const auto snapshot = store.Snapshot();  // the front with its trials
  const std::vector<StoredFront> fronts = store.Fronts(workload_key);
  const StoredFront* found = FrontOfSearch(
      fronts, options, SearchKeyOf(options, prepared.space, prepared.samples.HeldoutHash()));
  if (found == nullptr) {
    return std::nullopt;
  }
  const StoredFront& front = *found;
  const std::vector<StoredTrial> trials = store.Trials(workload_key);
  Certified answer{.reference = {},
                   .search = FactsOfAnswer(front, trials, VocabularyOf(prepared.target())),
                   .front = {},
                   .warnings = {}};
  try {
    AddPoints(front, prepared, trials, answer);
    std::ranges::move(SentencesOf(NotesFrom(FactOf(front, kJudgingFact), answer.front)),
                      std::back_inserter(answer.warnings));
    if (!ApplyMetric(front, prepared.metric, answer)) {
      return std::nullopt;
    }
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("the knowledge base '{}' has a front that cannot be read: {}; tune "
                            "with --search_again",
                            prepared.facts.database, error.what()));
  }
  answer.reference.top1 = front.reference_top1;
  if (!answer.front.points.empty()) {
    answer.reference.latency_s = answer.front.points.front().measurement().latency.anchor_median_s;
  }
  return answer;
}

Certified VerifyChosen(const Prepared& prepared, const Hash128& workload_key, Certified answer) {
  Trial& trial = answer.front.points[*answer.front.chosen].trial;
  const PrecisionPlan plan =
      ResolvePrecision(prepared.graph(), trial.candidate.options, prepared.target());
  ShapesMeasurer measurer(prepared.graph(), prepared.SearchedShapes(), prepared.Measuring());
  const Measurement before = *trial.measurement();
  auto outcome = measurer.Measure(plan);
  if (auto* rejection = std::get_if<Rejection>(&outcome)) {
    throw Error(
        ErrorKind::kUnsupported,
        fmt::format("the answer '{}' does not hold any more: {}; tune with --search_again",
                    Summary(trial.candidate, VocabularyOf(prepared.target())), rejection->reason));
  }
  trial.outcome = std::get<Measurement>(std::move(outcome));
  auto& now = std::get<Measurement>(trial.outcome);
  now.latency = measurer.Confirm(plan);
  now.confirmed = true;
  prepared.bank.store->AddTrial(workload_key, trial);
  answer.search.measured = 1;
  answer.search.stop_reason = fmt::format(
      "answered from the knowledge base and verified: {} the speed of {}, {} when it was stored",
      FormatSpeedUp(now.latency), prepared.facts.anchor, FormatSpeedUp(before.latency));
  answer.front = ChooseAndCertify(std::move(answer.front), prepared.BasisOf(answer.reference));
  return answer;
}

}  // namespace halftone
