// Samples that a network is measured on, and their labels: from files, or from memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halftone/tensor.h"

namespace halftone {

struct NamedArray {
  std::string name;
  Tensor tensor;
};

// Arrays have the shapes and dtypes that .npy files may have (DatasetOptions::inputs): samples are
// stacked along the first axis, or along a new one before it.
struct SampleArrays {
  // One array for each input of the network, by name; for a single input the name may be empty.
  std::vector<NamedArray> inputs;
  std::optional<Tensor> labels;  // of an integer type; the first axis counts the samples
  std::string labels_output;     // output that they are the classes of; empty: as Labels::output()
  std::string name = "arrays";   // for reports and messages: "inputs"; samples are "inputs[17]"
};

// The same number of class indices for each sample, one per row of the label output. Negative: no
// label for this row.
class Labels {
 public:
  Labels() = default;  // no samples

  // `values`: `count` samples of `each` labels, contiguous. `output`: that of output().
  Labels(std::vector<std::int64_t> values, std::size_t count, std::size_t each,
         std::optional<std::size_t> output = std::nullopt);

  // One row per sample, all of one length.
  Labels(std::initializer_list<std::initializer_list<std::int64_t>> rows);

  [[nodiscard]] std::size_t size() const { return count_; }

  [[nodiscard]] bool empty() const { return count_ == 0; }

  [[nodiscard]] std::span<const std::int64_t> operator[](std::size_t sample) const {
    return std::span(values_).subspan(sample * each_, each_);
  }

  // Index of the output whose classes the labels are; empty: the first one that has as many rows of
  // classes.
  [[nodiscard]] std::optional<std::size_t> output() const { return output_; }

  // Labels of the samples with these indices.
  [[nodiscard]] Labels Part(std::span<const std::size_t> samples) const;

  friend bool operator==(const Labels&, const Labels&) = default;

 private:
  std::vector<std::int64_t> values_;
  std::size_t count_ = 0;
  std::size_t each_ = 0;
  std::optional<std::size_t> output_;
};

// Arguments of --inputs and --labels. `inputs`:
// - a folder with test_data_set_N/input_i.pb: one sample per set, or several when its batch is
//   larger than the network's; sets of other shapes are left out with one note for all;
// - a folder with input_i.pb, each stacked along the batch axis: split into samples (a folder with
//   both is refused);
// - a .npy or .pb file, for a network with one input; may be stacked;
// - "name:file;name2:file2": a file per input, stacked alike; or a folder of images;
// - a folder of PNG and JPEG files, or one such file, transformed as `image` says.
// `labels`: a .npy or .pb file of integers whose first axis counts the samples; of a network with
// batch B it may also count rows: B per sample. "OUTPUT:FILE" names the output they belong to.
// Files are regular ones: they are read in parts, and more than once.
// test_data_set_N folders are sorted by N. A scalar input is the same in every sample of a stack.
// Dtypes must be those of the graph. float16 and double are converted to float32, integers and
// bools to each other when every value fits; anything else would change values silently.
// `arrays`: samples in memory, with their labels; `inputs`, `labels` and `image` are empty then.
// Without both, `generated_samples` random samples are made from `seed` (uniform [-1, 1) for
// floats, {0, 1} for integers and bools), and the set is marked as not representative.
struct DatasetOptions {
  std::string inputs;
  std::string labels;
  std::string image;  // --image, for ParseImageTransform()
  // --state, for ParseStateLinks(). The samples are then steps; inputs that it feeds may be left
  // out of `inputs`, and are zeros.
  std::string state;
  std::int64_t sequence_length = 0;  // steps of a sequence; 0: one sequence of all
  std::int64_t max_samples = 0;      // the first N samples; 0: all
  // Number of samples drawn at random from `seed` when there are more; they keep their order. 0:
  // all are used.
  std::int64_t draw_samples = 0;
  // Most bytes that an archive may unpack to, from --max_memory; 0: kMostNpzBytes. Set by
  // LoadSamples().
  std::int64_t max_memory = 0;
  std::int64_t generated_samples = 4;
  std::uint64_t seed = 1;
  std::shared_ptr<const SampleArrays> arrays = nullptr;  // null: none
  // Extents of each input in the model, negative where it leaves them free, for the advice in
  // messages. Set by LoadSamples(); empty: not known.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> declared = {};

  // True if the user gives samples; else they are generated.
  [[nodiscard]] bool has_inputs() const { return arrays != nullptr || !inputs.empty(); }

  [[nodiscard]] bool has_labels() const {
    return arrays != nullptr ? arrays->labels.has_value() : !labels.empty();
  }

  // For reports and messages: the argument, or the name of the arrays; empty: generated.
  [[nodiscard]] const std::string& InputsName() const {
    return arrays != nullptr ? arrays->name : inputs;
  }
};

}  // namespace halftone
