// Errors that are carried to cuts, against those that are carried to the outputs.
#include "search/probe/error_carrier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "search/probe/error_probes.h"
#include "src/base/rng.h"
#include "src/base/stats.h"
#include "src/exec/host_target.h"
#include "tests/support/graph_builder.h"
#include "tests/support/without_fusions.h"

namespace halftone {
namespace {

using testing::GraphBuilder;

// Ratios in dB of the error powers with cuts to those that are carried to the outputs, of all
// groups, choices and samples where both are above 0.
std::vector<double> Differences(const Sensitivity& cut, const Sensitivity& carried) {
  std::vector<double> differences;
  for (std::size_t g = 0; g < carried.groups.size(); ++g) {
    for (std::size_t c = 0; c < carried.groups[g].choices.size(); ++c) {
      const std::vector<double>& with = cut.groups[g].choices[c].errors;
      const std::vector<double>& without = carried.groups[g].choices[c].errors;
      for (std::size_t s = 0; s < std::min(with.size(), without.size()); ++s) {
        if (with[s] > 0 && without[s] > 0) {
          differences.push_back(10 * std::log10(with[s] / without[s]));
        }
      }
    }
  }
  return differences;
}

constexpr std::int64_t kWidth = 256;

// Layers with weights as of training's start and a Tanh, with a sum over each two.
Graph Layers(int count) {
  GraphBuilder builder;
  Rng rng(7);
  ValueId x = builder.Input("x", {8, kWidth});
  for (int i = 0; i < count; ++i) {
    Tensor weights(DType::kFloat32, Shape{kWidth, kWidth});
    for (float& weight : weights.mutable_values<float>()) {
      weight = static_cast<float>(rng.Normal() / 16);  // 1 / sqrt(kWidth)
    }
    const std::string number = std::to_string(i);
    const ValueId w = builder.Constant("w" + number, weights);
    const ValueId product = builder.Add(OpKind::kMatMul, "product" + number, {x, w});
    const ValueId bent = builder.Add(OpKind::kTanh, "bent" + number, {product});
    x = i % 2 == 1 ? builder.Add(OpKind::kAdd, "sum" + number, {bent, x}) : bent;
  }
  return testing::WithoutFusions(builder.Finish({x}));
}

// Errors that are carried to cuts are those carried to the outputs within 1.5 dB in the median,
// which is what the search is to reach. The runs are those that were planned.
TEST(ErrorCarrierTest, ErrorsAreThoseCarriedToTheOutputs) {
  const TargetSpec target = HostTarget();
  const ThreadPool pool(1);
  Rng rng(3);
  Tensor input(DType::kFloat32, Shape{8, kWidth});
  for (float& value : input.mutable_values<float>()) {
    value = static_cast<float>(rng.Normal());
  }
  const Dataset dataset({{"sample", {input}}});
  const Graph graph = Layers(24);
  const Decisions decisions(graph, target);
  const ProbedNetwork network(decisions);
  Sensitivity carried;
  double runs_before = 0;
  for (const double most_runs : {std::numeric_limits<double>::infinity(), 40.0, 1.0}) {
    SCOPED_TRACE(most_runs);
    const ProbeOptions options{.most_error_runs = most_runs};
    const ErrorEffort effort =
        PlanErrorEffort(decisions, network.steps, options, 1, Unprobed(decisions));
    ErrorProbes probes(decisions, dataset, options, pool);
    Sensitivity sensitivity{.groups = probes.ProbeAll(), .weights = {}};
    // One kind of formats; the float32 run comes on top. A plan is a run on the sample, and twice 3
    // to warm up and 6 rounds.
    EXPECT_NEAR(probes.evaluations() * (1 + 18), 1 + effort.cuts.runs, 1e-9);
    EXPECT_EQ(probes.has_cuts(), effort.cuts.ends.size() > 1);
    if (carried.groups.empty()) {
      carried = sensitivity;
      EXPECT_EQ(effort.cuts.ends.size(), 1U);
    } else {
      EXPECT_GT(effort.cuts.ends.size(), 1U);
      EXPECT_LE(effort.runs, runs_before);
      std::vector<double> differences = Differences(sensitivity, carried);
      EXPECT_GT(differences.size(), decisions.groups().size());
      for (double& difference : differences) {
        difference = std::abs(difference);
      }
      EXPECT_LT(Median(differences), 1.5);
    }
    runs_before = effort.runs;
  }
}

}  // namespace
}  // namespace halftone
