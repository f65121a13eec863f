// Dataset: the samples that a network is measured on, inputs and, where the user has them, labels.
//
// Samples are read when they are used. Memory holds those in use; of each other sample it holds 24
// bytes and the labels. Small datasets stay in memory.
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

#include "halftone/data.h"
#include "src/accuracy/labels.h"
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

// Draws `wanted` of the first `count` numbers, sorted; every such choice is equally likely.
std::vector<std::size_t> DrawnNumbers(std::size_t count, std::size_t wanted, std::uint64_t seed);

// Default of DatasetOptions::draw_samples for a search, which runs each of its plans on all
// samples. The standard error of a mean over 16384 is 0.8 % of the spread of single samples. If no
// class differs in the quarter that is held out, the promise is less than 0.1 % of other classes
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
