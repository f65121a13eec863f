// Samples that a network is measured on: inputs, and labels where the user has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/accuracy/labels.h"
#include "src/base/hash.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// One run of the network: a tensor per graph input, in graph order, with the graph's types.
struct Sample {
  std::string name;  // where it came from: "test_data_set_0", "digits.npy[17]"
  std::vector<Tensor> inputs;
};

// A sample that a network of other shapes may have use for.
struct LeftOutSample {
  std::string name;
  std::string reason;
};

struct Dataset {
  std::vector<Sample> samples;
  Labels labels;                   // empty, or one entry per sample
  bool representative = true;      // false for generated random data: reports say so
  std::vector<std::string> notes;  // what was left out or rounded and why, a sentence each

  [[nodiscard]] bool has_labels() const { return !labels.empty(); }

  // Of all inputs and labels, in order.
  [[nodiscard]] Hash128 Hash() const;
};

// What --inputs and --labels name. Accepts, for `inputs`:
// - a folder with test_data_set_N/input_i.pb: one sample per set, or several when its batch is
//   larger than the network's; sets of other shapes are left out with a note;
// - a folder with input_i.pb, each stacked along the batch axis: split into samples (a folder with
//   both is refused);
// - a .npy or .pb file, for a network with one input; may be stacked;
// - "name:file;name2:file2": a file per input, stacked alike.
// `labels`: a .npy or .pb file of integers whose first axis counts the samples.
// test_data_set_N folders are sorted by N. A scalar input is the same in every sample of a stack.
// Dtypes must be those of the graph; converted are float16 and double to float32, and integers and
// bools among each other when every value fits. Anything else would change values silently.
// `labels` of a network with batch B may also count rows: B per sample.
// An empty `inputs` generates `generated_samples` random samples from `seed`
// (uniform [-1, 1) for floats, {0, 1} for integers and bools) and marks the set as not
// representative.
struct DatasetOptions {
  std::string inputs;
  std::string labels;
  std::int64_t max_samples = 0;  // the first N samples; 0: all
  std::int64_t generated_samples = 4;
  std::uint64_t seed = 1;
};

// Error kIo/kUsage/kModel: missing files, unknown formats, wrong names, ranks, dtypes and counts,
// no samples at all, NaN or infinity among the inputs (naming file and index).
// `left_out`: where samples of other shapes go; null: each is a note.
Dataset LoadDataset(const Graph& graph, const DatasetOptions& options,
                    std::vector<LeftOutSample>* left_out = nullptr);

}  // namespace halftone
