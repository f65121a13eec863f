// Samples in folders test_data_set_N, each with a file input_i.pb for each input of the network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "src/accuracy/sample_count.h"
#include "src/accuracy/sample_reader.h"
#include "src/accuracy/stacked_samples.h"
#include "src/ir/graph.h"

namespace halftone {

// Number of a folder test_data_set_N, in the few bytes that give its name: there may be millions.
struct SetFolder {
  std::int64_t number = 0;
  int digits = 1;  // with leading zeros: test_data_set_007 has 3

  [[nodiscard]] std::string Name() const;

  friend bool operator==(const SetFolder&, const SetFolder&) = default;
};

// The test_data_set_N folders inside `folder`, by number; others are skipped. Error kIo: it cannot
// be listed.
std::vector<SetFolder> SetFoldersIn(const std::filesystem::path& folder);

// True for the path of one test_data_set_N folder.
bool IsSetFolder(const std::filesystem::path& folder);

// The files input_0.pb, ... of a folder, one for each input. Error kIo: one is missing; kModel:
// there is one too many; errors of StoredTensor.
std::vector<StoredTensor> InputFilesIn(const std::vector<Value>& inputs,
                                       const std::filesystem::path& folder);

// Reason why a set does not fit a network of these inputs: its tensors have other shapes (sequences
// of other lengths). Empty: it fits.
std::optional<ShapeMismatch> WhyLeftOut(const std::vector<Value>& inputs,
                                        const std::vector<StoredTensor>& files);

// Reader of sets: one with the network's shapes is one sample, one of a larger batch several.
class SampleSets : public SampleReader {
 public:
  SampleSets(std::vector<Value> inputs, std::filesystem::path folder)
      : inputs_(std::move(inputs)), folder_(std::move(folder)) {}

  // Adds the samples of a set behind those added so far.
  void Add(const SetFolder& set, std::int64_t samples);

  [[nodiscard]] std::size_t size() const override { return size_; }

  [[nodiscard]] std::string NameOf(std::size_t index) const override;

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override;

 private:
  struct Entry {
    SetFolder set;
    std::size_t first = 0;  // its first sample
  };

  // The set that holds the sample.
  [[nodiscard]] const Entry& EntryOf(std::size_t index) const;

  std::vector<Value> inputs_;
  std::filesystem::path folder_;
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace halftone
