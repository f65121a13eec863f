// What the probes predict of single decisions against plans that make just these.
#include "search/probe/error_probes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "search/measure/network_measurer.h"
#include "search/model/additive_model.h"
#include "search/probe/network_prober.h"
#include "src/exec/host_target.h"
#include "src/quantization/schemes.h"
#include "tests/support/chain_network.h"
#include "tests/support/without_fusions.h"

namespace halftone {
namespace {

using testing::ChainNetwork;

const NumericFormat kInt8 = *NumericFormat::Named("qint8");

std::vector<Sample> Samples(int count, float scale = 1) {
  std::vector<Sample> samples;
  for (int s = 0; s < count; ++s) {
    Tensor input(DType::kFloat32, Shape{1, 8});
    for (std::size_t i = 0; i < 8; ++i) {
      input.mutable_values<float>()[i] =
          scale * (0.37F + 0.113F * static_cast<float>((i * 5 + static_cast<std::size_t>(s)) % 8));
    }
    samples.push_back({"sample " + std::to_string(s), {input}});
  }
  return samples;
}

Dataset SomeSamples(int count) {
  return Dataset(Samples(count));
}

class ErrorProbesTest : public ::testing::Test {
 protected:
  ErrorProbesTest() : decisions_(graph_, target_) {}

  Sensitivity Probe(const Dataset& dataset) { return Probe(decisions_, dataset); }

  [[nodiscard]] Decisions With8Bits() const {
    Quantization scales;
    for (const Value& value : graph_.values) {
      if (!value.constant) {
        scales.activations[value.name] = ActivationScaleOf({-4, 4});
      }
    }
    return Decisions(graph_, target_,
                     {.formats = {DType::kFloat16, DType::kBFloat16, kInt8},
                      .quantization = SharedQuantization(scales)});
  }

  Sensitivity Probe(const Decisions& decisions, const Dataset& dataset) {
    ErrorProbes probes(decisions, dataset, options_, pool_);
    Sensitivity sensitivity{.groups = probes.ProbeAll(), .weights = {}};
    sensitivity.weights = probes.cache().weights();
    sensitivity.evaluations = probes.evaluations();
    return sensitivity;
  }

