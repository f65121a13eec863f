#include "search/calibrate/channel_factors.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "search/calibrate/channel_ranges.h"
#include "search/calibrate/products.h"
#include "search/calibrate/relative_error.h"
#include "search/space/network_steps.h"
#include "src/exec/fuse_by_plan.h"
#include "src/precision/resolve/node_formats.h"
#include "src/quantization/schemes.h"

namespace halftone {
namespace {

// Shares of the whole range that each candidate is tried with, so that outliers that a calibration
// method would clip do not argue for factors.
constexpr double kRangeShares[] = {1, 0.7};

// Largest magnitude of the weights that read each of `channels` channels.
void AddWeights(const Node& product, const Tensor& weights, std::vector<double>& largest) {
  const std::vector<double> values = DoublesOf(weights);
  const Shape& shape = weights.shape();
  const std::int64_t channels = std::ssize(largest);
  if (product.op != OpKind::kConv) {
    const bool transposed = product.op == OpKind::kGemm && product.attributes.Int("transB", 0) != 0;
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      const std::int64_t channel = transposed ? i % shape[1] : i / shape[1];
      double& of_channel = largest[static_cast<std::size_t>(channel)];
      of_channel = std::max(of_channel, std::fabs(values[static_cast<std::size_t>(i)]));
    }
    return;
  }
  const std::int64_t taps = shape.ElementCount(2, shape.rank());
  const std::int64_t results_a_group = shape[0] * shape[1] / channels;
  for (std::int64_t i = 0; i < std::ssize(values); ++i) {
    const std::int64_t group = i / taps / shape[1] / results_a_group;
    const std::int64_t channel = group * shape[1] + i / taps % shape[1];
    double& of_channel = largest[static_cast<std::size_t>(channel)];
    of_channel = std::max(of_channel, std::fabs(values[static_cast<std::size_t>(i)]));
  }
}

// What is known of a class, and its candidates: the first has no factors.
struct FactorTrial {
  const FactorClass* of = nullptr;
  // Of members that products read: on every second sample, with which candidates are tried on the
  // others, and on all.
  std::map<ValueId, ChannelRanges> ranges;
  std::map<ValueId, ChannelRanges> ranges_of_all;
  std::vector<double> weights;  // largest magnitude that reads each channel
  ChannelRanges front;          // of of->front

  struct Candidate {
    std::optional<double> alpha;  // empty: no factors
    std::vector<float> factors;
    double share = 1;  // of the range
    double error = 0;
    std::vector<std::unique_ptr<LoneNodes>> products;  // parallel to the readers
  };

  std::vector<Candidate> candidates;

  [[nodiscard]] int AxisOf(ValueId value) const {
    return std::ranges::find_if(of->members, [&](const auto& m) { return m.value == value; })->axis;
  }
};

class Chooser {
 public:
  Chooser(const Graph& graph, bool per_channel_weights, const CompileOptions& compile)
      : graph_(graph),
        per_channel_weights_(per_channel_weights),
        compile_(compile),
        steps_(StepsOf(graph)),
        classes_(FactorClasses(graph)),
        fused_(FuseByPlan(graph, ReferencePlan(graph), nullptr)) {
    for (const Node& node : fused_.graph.nodes) {
      fused_nodes_.emplace(node.name, &node);
    }
    for (const FactorClass& found : classes_) {
      FactorTrial& trial = trials_.emplace_back();
      trial.of = &found;
      for (const FactorClass::Reader& reader : found.readers) {
        trial.ranges.try_emplace(reader.value);
        trial.ranges_of_all.try_emplace(reader.value);
      }
    }
  }

  [[nodiscard]] bool empty() const { return trials_.empty(); }

  void AddRanges(const std::map<ValueId, Tensor>& values, bool for_trials) {
    for (FactorTrial& trial : trials_) {
      for (auto& [value, ranges] : trial.ranges_of_all) {
        ranges.Add(values.at(value), trial.AxisOf(value));
        if (for_trials) {
          trial.ranges.at(value).Add(values.at(value), trial.AxisOf(value));
        }
      }
      if (const FactorClass::Member& front = trial.of->front; front.value != kNoValue) {
        trial.front.Add(values.at(front.value), front.axis);
      }
    }
  }

