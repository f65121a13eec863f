// Comparison of one network in halftone and in ONNX Runtime. It checks that the outputs agree on
// the same inputs, then times both programs in turns in one process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "labs/onnxruntime/chosen_kernels.h"
#include "labs/onnxruntime/compared_plans.h"
#include "labs/onnxruntime/peer_model.h"
#include "search/trial/trial.h"
#include "src/runtimes/onnxruntime/ort_api.h"

namespace halftone {

// Numbers of threads that are compared, each in a column of the table.
inline constexpr int kThreadCounts[] = {1, 2};

// Largest relative L2 error of the worst output of the first plan (ComparedPlans()); with a larger
// one, the comparison fails. float32 sums in another order differ by 1e-5 even in deep networks.
inline constexpr double kMostRelL2 = 1e-2;

struct ComparisonOptions {
  double budget_s = 3.0;  // seconds of timing one network, for all numbers of threads together
  std::uint64_t seed = 1;
  // Plan of halftone; null: the tuned point in the folder of the network below `tuned`, as `tune`
  // writes it.
  const ComparedPlan* plan = &ComparedPlans().front();
  std::filesystem::path tuned;
  KernelChoosing kernels;  // choice of the kernels of halftone, for each number of threads
  PeerForm peer = PeerForm::kFloat32;
  // Above 0: both programs are profiled, too, and so many nodes of halftone are listed.
  int profiled_nodes = 0;
  // Sizes of free dimensions by name, for networks without test data.
  std::map<std::string, std::int64_t> dimensions;
  // Folder below which the compared network is written with its weights; empty: it is not written.
  std::filesystem::path save;
};

struct Compared {
  double rel_l2 = 0;         // error of halftone against ONNX Runtime in float32
  double peer_rel_l2 = 0;    // error of the timed form of ONNX Runtime against its float32
  std::string input_shapes;  // "data_0:1,3,224,224"
  bool random_weights = false;
  double other_cores = 0;  // cores that other processes kept busy during the comparison
  // Latencies, parallel to kThreadCounts. The candidate is ONNX Runtime and the anchor is halftone:
  // if the ratio is above 1, halftone is faster.
  std::vector<Latency> latencies;
  std::vector<std::string> profiles;  // tables, parallel to kThreadCounts; or empty
};

struct NotCompared {
  bool disagrees = false;  // true: both ran, with different outputs
  std::string reason;      // "halftone: node 'conv1': ..."
};

struct ComparedNetwork {
  std::string name;
  std::variant<Compared, NotCompared> outcome;
};

// Compares the model.onnx in `folder` on the inputs of its test_data_set_0, or on random inputs if
// it has none. An error of either program becomes the outcome.
ComparedNetwork CompareNetwork(const OrtApi& api, const std::string& name,
                               const std::filesystem::path& folder,
                               const ComparisonOptions& options);

}  // namespace halftone
