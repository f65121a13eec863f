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

// Name of a folder test_data_set_N, in few bytes because there may be millions of them.
struct SetFolder {
  std::int64_t number = 0;
  int digits = 1;  // number of digits with leading zeros; 3 for test_data_set_007

  [[nodiscard]] std::string Name() const;

  friend bool operator==(const SetFolder&, const SetFolder&) = default;
};

// The test_data_set_N folders inside `folder`, sorted by number. Other entries are skipped. Error
// kIo: the folder cannot be listed.
std::vector<SetFolder> SetFoldersIn(const std::filesystem::path& folder);

// True if the last part of the path has the form test_data_set_N.
bool IsSetFolder(const std::filesystem::path& folder);

// The files input_0.pb, input_1.pb, ... of a folder, one for each input. Error kIo: a file is
// missing. Error kModel: there are more files than inputs. Errors also as StoredTensor.
std::vector<StoredTensor> InputFilesIn(const std::vector<Value>& inputs,
                                       const std::filesystem::path& folder);

// The first mismatch between the shapes of a set and those of the inputs, such as another length of
// a sequence. Empty: the set fits.
std::optional<ShapeMismatch> WhyLeftOut(const std::vector<Value>& inputs,
                                        const std::vector<StoredTensor>& files);

// Reader of sets. A set with the shapes of the network is one sample; a set with a larger batch is
// several.
class SampleSets : public SampleReader {
 public:
  SampleSets(std::vector<Value> inputs, std::filesystem::path folder)
      : inputs_(std::move(inputs)), folder_(std::move(folder)) {}

  // Adds the samples of a set behind the earlier ones.
  void Add(const SetFolder& set, std::int64_t samples);

  [[nodiscard]] std::size_t size() const override { return size_; }

  [[nodiscard]] std::string NameOf(std::size_t index) const override;

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override;

 private:
  struct Entry {
    SetFolder set;
    std::size_t first = 0;  // index of its first sample
  };

  // The set that holds the sample.
  [[nodiscard]] const Entry& EntryOf(std::size_t index) const;

  std::vector<Value> inputs_;
  std::filesystem::path folder_;
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace halftone
