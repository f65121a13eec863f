// The networks that the network fuzzer tries: a graph that is written as an ONNX model, so that
// everything it holds comes through the importer's checks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/base/rng.h"
#include "src/ir/graph.h"

namespace halftone::testing {

// Tensors of networks stay below this, so that a run takes microseconds.
inline constexpr std::int64_t kMostNetworkElements = 4096;

struct Network {
  // The types of computed values are those before any mutation: hints for the mutator. The importer
  // infers its own.
  Graph graph;
  std::map<ValueId, Tensor> samples;  // what each graph input holds in the first run
};

// A call of each of `ops` on small tensors (tests/support/operator_samples.h), some reading the
// results of others. A subset of the results are outputs, so that passes may fuse.
Network SeedNetwork(std::span<const OpKind> ops, std::uint64_t seed);

// The network of a model, its inputs filled with tame values. Error as ImportOnnx(), and
// kUnsupported for one with larger tensors than networks here have.
Network NetworkFrom(const std::filesystem::path& model, std::uint64_t seed);

// A serialized ModelProto of the newest opset.
std::string SerializedModel(const Network& network);

// Writes `folder`/model.onnx and the samples as test_data_set_0/input_<i>.pb beside it. Error kIo.
void SaveNetwork(const Network& network, const std::filesystem::path& folder);

// A line a node, operands with their types: for reports.
std::string TextOf(const Network& network);

// Elements as a well-behaved network has them: floats around 1, integers 0 to 3.
Tensor TameTensor(const TensorType& type, Rng& rng);

// Elements as an attacker would choose them: NaN, infinities, subnormals, the largest; negative
// indices, those just outside of small extents, and the extremes of the type.
Tensor WildTensor(const TensorType& type, Rng& rng);

// One such element.
double WildFloat(Rng& rng);
std::int64_t WildInteger(Rng& rng);

void StoreInteger(Tensor& tensor, std::int64_t index, std::int64_t value);

}  // namespace halftone::testing
