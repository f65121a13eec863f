#include "src/accuracy/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "src/accuracy/metrics.h"
#include "src/accuracy/open_steps.h"
#include "src/accuracy/sample_count.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Bytes of a sample besides its elements: name, shapes, blocks of the heap.
constexpr std::int64_t kBytesAroundSample = 1024;

void AddInputs(const std::vector<Tensor>& inputs, Hasher& hasher) {
  for (const Tensor& input : inputs) {
    hasher.Add(NameOf(input.dtype())).Add(input.shape().ToString()).AddBytes(input.bytes());
  }
}

void AddSample(const Sample& sample, Hasher& hasher) {
  AddInputs(sample.inputs, hasher);
  for (const std::vector<Tensor>& step : sample.steps) {
    AddInputs(step, hasher);
  }
}

Hash128 HashOf(const Sample& sample) {
  Hasher hasher;
  AddSample(sample, hasher);
  return hasher.Finish();
}

void AddState(std::span<const StateLink> state, Hasher& hasher) {
  for (const StateLink& link : state) {
    hasher.Add(static_cast<std::int64_t>(link.output)).Add(static_cast<std::int64_t>(link.input));
  }
}

void AddLabels(const Labels& labels, Hasher& hasher) {
  for (std::size_t sample = 0; sample < labels.size(); ++sample) {
    hasher.Add(std::ssize(labels[sample]));
    for (const std::int64_t label : labels[sample]) {
      hasher.Add(label);
    }
  }
  if (const auto output = labels.output()) {
    hasher.Add("output").Add(static_cast<std::int64_t>(*output));
  }
}

// Approximate memory of a sample.
std::int64_t BytesOf(const Sample& sample) {
  std::int64_t bytes = kBytesAroundSample;
  const auto add = [&](const std::vector<Tensor>& inputs) {
    for (const Tensor& input : inputs) {
      bytes += static_cast<std::int64_t>(input.size_bytes());
    }
  };
  add(sample.inputs);
  std::ranges::for_each(sample.steps, add);
  return bytes;
}

std::vector<std::size_t> FirstNumbers(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// 0 or 1 for integers: valid as token ids, masks and indices of any network.
std::vector<Sample> GeneratedSamples(const Graph& graph, const DatasetOptions& options) {
  Rng rng(options.seed);
  std::vector<Sample> samples;
  for (std::int64_t s = 0; s < options.generated_samples; ++s) {
    Sample sample{.name = fmt::format("random[{}]", s), .inputs = {}};
    for (const ValueId id : graph.inputs) {
      Tensor tensor(graph.value(id).type);
      for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
        const bool floating = IsFloating(tensor.dtype());
        StoreDouble(tensor.dtype(), tensor.mutable_data(), i,
                    floating ? rng.Uniform(-1, 1) : static_cast<double>(rng.Below(2)));
      }
      sample.inputs.push_back(std::move(tensor));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

void CheckCounts(const DatasetOptions& options) {
  for (const std::int64_t count : {options.max_samples, options.draw_samples}) {
    if (count < 0) {
      throw Error(ErrorKind::kUsage, fmt::format("the number of samples cannot be {}", count));
    }
  }
}

void RefuseFilesBesideArrays(const DatasetOptions& options) {
  const bool has_files =
      !options.inputs.empty() || !options.labels.empty() || !options.image.empty();
  if (options.arrays != nullptr && has_files) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("'{}' are samples in memory, and files or images are named beside them: "
                    "give inputs and labels as arrays, or both as files",
                    options.arrays->name));
  }
}

// The samples that the options choose of `count`.
struct Choice {
  std::vector<std::size_t> numbers;
  std::size_t drawn_from = 0;  // Dataset::drawn_from
};

Choice ChooseSamples(std::size_t count, const DatasetOptions& options) {
  const auto first = static_cast<std::size_t>(options.max_samples);
  const auto drawn = static_cast<std::size_t>(options.draw_samples);
  count = first > 0 ? std::min(count, first) : count;
  if (drawn == 0 || drawn >= count) {
    return {FirstNumbers(count)};
  }
  return {DrawnNumbers(count, drawn, options.seed), count};
}

std::vector<std::string> NotesOf(const OpenedSamples& opened, bool of_left_out) {
  std::vector<std::string> notes = opened.notes;
  if (of_left_out && !opened.why_left_out.empty()) {
    notes.push_back(opened.why_left_out);
  }
  return notes;
}

// OpenSteps(), whose errors about shapes say what to do.
OpenedSamples OpenForUse(const Graph& graph, const DatasetOptions& options, std::size_t wanted) {
  try {
    return OpenSteps(graph, options, wanted);
  } catch (const ShapeMismatch& mismatch) {
    const auto declared = options.declared.find(mismatch.input().name);
    throw ShapeMismatch(fmt::format("{}: {}", mismatch.what(),
                                    AdviceFor(mismatch, declared != options.declared.end()
                                                            ? declared->second
                                                            : std::vector<std::int64_t>())),
                        mismatch.input(), mismatch.found());
  }
}

Dataset GeneratedDataset(const Graph& graph, const DatasetOptions& options) {
  if (options.generated_samples <= 0) {
    throw Error(ErrorKind::kModel, "expected at least one generated sample");
  }
  if (!options.labels.empty()) {
    throw Error(ErrorKind::kUsage,
                "labels need the inputs they belong to: generated inputs have none");
  }
  const Dataset all(GeneratedSamples(graph, options));
  Dataset dataset = all.Part(ChooseSamples(all.size(), options).numbers);
  dataset.representative = false;
  return dataset;
}

}  // namespace

