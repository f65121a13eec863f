// Dataset: the samples that a network is measured on, inputs and, where the user has them, labels.
//
// Samples are read when they are used: memory holds those in use, and 24 bytes and the labels of
// each of the others. Small datasets stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/labels.h"
#include "src/accuracy/sample_arrays.h"
#include "src/accuracy/sample_reader.h"
#include "src/accuracy/state_links.h"
#include "src/base/hash.h"
#include "src/ir/graph.h"

namespace halftone {

struct SampleOutputs;  // src/accuracy/metrics.h
struct SetFolder;      // src/accuracy/sample_sets.h

class Dataset {
 public:
  Dataset() = default;  // no samples

  // `labels`: empty, or one row per sample.
  explicit Dataset(std::vector<Sample> samples, Labels labels = {});

  // The samples of `reader` with these numbers, in this order.
  Dataset(std::shared_ptr<const SampleReader> reader, std::vector<std::size_t> numbers,
          Labels labels);

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

  [[nodiscard]] bool empty() const { return numbers_.empty(); }

  [[nodiscard]] std::string NameOf(std::size_t index) const {
    return reader_->NameOf(numbers_[index]);
  }

  // Reads a sample. May be called by several threads at once. Error kIo, kModel: it cannot be read,
  // or has changed since ReadThrough().
  [[nodiscard]] Sample Read(std::size_t index) const;

  [[nodiscard]] bool has_labels() const { return !labels_.empty(); }

  [[nodiscard]] const Labels& labels() const { return labels_; }

  // The outputs of a sample with its labels.
  [[nodiscard]] SampleOutputs OutputsOf(std::size_t index, std::span<const Tensor> reference,
                                        std::span<const Tensor> actual) const;

  // Reads every sample once, so that errors show before any work is done, and keeps the samples in
  // memory where all take at most `most_kept_bytes`. Error as Read().
  void ReadThrough(std::int64_t most_kept_bytes);

  // Hash of the inputs of a sample: equal for equal inputs.
  [[nodiscard]] Hash128 InputsHash(std::size_t index) const;

  // Hash of all inputs and labels, in order. Reads every sample unless ReadThrough() did; once.
  [[nodiscard]] Hash128 Hash() const;

  // The samples with these indices, with their labels; without notes. Reads nothing.
  [[nodiscard]] Dataset Part(std::span<const std::size_t> indices) const;

  bool representative = true;      // false for generated random data: reports say so
  std::vector<std::string> notes;  // omitted or rounded data and the reason, a sentence each
  std::vector<StateLink> state;    // of sequences: what a step hands to the next one
  std::size_t steps_each = 0;      // steps of each sequence; 0: samples are single runs
  // Number of samples before some were drawn (DatasetOptions::draw_samples); 0: none were drawn.
  std::size_t drawn_from = 0;

 private:
  std::shared_ptr<const SampleReader> reader_;
  std::vector<std::size_t> numbers_;  // of `reader_`
  std::vector<Hash128> hashes_;       // InputsHash(); empty before ReadThrough()
  Labels labels_;
  bool is_kept_ = false;                 // held in memory: nobody else can change them
  mutable std::optional<Hash128> hash_;  // Hash(), once it is known
};

// Arguments of --inputs and --labels. `inputs`:
// - a folder with test_data_set_N/input_i.pb: one sample per set, or several when its batch is
//   larger than the network's; sets of other shapes are left out with one note for all;
// - a folder with input_i.pb, each stacked along the batch axis: split into samples (a folder with
//   both is refused);
// - a .npy or .pb file, for a network with one input; may be stacked;
// - "name:file;name2:file2": a file per input, stacked alike; or a folder of images;
// - a folder of PNG and JPEG files, or one such file (src/accuracy/image_transform.h).
// `labels`: a .npy or .pb file of integers whose first axis counts the samples; of a network with
// batch B it may also count rows: B per sample. "OUTPUT:FILE" names the output they belong to.
// Files are regular ones: they are read in parts, and more than once.
// test_data_set_N folders are sorted by N. A scalar input is the same in every sample of a stack.
// Dtypes must be those of the graph. Converted are float16 and double to float32, and integers and
// bools among each other when every value fits; anything else would change values silently.
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
  // Most bytes that an archive may unpack to, of --max_memory; 0: kMostNpzBytes. LoadSamples() sets
  // it.
  std::int64_t max_memory = 0;
  std::int64_t generated_samples = 4;
  std::uint64_t seed = 1;
  std::shared_ptr<const SampleArrays> arrays = nullptr;  // null: none
  // Extents of each input in the model, negative where it leaves them free: messages say what to do
  // by them. LoadSamples() sets them; empty: not known.
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

// `wanted` of the first `count` numbers, in order, every choice of so many as likely as any other.
std::vector<std::size_t> DrawnNumbers(std::size_t count, std::size_t wanted, std::uint64_t seed);

// Default of DatasetOptions::draw_samples for a search, which runs each of its plans on all
// samples. The standard error of a mean over 16384 is 0.8 % of the spread of single samples, and
// the quarter of them that is held out promises less than 0.1 % of other classes where none differs
// (docs/guide/reading_results.md, "Promises").
inline constexpr std::int64_t kDrawnSamples = 16384;

// Most bytes of samples held in memory; larger sets are read again for every use.
inline constexpr std::int64_t kMostKeptSampleBytes = std::int64_t{64} << 20;

// Loads the dataset and reads every sample once (Dataset::ReadThrough()).
//
// Error kIo/kUsage/kModel: missing files, unknown formats, wrong names, ranks, dtypes and counts,
// no samples at all, NaN or infinity among the inputs (naming file and index).
// `left_out`: receives the sets of other shapes; null: they are noted instead.
Dataset LoadDataset(const Graph& graph, const DatasetOptions& options,
                    std::vector<SetFolder>* left_out = nullptr);

}  // namespace halftone