  // False: `goes_on` said that there is no time for all.
  [[nodiscard]] bool MakeCandidates(const std::function<bool()>& goes_on) {
    for (FactorTrial& trial : trials_) {
      trial.weights.resize(Magnitudes(trial.ranges).size());
      for (const FactorClass::Reader& reader : trial.of->readers) {
        const Node& product = graph_.node(reader.product);
        AddWeights(product, WeightsOf(product), trial.weights);
      }
      std::vector<std::optional<double>> alphas = {std::nullopt};
      alphas.insert(alphas.end(), std::begin(kFactorAlphas), std::end(kFactorAlphas));
      for (const std::optional<double> alpha : alphas) {
        for (const double share : kRangeShares) {
          trial.candidates.push_back({.alpha = alpha,
                                      .factors = FactorsOf(trial, trial.ranges, alpha),
                                      .share = share,
                                      .error = 0,
                                      .products = {}});
        }
      }
    }
    for (FactorTrial& trial : trials_) {
      for (FactorTrial::Candidate& candidate : trial.candidates) {
        if (goes_on && !goes_on()) {
          return false;
        }
        Compile(trial, candidate);
      }
    }
    return true;
  }

  // Likewise.
  [[nodiscard]] bool AddErrors(const std::map<ValueId, Tensor>& values, const ThreadPool& pool,
                               const std::function<bool()>& goes_on) {
    for (FactorTrial& trial : trials_) {
      if (goes_on && !goes_on()) {
        return false;
      }
      for (FactorTrial::Candidate& candidate : trial.candidates) {
        AddErrorsAtReaders(trial, values, pool, candidate);
      }
    }
    return true;
  }

  [[nodiscard]] ChosenFactors Best() const {
    ChosenFactors chosen;
    for (const FactorTrial& trial : trials_) {
      double without = std::numeric_limits<double>::infinity();
      const FactorTrial::Candidate* best = nullptr;
      for (const FactorTrial::Candidate& candidate : trial.candidates) {
        if (candidate.factors.empty()) {
          without = std::min(without, candidate.error);
        } else if (best == nullptr || candidate.error < best->error) {
          best = &candidate;
        }
      }
      const double share = trial.of->is_made_by_table ? kTableErrorShare : kFactorErrorShare;
      if (best == nullptr || !(best->error <= share * without) || without == 0) {
        continue;
      }
      const std::vector<float> factors = FactorsOf(trial, trial.ranges_of_all, best->alpha);
      const double bound = BoundOf(trial, trial.ranges_of_all);
      const float largest = *std::ranges::max_element(factors);
      for (const FactorClass::Member& member : trial.of->members) {
        chosen.factors[member.value] = {.axis = member.axis, .factors = factors};
        if (std::isfinite(bound)) {
          chosen.most[member.value] = bound / static_cast<double>(largest);
        }
      }
      if (trial.of->front.value != kNoValue) {
        AddFront(trial, chosen);
      }
    }
    return chosen;
  }

 private:
  using Ranges = std::map<ValueId, ChannelRanges>;

  // The weights that a step multiplies with: those that BatchNormalization is folded into.
  [[nodiscard]] const Tensor& WeightsOf(const Node& product) const {
    const Tensor& own = *graph_.value(product.inputs[1]).constant;
    const auto step = fused_nodes_.find(product.name);
    if (step == fused_nodes_.end() || step->second->op != product.op) {
      return own;
    }
    const auto& folded = fused_.graph.value(step->second->inputs.at(1)).constant;
    return folded && folded->type() == own.type() ? *folded : own;
  }

  // Each channel of what the function reads gets its own range, as alpha 1 gives it: the scales of
  // the product in front and the tables take any factor.
  static void AddFront(const FactorTrial& trial, ChosenFactors& chosen) {
    const std::vector<double> magnitudes = trial.front.magnitudes();
    const double bound = *std::ranges::max_element(magnitudes);
    const FactorClass::Member& front = trial.of->front;
    const std::vector<float> factors =
        FactorsOfClass(magnitudes, std::vector(magnitudes.size(), 1.0), 1, bound);
    chosen.most[front.value] = bound / static_cast<double>(*std::ranges::max_element(factors));
    chosen.factors[front.value] = {.axis = front.axis, .factors = factors};
  }

  // Largest magnitude of each channel over the values.
  static std::vector<double> Magnitudes(const Ranges& ranges) {
    std::vector<double> magnitudes = ranges.begin()->second.magnitudes();
    for (const auto& [value, of_value] : ranges) {
      const std::vector<double> others = of_value.magnitudes();
      for (std::size_t c = 0; c < magnitudes.size(); ++c) {
        magnitudes[c] = std::max(magnitudes[c], others[c]);
      }
    }
    return magnitudes;
  }

  // A reader in float32 sees steps of f_c * scale: none shall be larger than without factors.
  static double BoundOf(const FactorTrial& trial, const Ranges& ranges) {
    if (!trial.of->is_read_in_float) {
      return trial.of->bound;
    }
    const std::vector<double> magnitudes = Magnitudes(ranges);
    return std::min(trial.of->bound, *std::ranges::max_element(magnitudes));
  }