  Graph graph_ = ChainNetwork(3);
  TargetSpec target_ = HostTarget();
  Decisions decisions_;
  ProbeOptions options_{.min_samples = 4};
  ThreadPool pool_{1};
};

// Errors of 8 bits are larger than those of 16 bits and may grow otherwise behind the group, so
// they say nothing about those: what the probes say of 16 bits is the same with 8 bits and without.
TEST_F(ErrorProbesTest, Errors16BitsAreCarriedApartFromThoseOf8) {
  const Dataset dataset = SomeSamples(3);
  const Sensitivity without = Probe(dataset);
  const Decisions both = With8Bits();
  const Sensitivity with = Probe(both, dataset);
  ASSERT_EQ(with.groups.size(), without.groups.size());
  int carried = 0;
  int shared = 0;
  for (std::size_t g = 0; g < with.groups.size(); ++g) {
    for (std::size_t c = 0; c < both.groups()[g].choices.size(); ++c) {
      const Choice& choice = both.groups()[g].choices[c];
      const auto& others = decisions_.groups()[g].choices;
      const auto same = std::ranges::find(others, choice);
      carried += choice.format.is_scaled() && with.groups[g].choices[c].probed ? 1 : 0;
      if (same != others.end()) {
        EXPECT_EQ(with.groups[g].choices[c].errors,
                  without.groups[g].choices[static_cast<std::size_t>(same - others.begin())].errors)
            << both.groups()[g].name << " " << NameOf(choice);
        ++shared;
      }
    }
  }
  EXPECT_GT(carried, 0);
  EXPECT_GT(shared, 0);
}

// The choice whose error was carried to the outputs: the plan with this choice alone has the same
// error there, and its square root is the loss, sample by sample. Nothing but the order of float32
// sums may differ.
TEST_F(ErrorProbesTest, CarriedErrorsAreThoseOfThePlan) {
  const Dataset dataset = SomeSamples(3);
  const Sensitivity sensitivity = Probe(dataset);
  const AdditiveModel model(decisions_, sensitivity);
  const NetworkMeasurer measurer(graph_, dataset, {.quick_budget_s = 0.001});
  int probed = 0;
  for (std::size_t g = 0; g < decisions_.groups().size(); ++g) {
    for (std::size_t c = 1; c < decisions_.groups()[g].choices.size(); ++c) {
      if (!sensitivity.groups[g].choices[c].probed) {
        continue;
      }
      Assignment assignment(decisions_.groups().size(), 0);
      assignment[g] = c;
      const auto outcome = measurer.MeasureAccuracy(decisions_.PlanFor(assignment));
      const double loss = std::get<Accuracy>(outcome).Mean("rel_l2");
      // Own and rounding errors are parts of one error; their powers add up but for their
      // correlation, which for one rounding of 8 numbers can be large.
      EXPECT_GT(model.Predict(assignment).loss, 0.5 * loss) << decisions_.groups()[g].name;
      EXPECT_LT(model.Predict(assignment).loss, 2 * loss) << decisions_.groups()[g].name;
      ++probed;
    }
  }
  EXPECT_EQ(probed, 6) << "one choice of each group";
}

TEST_F(ErrorProbesTest, TheReferenceHasNoError) {
  const Sensitivity sensitivity = Probe(SomeSamples(2));
  for (const GroupSensitivity& group : sensitivity.groups) {
    EXPECT_EQ(group.choices[0].errors, (std::vector<double>{0, 0}));
    EXPECT_TRUE(group.choices[0].refusal.empty());
    EXPECT_GT(group.gain, 0);
  }
  EXPECT_EQ(AdditiveModel(decisions_, sensitivity).Predict(Assignment(6, 0)).loss, 0);
}

TEST_F(ErrorProbesTest, WhatOverflowsIsRefused) {
  // The product with weights of up to 1 leaves the range of float16 at the largest sample only.
  const Dataset dataset({Samples(1)[0], Samples(1, 5.6e4F)[0]});
  const Sensitivity sensitivity = Probe(dataset);
  const DecisionGroup& group = decisions_.groups()[0];
  for (std::size_t c = 0; c < group.choices.size(); ++c) {
    // Implementations in AVX512-FP16 sum in float16, whatever their result
    // (docs/reference/implementation_modes.md).
    const Choice& choice = group.choices[c];
    const bool sums_in_float16 = choice.format == DType::kFloat16 &&
                                 choice.mode == ImplMode::kHighPerformance &&
                                 (DetectIsa() & kIsaAvx512Fp16) != 0;
    const bool refused = choice.output_format() == DType::kFloat16 || sums_in_float16;
    EXPECT_EQ(!sensitivity.groups[0].choices[c].refusal.empty(), refused)
        << NameOf(group.choices[c]);
  }
  EXPECT_GT(sensitivity.groups[0].largest_value, 65504);
}

TEST_F(ErrorProbesTest, CostIsCountedInRunsOverAllSamples) {
  options_.min_samples = 2;
  options_.error_evaluations = 0;
  const Sensitivity sensitivity = Probe(SomeSamples(8));
  EXPECT_EQ(sensitivity.weights.size(), 2U);
  // Two samples: once as a whole, and behind each of six operators 5, 4, ..., 0 of 6. A plan runs
  // on eight, and twice 3 times to warm up and in 6 rounds.
  EXPECT_NEAR(sensitivity.evaluations, 2 * (1 + 15.0 / 6) / (8 + 18), 1e-12);
}

TEST_F(ErrorProbesTest, With8BitsFewerSamplesAreProbedForTheSameCost) {
  options_.min_samples = 1;
  options_.error_evaluations_per_group = 0.5;
  const Dataset dataset = SomeSamples(60);
  const Sensitivity without = Probe(dataset);
  const Decisions both = With8Bits();
  const Sensitivity with = Probe(both, dataset);
  EXPECT_LT(with.weights.size(), without.weights.size());
  EXPECT_LE(with.evaluations, 1.05 * without.evaluations);
  EXPECT_GT(with.evaluations, 0.7 * without.evaluations);
}

// Two towers on one input whose nodes take turns, so that what lies behind a group of one reads
// results of the other that are made later; a connection over everything; and weights that the
// first and the last product share, which are one group.
Graph Towers(int pairs) {
  const TensorType activation{DType::kFloat32, Shape{1, 8}};
  const TensorType weight{DType::kFloat32, Shape{8, 8}};
  Graph graph;
  graph.name = "towers";
  const ValueId input = graph.AddValue({"x", activation, {}});
  graph.inputs = {input};
  const auto append = [&](OpKind op, const std::string& name, const std::string& type,
                          std::vector<ValueId> inputs) {
    const ValueId output = graph.AddValue({name + "_out", activation, {}});
    Node node;
    node.op = op;
    node.name = name;
    node.origins = {{name, type}};
    node.inputs = std::move(inputs);
    node.outputs = {output};
    graph.nodes.push_back(node);
    return output;
  };
  const auto weights = [&](int seed) {
    Tensor values(weight);
    for (int j = 0; j < 64; ++j) {
      StoreDouble(DType::kFloat32, values.mutable_data(), j,
                  (j % 9 == 0 ? 0.7 : 0.013) * ((j * 7 + seed * 5) % 11 - 4));
    }
    return graph.AddValue({"w" + std::to_string(seed), weight, values});
  };
  const ValueId shared = weights(100);
  ValueId left = append(OpKind::kMatMul, "first", "MatMul", {input, shared});
  const ValueId skip = left;
  ValueId right = input;
  for (int i = 0; i < pairs; ++i) {
    const std::string number = std::to_string(i);
    left = append(OpKind::kMatMul, "left" + number, "MatMul", {left, weights(2 * i)});
    right = append(OpKind::kMatMul, "right" + number, "MatMul", {right, weights(2 * i + 1)});
    left = append(OpKind::kTanh, "left_act" + number, "Tanh", {left});
    right = append(OpKind::kTanh, "right_act" + number, "Tanh", {right});
    if (i % 2 == 1) {
      left = append(OpKind::kAdd, "join" + number, "Add", {left, right});
    }
  }
  left = append(OpKind::kAdd, "skip", "Add", {left, skip});
  left = append(OpKind::kMatMul, "last", "MatMul", {left, shared});
  graph.outputs = {left, right};
  return testing::WithoutFusions(std::move(graph));
}

struct Limited {
  std::string name;
  Graph graph;
  std::int64_t all_bytes = 0;  // of a sample: input and results
  int least_percent = 0;       // of these
};

// Sensitivities are the same bit for bit with checkpoints and with everything kept.
TEST(ErrorProbesMemoryTest, CheckpointsGiveTheSameSensitivities) {
  const TargetSpec target = HostTarget();
  const ThreadPool pool(1);
  const Dataset dataset = SomeSamples(3);
  for (const Limited& limited : {Limited{"chain", ChainNetwork(24), 49 * 32, 40},
                                 Limited{"towers", Towers(16), 76 * 32, 50}}) {
    const Decisions decisions(limited.graph, target);
    const auto probe = [&](std::int64_t max_bytes, std::int64_t& peak, std::string& warning) {
      ProbeOptions options{.min_samples = 4};
      options.max_kept_bytes = max_bytes;
      ErrorProbes probes(decisions, dataset, options, pool);
      Sensitivity sensitivity{.groups = probes.ProbeAll(), .weights = {}};
      sensitivity.weights = probes.cache().weights();
      sensitivity.evaluations = probes.evaluations();
      peak = probes.cache().peak_bytes();
      warning = probes.cache().warning();
      return sensitivity;
    };
    std::int64_t peak = 0;
    std::string warning;
    const Sensitivity all = probe(1 << 30, peak, warning);
    EXPECT_EQ(peak, 3 * limited.all_bytes) << limited.name;
    EXPECT_EQ(all.weights.size(), 3U);
    double last = all.evaluations;
    for (const int percent : {75, limited.least_percent}) {
      const std::int64_t limit = 3 * limited.all_bytes * percent / 100;
      SCOPED_TRACE(limited.name + " in " + std::to_string(limit) + " bytes");
      const Sensitivity some = probe(limit, peak, warning);
      EXPECT_EQ(some.weights.size(), 3U);
      EXPECT_TRUE(some.groups == all.groups);
      EXPECT_LE(peak, limit);
      EXPECT_GT(peak, 0);
      EXPECT_EQ(warning, "");
      EXPECT_GT(some.evaluations, all.evaluations) << "what is made again counts";
      last = some.evaluations;
    }
    EXPECT_LT(last, all.evaluations + 3 * 3.0 / (3 + 18)) << "three runs on each sample";
  }
}

// Where results do not fit, what a cut needs is recomputed, too.
TEST(ErrorProbesMemoryTest, CheckpointsWithCutsGiveTheSameSensitivities) {
  const TargetSpec target = HostTarget();
  const ThreadPool pool(1);
  const Dataset dataset = SomeSamples(1);
  for (const Graph& graph : {ChainNetwork(24), Towers(16)}) {
    const Decisions decisions(graph, target);
    std::vector<Sensitivity> found;
    for (const std::int64_t max_bytes : {std::int64_t{1} << 30, std::int64_t{50 * 32}}) {
      ProbeOptions options{.max_kept_bytes = max_bytes};
      options.most_error_runs = 1;
      ErrorProbes probes(decisions, dataset, options, pool);
      Sensitivity& sensitivity = found.emplace_back();
      sensitivity.groups = probes.ProbeAll();
      // Small errors of the first groups vanish on the way.
      EXPECT_GT(std::ranges::count_if(sensitivity.groups,
                                      [](const auto& group) { return group.gain > 0; }),
                std::ssize(sensitivity.groups) / 4);
    }
    EXPECT_TRUE(found[0].groups == found[1].groups) << graph.name;
  }
}

// Too little for three samples, then for one: as many as fit, then one, and a sentence.
TEST_F(ErrorProbesTest, WhereCheckpointsDoNotFitASentenceSaysSo) {
  const Dataset dataset = SomeSamples(3);
  options_.max_kept_bytes = 2 * 5 * 32;
  {
    const ErrorProbes probes(decisions_, dataset, options_, pool_);
    EXPECT_EQ(probes.samples(), 2U);
    EXPECT_LE(probes.cache().peak_bytes(), options_.max_kept_bytes);
    EXPECT_EQ(probes.cache().warning(),
              "probes use 2 of 3 samples: 320 B are allowed for the results that they keep; allow "
              "more with --max_memory, or make the input smaller");
  }
  options_.max_kept_bytes = 1;
  ErrorProbes probes(decisions_, dataset, options_, pool_);
  EXPECT_EQ(probes.samples(), 1U);
  EXPECT_EQ(
      probes.cache().warning(),
      "probes need 160 B for a single sample: 1 B are allowed for the results that they keep; "
      "allow more with --max_memory, or make the input smaller");
  EXPECT_GT(probes.ProbeAll().front().gain, 0);
}

TEST(NetworkProberTest, TimesAreSharesOfFloat32) {
  const Graph graph = ChainNetwork(3);
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  const Dataset dataset = SomeSamples(2);
  NetworkProber prober(graph, dataset, {.time_budget_s = 0});
  const Sensitivity sensitivity = prober.Probe(decisions, {});
  const Objectives reference =
      AdditiveModel(decisions, sensitivity).Predict(Assignment(decisions.groups().size(), 0));
  // Medians of parts add up to the median of the whole but for their spread.
  EXPECT_NEAR(reference.latency_ratio, 1, 0.5);
  for (const GroupSensitivity& group : sensitivity.groups) {
    for (const ChoiceSensitivity& choice : group.choices) {
      EXPECT_GT(choice.time, 0);
    }
  }
}

TEST(NetworkProberTest, AStopEndsTheProbes) {
  const Graph graph = ChainNetwork(3);
  const TargetSpec target = HostTarget();
  const Decisions decisions(graph, target);
  const Dataset dataset = SomeSamples(2);
  int asked = 0;
  NetworkProber prober(graph, dataset, {},
                       {.on_progress = {}, .stop_requested = [&] { return ++asked > 2; }});
  prober.Probe(decisions, {});
  EXPECT_LE(asked, 4);
}

}  // namespace
}  // namespace halftone
