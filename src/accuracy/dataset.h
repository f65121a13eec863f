// Dataset: the samples on which a network is measured. A sample has inputs and, if the user gives
// them, labels.
//
// Samples are read when they are used. Memory holds the samples in use; every other sample takes 24
// bytes and its labels. Small datasets stay in memory.
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

  // Holds the samples in memory. `labels` is empty, or has labels for each sample.
  explicit Dataset(std::vector<Sample> samples, Labels labels = {});

  // Takes those samples of `reader` whose indices are `numbers`, in this order.
  Dataset(std::shared_ptr<const SampleReader> reader, std::vector<std::size_t> numbers,
          Labels labels);

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

  [[nodiscard]] bool empty() const { return numbers_.empty(); }

  [[nodiscard]] std::string NameOf(std::size_t index) const {
    return reader_->NameOf(numbers_[index]);
  }

  // Reads a sample. Several threads may call it at once. Errors kIo and kModel: the sample cannot
  // be read, or has changed since ReadThrough().
  [[nodiscard]] Sample Read(std::size_t index) const;

  [[nodiscard]] bool has_labels() const { return !labels_.empty(); }

  [[nodiscard]] const Labels& labels() const { return labels_; }

  // The given outputs for a sample, together with its labels. Does not copy tensors.
  [[nodiscard]] SampleOutputs OutputsOf(std::size_t index, std::span<const Tensor> reference,
                                        std::span<const Tensor> actual) const;

  // Reads every sample once, so that errors show before any work is done. Keeps the samples in
  // memory if all together take at most `most_kept_bytes`. Errors as Read().
  void ReadThrough(std::int64_t most_kept_bytes);

  // Hash of the inputs of a sample; samples with equal inputs have equal hashes.
  [[nodiscard]] Hash128 InputsHash(std::size_t index) const;

  // Hash of all inputs and labels, in order. The first call reads every sample, unless
  // ReadThrough() did.
  [[nodiscard]] Hash128 Hash() const;

  // The samples with these indices and their labels, without notes. Reads no sample.
  [[nodiscard]] Dataset Part(std::span<const std::size_t> indices) const;

  bool representative = true;      // false for generated random data; reports say so
  std::vector<std::string> notes;  // full sentences about omitted or rounded data, with the reason
  std::vector<StateLink> state;    // links from each step of a sequence to the next
  std::size_t steps_each = 0;      // number of steps of each sequence; 0: samples are single runs
  // Number of samples from which these were drawn (DatasetOptions::draw_samples); 0: none were
  // drawn.
  std::size_t drawn_from = 0;

 private:
  std::shared_ptr<const SampleReader> reader_;
  std::vector<std::size_t> numbers_;  // indices of the samples in `reader_`
  std::vector<Hash128> hashes_;       // InputsHash() of each sample; empty before ReadThrough()
  Labels labels_;
  bool is_kept_ = false;                 // true: samples are in memory, so no file can change them
  mutable std::optional<Hash128> hash_;  // Hash(); empty before it is computed
};

// Draws `wanted` different numbers below `count` at random and sorts them. Every such set is
// equally likely.
std::vector<std::size_t> DrawnNumbers(std::size_t count, std::size_t wanted, std::uint64_t seed);

// Default of DatasetOptions::draw_samples for a search, which runs each plan on all samples. The
// standard error of a mean over 16384 samples is 0.8 % of the spread of single samples. If no class
// changes in the quarter that is held out, halftone promises that less than 0.1 % of classes change
// (docs/guide/reading_results.md, "Promises").
inline constexpr std::int64_t kDrawnSamples = 16384;

// Most bytes of samples held in memory; larger datasets are read again for every use.
inline constexpr std::int64_t kMostKeptSampleBytes = std::int64_t{64} << 20;

// Loads the dataset and reads every sample once (Dataset::ReadThrough()). `left_out` receives the
// sets of other shapes; if it is null, Dataset::notes mentions them.
//
// Errors kIo, kUsage and kModel: missing files, unknown formats, wrong names, ranks, dtypes and
// counts, no samples, NaN or infinity among the inputs (naming file and index).
Dataset LoadDataset(const Graph& graph, const DatasetOptions& options,
                    std::vector<SetFolder>* left_out = nullptr);

}  // namespace halftone
