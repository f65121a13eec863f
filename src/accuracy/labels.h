// Labels: the class indices of samples, and their reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/accuracy/sample_arrays.h"
#include "src/ir/graph.h"

namespace halftone {

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
  // classes (ClassOutput() in src/accuracy/metrics.h).
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

// Reads the integers of a .npy or .pb file, as many for each of `sample_count` (> 0) samples. The
// first axis counts samples, or rows when the network's batch is larger than one. `argument`: the
// file, or "OUTPUT:FILE" for the classes of that output. Error kIo as ReadTensorFile(); kModel: not
// integers, another number of samples, no output with as many rows of classes (unless the graph has
// no outputs), a class that does not exist.
Labels ReadLabels(const Graph& graph, const std::string& argument, std::size_t sample_count);

// Labels of samples in memory, which must have labels. Error kModel as ReadLabels(); kUsage: the
// network has no output of that name.
Labels LabelsIn(const Graph& graph, const SampleArrays& arrays, std::size_t sample_count);

}  // namespace halftone