Dataset::Dataset(std::vector<Sample> samples, Labels labels)
    : numbers_(FirstNumbers(samples.size())), labels_(std::move(labels)), is_kept_(true) {
  reader_ = std::make_shared<KeptSamples>(std::move(samples));
  Check(labels_.empty() || labels_.size() == size(), "labels of each sample");
}

Dataset::Dataset(std::shared_ptr<const SampleReader> reader, std::vector<std::size_t> numbers,
                 Labels labels)
    : reader_(std::move(reader)), numbers_(std::move(numbers)), labels_(std::move(labels)) {
  Check(labels_.empty() || labels_.size() == size(), "labels of each sample");
}

Sample Dataset::Read(std::size_t index) const {
  const std::size_t number = numbers_.at(index);
  Sample sample{.name = reader_->NameOf(number),
                .inputs = reader_->Read(number),
                .steps = reader_->Steps(number)};
  if (!is_kept_ && !hashes_.empty() && HashOf(sample) != hashes_[index]) {
    throw Error(ErrorKind::kIo,
                fmt::format("sample '{}' has other values than when it was read first: leave the "
                            "files of --inputs as they are while halftone runs, and start again",
                            sample.name));
  }
  return sample;
}

SampleOutputs Dataset::OutputsOf(std::size_t index, std::span<const Tensor> reference,
                                 std::span<const Tensor> actual) const {
  SampleOutputs outputs{.reference = reference, .actual = actual, .labels = {}};
  if (has_labels()) {
    outputs.labels = labels_[index];
    outputs.class_output = labels_.output();
  }
  return outputs;
}

void Dataset::ReadThrough(std::int64_t most_kept_bytes) {
  std::vector<Hash128> hashes;
  hashes.reserve(size());
  std::vector<Sample> kept;
  bool keeps = true;
  Hasher all;
  for (std::size_t i = 0; i < size(); ++i) {
    Sample sample = Read(i);
    hashes.push_back(HashOf(sample));
    all.Add(std::ssize(sample.inputs));
    AddSample(sample, all);
    if (i == 0) {  // the others are as large
      keeps = BytesOf(sample) <= most_kept_bytes / static_cast<std::int64_t>(size());
    }
    if (keeps) {
      kept.push_back(std::move(sample));
    }
  }
  AddLabels(labels_, all);
  AddState(state, all);
  hash_ = all.Finish();
  hashes_ = std::move(hashes);
  if (keeps) {
    reader_ = std::make_shared<KeptSamples>(std::move(kept));
    numbers_ = FirstNumbers(size());
    is_kept_ = true;
  }
}

Hash128 Dataset::InputsHash(std::size_t index) const {
  return hashes_.empty() ? HashOf(Read(index)) : hashes_.at(index);
}

Hash128 Dataset::Hash() const {
  if (!hash_) {
    Hasher hasher;
    for (std::size_t i = 0; i < size(); ++i) {
      const Sample sample = Read(i);
      hasher.Add(std::ssize(sample.inputs));
      AddSample(sample, hasher);
    }
    AddLabels(labels_, hasher);
    AddState(state, hasher);
    hash_ = hasher.Finish();
  }
  return *hash_;
}

Dataset Dataset::Part(std::span<const std::size_t> indices) const {
  std::vector<std::size_t> numbers;
  numbers.reserve(indices.size());
  for (const std::size_t index : indices) {
    numbers.push_back(numbers_.at(index));
  }
  Dataset part(reader_, std::move(numbers), has_labels() ? labels_.Part(indices) : Labels());
  for (const std::size_t index : indices) {
    if (!hashes_.empty()) {
      part.hashes_.push_back(hashes_[index]);
    }
  }
  part.is_kept_ = is_kept_;
  part.representative = representative;
  part.state = state;
  part.steps_each = steps_each;
  return part;
}

// Each number is taken with the probability of those still wanted among those still to come (Knuth,
// The Art of Computer Programming 2, 3.4.2, algorithm S).
std::vector<std::size_t> DrawnNumbers(std::size_t count, std::size_t wanted, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::size_t> numbers;
  numbers.reserve(wanted);
  for (std::size_t number = 0; numbers.size() < wanted; ++number) {
    if (rng.Below(count - number) < wanted - numbers.size()) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

Dataset LoadDataset(const Graph& graph, const DatasetOptions& options,
                    std::vector<SetFolder>* left_out) {
  CheckCounts(options);
  RefuseFilesBesideArrays(options);
  if (!options.has_inputs()) {
    if (!options.image.empty()) {
      throw Error(ErrorKind::kUsage,
                  "--image belongs to images of --inputs: give both, or neither");
    }
    return GeneratedDataset(graph, options);
  }
  // Labels count all samples, and of all some are drawn.
  const bool counts_all = options.has_labels();
  OpenedSamples opened =
      OpenForUse(graph, options, counts_all ? 0 : static_cast<std::size_t>(options.max_samples));
  const std::size_t count = opened.reader->size();
  if (count == 0) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("'{}' holds no samples: expected at least one, add it or leave --inputs out "
                    "for generated ones",
                    options.InputsName()));
  }
  Labels labels;
  if (counts_all) {
    labels = options.arrays != nullptr ? LabelsIn(graph, *options.arrays, count)
                                       : ReadLabels(graph, options.labels, count);
  }
  Choice choice = ChooseSamples(count, options);
  if (!labels.empty() && choice.numbers.size() < count) {
    labels = labels.Part(choice.numbers);
  }
  Dataset dataset(std::move(opened.reader), std::move(choice.numbers), std::move(labels));
  dataset.drawn_from = choice.drawn_from;
  dataset.notes = NotesOf(opened, left_out == nullptr);
  if (left_out != nullptr) {
    *left_out = std::move(opened.left_out);
  }
  dataset.ReadThrough(kMostKeptSampleBytes);
  return dataset;
}

}  // namespace halftone
