#include "src/qaic/raw_samples.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <memory>
#include <numeric>

#include "src/accuracy/input_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/rng.h"

namespace halftone {
namespace {

static_assert(std::endian::native == std::endian::little, "raw files are read as they are");

// "x float32 1x3x224x224"
std::string NameOfInput(const Value& input) {
  return fmt::format("input '{}' ({})", input.name, input.type.ToString());
}

class RawReader : public SampleReader {
 public:
  RawReader(const Graph& graph, std::vector<std::vector<std::string>> samples,
            const std::filesystem::path& list)
      : samples_(std::move(samples)) {
    for (const ValueId id : graph.inputs) {
      inputs_.push_back(
          {.name = graph.value(id).name, .type = graph.value(id).type, .constant = {}});
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      WithContext(
          [&] { return fmt::format("-input-list-file={}: sample {}", list.string(), i + 1); },
          [&] { CheckFiles(samples_[i]); });
    }
  }

  [[nodiscard]] std::size_t size() const override { return samples_.size(); }

  [[nodiscard]] std::string NameOf(std::size_t index) const override {
    return samples_.at(index).front();
  }

  [[nodiscard]] std::vector<Tensor> Read(std::size_t index) const override {
    std::vector<Tensor> tensors;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::filesystem::path& path = samples_.at(index)[i];
      Tensor tensor(inputs_[i].type);
      std::error_code unknown;  // reading says why
      if (const auto size = std::filesystem::file_size(path, unknown);
          !unknown && size != tensor.size_bytes()) {
        ThrowSize(inputs_[i], path, size);
      }
      const std::string bytes = ReadFile(path);
      if (bytes.size() != tensor.size_bytes()) {
        ThrowSize(inputs_[i], path, bytes.size());
      }
      if (!bytes.empty()) {
        std::memcpy(tensor.mutable_data(), bytes.data(), bytes.size());
      }
      CheckFinite(inputs_[i], path, 0, tensor);
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

 private:
  [[noreturn]] static void ThrowSize(const Value& input, const std::filesystem::path& path,
                                     std::uintmax_t found) {
    const auto wanted = static_cast<std::uintmax_t>(input.type.size_bytes());
    const bool other_batch = wanted > 0 && !input.type.shape.dims().empty() && found != wanted &&
                             found % (wanted / static_cast<std::uintmax_t>(std::max<std::int64_t>(
                                                   1, input.type.shape.dims()[0]))) ==
                                 0;
    throw Error(
        ErrorKind::kUsage,
        fmt::format("'{}' has {} bytes, expected {} for {}{}", path.string(), found, wanted,
                    NameOfInput(input),
                    other_batch ? "; one list serves one batch size: check -batchsize" : ""));
  }

  void CheckFiles(const std::vector<std::string>& files) const {
    if (files.size() != inputs_.size()) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("expected a raw file for each of the {} inputs of the model, separated "
                      "by commas, found {}",
                      inputs_.size(), files.size()));
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      std::error_code error;
      const std::uintmax_t size = std::filesystem::file_size(files[i], error);
      if (error) {
        throw Error(ErrorKind::kIo,
                    fmt::format("'{}' cannot be read: {}; relative paths begin in the "
                                "current folder",
                                files[i], error.message()));
      }
      if (size != static_cast<std::uintmax_t>(inputs_[i].type.size_bytes())) {
        ThrowSize(inputs_[i], files[i], size);
      }
    }
  }

  std::vector<Value> inputs_;  // without constants
  std::vector<std::vector<std::string>> samples_;
};

}  // namespace

Dataset ReadRawSamples(const Graph& graph, std::vector<std::vector<std::string>> samples,
                       const std::filesystem::path& list) {
  if (samples.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("-input-list-file={}: expected a line for each sample, found none",
                            list.string()));
  }
  std::vector<std::size_t> numbers(samples.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  Dataset dataset(std::make_shared<RawReader>(graph, std::move(samples), list), std::move(numbers),
                  {});
  dataset.ReadThrough(kMostKeptSampleBytes);
  return dataset;
}

Dataset GaussianSamples(const Graph& graph, std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Sample> samples;
  for (std::int64_t s = 0; s < count; ++s) {
    Sample sample{.name = fmt::format("gaussian[{}]", s), .inputs = {}};
    for (const ValueId id : graph.inputs) {
      Tensor tensor(graph.value(id).type);
      for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
        const double value =
            IsFloating(tensor.dtype()) ? rng.Normal() : static_cast<double>(rng.Below(2));
        StoreDouble(tensor.dtype(), tensor.mutable_data(), i, value);
      }
      sample.inputs.push_back(std::move(tensor));
    }
    samples.push_back(std::move(sample));
  }
  Dataset dataset(std::move(samples));
  dataset.representative = false;
  return dataset;
}

}  // namespace halftone