  static std::vector<float> FactorsOf(const FactorTrial& trial, const Ranges& ranges,
                                      std::optional<double> alpha) {
    return alpha ? FactorsOfClass(Magnitudes(ranges), trial.weights, *alpha, BoundOf(trial, ranges))
                 : std::vector<float>();
  }

  [[nodiscard]] std::vector<NodeId> ProductNodes(NodeId product) const {
    return ProductAt(graph_, steps_, product).value_or(std::vector{product});
  }

  void AddErrorsAtReaders(const FactorTrial& trial, const std::map<ValueId, Tensor>& values,
                          const ThreadPool& pool, FactorTrial::Candidate& candidate) const {
    for (std::size_t r = 0; r < candidate.products.size(); ++r) {
      if (const auto& product = candidate.products[r]) {
        const NodeId node = ProductNodes(trial.of->readers[r].product).back();
        const ReferencePower exact(values.at(graph_.node(node).outputs[0]));
        candidate.error += RelativeError(exact, product->Run(values, pool));
      }
    }
  }

  void Compile(const FactorTrial& trial, FactorTrial::Candidate& candidate) const {
    Quantization quantization;
    quantization.per_channel_weights = per_channel_weights_;
    for (const auto& [value, ranges] : trial.ranges) {
      const std::string& name = graph_.value(value).name;
      const ValueRange range = ranges.Divided(candidate.factors);
      quantization.activations[name] =
          ActivationScaleOf({range.low * candidate.share, range.high * candidate.share});
      if (!candidate.factors.empty()) {
        quantization.channel_factors[name] = {.axis = trial.AxisOf(value),
                                              .factors = candidate.factors};
      }
    }
    PrecisionPlan plan = ReferencePlan(graph_);
    plan.quantization = SharedQuantization(std::move(quantization));
    for (const FactorClass::Reader& reader : trial.of->readers) {
      ApplyFormat(graph_, graph_.node(reader.product), "qint8 to float32",
                  plan.nodes[static_cast<std::size_t>(reader.product)]);
    }
    for (const FactorClass::Reader& reader : trial.of->readers) {
      candidate.products.push_back(
          std::make_unique<LoneNodes>(graph_, ProductNodes(reader.product), plan, compile_));
    }
  }

  const Graph& graph_;
  bool per_channel_weights_;
  const CompileOptions& compile_;
  NetworkSteps steps_;
  std::vector<FactorClass> classes_;
  FusedNetwork fused_;                                   // in float32
  std::map<std::string_view, const Node*> fused_nodes_;  // by name
  std::vector<FactorTrial> trials_;
};

}  // namespace

std::vector<float> FactorsOfClass(const std::vector<double>& magnitudes,
                                  const std::vector<double>& weights, double alpha, double bound) {
  const std::size_t channels = magnitudes.size();
  std::vector<double> factors(channels, 1);
  double logarithms = 0;
  std::size_t live = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    if (magnitudes[c] > 0 && weights[c] > 0 && std::isfinite(magnitudes[c])) {
      factors[c] = std::pow(magnitudes[c], alpha) / std::pow(weights[c], 1 - alpha);
      logarithms += std::log(factors[c]);
      ++live;
    } else {
      factors[c] = 0;
    }
  }
  const double mean = live == 0 ? 1 : std::exp(logarithms / static_cast<double>(live));
  double largest = 0;
  for (double& factor : factors) {
    factor = factor > 0 ? factor / mean : 1;
    largest = std::max(largest, factor);
  }
  double end = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    factors[c] = std::max(factors[c], largest / kMostFactorRatio);
    end = std::isfinite(magnitudes[c]) ? std::max(end, magnitudes[c] / factors[c]) : end;
  }
  std::vector<float> result;
  result.reserve(channels);
  for (const double factor : factors) {
    result.push_back(static_cast<float>(end > 0 ? std::min(factor, bound / end) : factor));
  }
  return result;
}

ChosenFactors ChooseChannelFactors(const Graph& graph, bool per_channel_weights,
                                   const SampleRuns& runs) {
  const Dataset& samples = runs.samples;
  Chooser chooser(graph, per_channel_weights, runs.compile);
  if (chooser.empty() || samples.size() < 2) {
    return {};
  }
  const FloatValues values_of(graph, runs.compile, runs.pool);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    chooser.AddRanges(values_of.On(samples.Read(s)), s % 2 == 0);
    if (!runs.on_sample()) {
      return {};
    }
  }
  if (!chooser.MakeCandidates(runs.goes_on)) {
    return {};
  }
  for (std::size_t s = 1; s < samples.size(); s += 2) {
    if (!chooser.AddErrors(values_of.On(samples.Read(s)), runs.pool, runs.goes_on) ||
        !runs.on_sample()) {
      return {};
    }
  }
  return chooser.Best();
}

}  // namespace halftone
