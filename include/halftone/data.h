// Samples on which a network is measured, and their labels, from files or from memory.
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

// Samples in memory. Shapes and dtypes are those allowed for .npy files (DatasetOptions): an array
// holds all samples of an input, stacked along its first axis or along a new axis before it.
struct SampleArrays {
  // One array for each input of the network, by name; for a single input the name may be empty.
  std::vector<NamedArray> inputs;
  std::optional<Tensor> labels;  // of an integer type; the first axis counts the samples
  // Name of the output whose classes the labels are; empty: chosen as in Labels::output().
  std::string labels_output;
  // Name of the arrays in reports and messages; sample 17 is "arrays[17]" there.
  std::string name = "arrays";
};

// Class indices of samples: the same number for each sample, one for each row of an output. A row
// is one vector of class scores, such as the scores of one image of a batch. -1 and -100 mark a row
// without a label.
class Labels {
 public:
  Labels() = default;  // no samples

  // `values`: the labels of `count` samples, `each` of them per sample, sample after sample.
  // `output`: the value of output(). Error kInternal unless there are count * each values.
  Labels(std::vector<std::int64_t> values, std::size_t count, std::size_t each,
         std::optional<std::size_t> output = std::nullopt);

  // One list per sample. Error kInternal unless all have the same length.
  Labels(std::initializer_list<std::initializer_list<std::int64_t>> rows);

  [[nodiscard]] std::size_t size() const { return count_; }

  [[nodiscard]] bool empty() const { return count_ == 0; }

  [[nodiscard]] std::span<const std::int64_t> operator[](std::size_t sample) const {
    return std::span(values_).subspan(sample * each_, each_);
  }

  // Index of the output whose classes the labels are; empty: the first floating output that has as
  // many rows as a sample has labels.
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

// Source of samples and labels: the options --inputs, --labels and their like
// (docs/guide/inputs.md), or arrays in memory.
//
// Dtypes must be those of the network, with two exceptions: float16 and float64 are converted to
// float32, and integers and bools to each other where every value fits. Files must be regular
// files, because they are read in parts and more than once.
struct DatasetOptions {
  // One of:
  // - a folder with test_data_set_N/input_i.pb: one sample per set, or several if the set's batch
  //   is larger than the network's. Sets are sorted by N; sets of other shapes are left out, with
  //   one note for all;
  // - a folder with input_i.pb, each file stacked along the batch axis. A folder that has both
  //   kinds of content is refused;
  // - a .npy, .pb, .bin or .raw file, for a network with one input; may be stacked;
  // - a .npz file with an array for each input, stacked alike;
  // - "name:file;name2:file2": for each input a file, stacked alike, or a folder of images;
  // - a folder of PNG and JPEG files, or one such file, transformed as `image` says.
  //
  // A scalar input has the same value in every sample of a stack. Empty, without `arrays`: random
  // samples are generated, and results are marked as not representative.
  std::string inputs;
  // Path of a .npy or .pb file of integers, or "OUTPUT:FILE" for the classes of one output. The
  // first axis counts the samples; for a network with batch B it may also count rows, B per sample.
  // Empty: no labels.
  std::string labels;
  std::string image;  // --image: transformation of images (docs/guide/inputs.md, "Images")
  // --state, "output:input;output2:input2": outputs that are inputs of the next step. The samples
  // are then steps of sequences. `inputs` may leave out such an input, which is zero in a first
  // step.
  std::string state;
  std::int64_t sequence_length = 0;  // steps of a sequence; 0: all steps are one sequence
  std::int64_t max_samples = 0;      // only the first max_samples are used; 0: all
  // Number of samples to draw at random from `seed`, in their original order; 0: all are used.
  std::int64_t draw_samples = 0;
  // Most bytes to which a .npz file may unpack; 0: 16 GiB. Set from ModelOptions::max_memory.
  std::int64_t max_memory = 0;
  // Number of generated samples: floats are uniform in [-1, 1), integers and bools are 0 or 1.
  std::int64_t generated_samples = 4;
  std::uint64_t seed = 1;
  // Samples in memory, with their labels. `inputs`, `labels` and `image` must be empty beside them.
  std::shared_ptr<const SampleArrays> arrays = nullptr;
  // Extents of each input in the model, negative where the model leaves them free. Messages use
  // them for advice. Set when samples are loaded; empty: not known.
  std::map<std::string, std::vector<std::int64_t>, std::less<>> declared = {};

  // True if samples are given; else they are generated.
  [[nodiscard]] bool has_inputs() const { return arrays != nullptr || !inputs.empty(); }

  [[nodiscard]] bool has_labels() const {
    return arrays != nullptr ? arrays->labels.has_value() : !labels.empty();
  }

  // Name of the samples in reports: `inputs`, or the name of the arrays. Empty: generated.
  [[nodiscard]] const std::string& InputsName() const {
    return arrays != nullptr ? arrays->name : inputs;
  }
};

}  // namespace halftone
