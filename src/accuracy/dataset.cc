#include "src/accuracy/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "src/accuracy/input_file.h"
#include "src/accuracy/labels.h"
#include "src/accuracy/sample_count.h"
#include "src/base/error.h"
#include "src/base/rng.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSetPrefix = "test_data_set_";

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::string InputNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId input : graph.inputs) {
    names.push_back("'" + graph.value(input).name + "'");
  }
  return Join(names, ", ");
}

Tensor SampleAt(const Tensor& stacked, const TensorType& type, std::int64_t index) {
  if (stacked.ElementCount() == type.shape.ElementCount()) {
    return stacked.Reshaped(type.shape);  // the only one
  }
  Tensor sample(type);
  std::memcpy(sample.mutable_data(),
              stacked.data() + static_cast<std::size_t>(index) * sample.size_bytes(),
              sample.size_bytes());
  return sample;
}

// Splits one file per graph input. A scalar input is the same in every sample.
std::vector<Sample> SplitIntoSamples(const Graph& graph, std::vector<InputFile> files,
                                     std::vector<std::string>& notes) {
  std::int64_t count = -1;
  std::size_t counted = 0;  // the file that said so
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    const std::int64_t samples = SampleCount(input, files[i]);
    if (input.type.shape.rank() == 0) {
      continue;
    }
    if (count >= 0 && samples != count) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("expected as many samples for every input, '{}' holds {}, '{}' holds "
                      "{}: leave out what the others do not have",
                      files[counted].path.string(), count, files[i].path.string(), samples));
    }
    count = samples;
    counted = i;
  }
  count = count < 0 ? 1 : count;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    if (files[i].tensor.dtype() == DType::kFloat64 && input.type.dtype == DType::kFloat32) {
      notes.push_back(fmt::format("'{}' holds double values: rounded to float32 for input '{}'",
                                  files[i].path.string(), input.name));
    }
    files[i].tensor = ConvertedFor(input, files[i]);
    CheckFinite(graph.value(graph.inputs[i]), files[i]);
  }
  std::vector<Sample> samples;
  for (std::int64_t s = 0; s < count; ++s) {
    Sample sample{
        .name = fmt::format("{}[{}]", files.empty() ? "" : files[0].path.filename().string(), s),
        .inputs = {}};
    for (std::size_t i = 0; i < files.size(); ++i) {
      const TensorType& type = graph.value(graph.inputs[i]).type;
      sample.inputs.push_back(SampleAt(files[i].tensor, type, type.shape.rank() == 0 ? 0 : s));
    }
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<InputFile> InputFilesIn(const Graph& graph, const fs::path& folder) {
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const fs::path path = folder / fmt::format("input_{}.pb", i);
    if (!Exists(path)) {
      throw Error(
          ErrorKind::kIo,
          fmt::format(
              "'{}' is missing: expected a file for each input of the network, {} is '{}': add it",
              path.string(), i, graph.value(graph.inputs[i]).name));
    }
    files.push_back({path, ReadTensorFile(path)});
  }
  const fs::path beyond = folder / fmt::format("input_{}.pb", graph.inputs.size());
  if (Exists(beyond)) {
    throw Error(
        ErrorKind::kModel,
        fmt::format("'{}' is one file too many: the inputs of the network are {}, remove it",
                    beyond.string(), InputNames(graph)));
  }
  return files;
}

// The number N of a folder test_data_set_N; empty for any other name.
std::optional<std::int64_t> SetNumber(std::string_view name) {
  if (!name.starts_with(kSetPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kSetPrefix.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(number)
                                                                  : std::nullopt;
}

std::vector<std::pair<std::int64_t, fs::path>> SetFolders(const fs::path& folder) {
  std::vector<std::pair<std::int64_t, fs::path>> sets;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    if (const auto number = SetNumber(entry->path().filename().string());
        number && entry->is_directory(unknown)) {
      sets.emplace_back(*number, entry->path());
    }
  }
  if (error) {
    throw Error(ErrorKind::kIo,
                fmt::format("cannot list the folder '{}': {}", folder.string(), error.message()));
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

// What reading the samples of a network found.
struct ReadNotes {
  std::vector<std::string> notes;
  std::vector<LeftOutSample> left_out;
};

// A set whose tensors have the shapes of the network is one sample, one of a larger batch several.
// Sets of other shapes (sequences of other lengths) are left out with a note: a network is tuned
// for one set of shapes.
std::vector<Sample> SamplesOfSet(const Graph& graph, const fs::path& folder, ReadNotes& notes) {
  auto files = InputFilesIn(graph, folder);
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      static_cast<void>(SampleCount(graph.value(graph.inputs[i]), files[i]));
    } catch (const Error& error) {
      notes.left_out.push_back({folder.filename().string(), error.what()});
      return {};
    }
  }
  std::vector<Sample> samples = SplitIntoSamples(graph, std::move(files), notes.notes);
  const std::string name = folder.filename().string();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].name = samples.size() == 1 ? name : fmt::format("{}[{}]", name, i);
  }
  return samples;
}

std::string Describe(const LeftOutSample& sample) {
  return fmt::format("{} is left out: {}", sample.name, sample.reason);
}

std::vector<Sample> SamplesInFolder(const Graph& graph, const fs::path& folder, ReadNotes& notes) {
  const auto sets = SetFolders(folder);
  const bool is_set = Exists(folder / "input_0.pb");
  if (sets.empty() != is_set) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' holds {} test_data_set_N folders {} input_0.pb: expected one of "
                            "them (.npy files are given as '<input>:<file>;...')",
                            folder.string(), is_set ? "both" : "neither", is_set ? "and" : "nor"));
  }
  if (is_set) {
    auto samples = SplitIntoSamples(graph, InputFilesIn(graph, folder), notes.notes);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      samples[i].name = fmt::format("{}[{}]", folder.filename().string(), i);
    }
    return samples;
  }
  std::vector<Sample> samples;
  for (const auto& [number, path] : sets) {
    for (Sample& sample : SamplesOfSet(graph, path, notes)) {
      samples.push_back(std::move(sample));
    }
  }
  if (samples.empty()) {
    std::vector<std::string> reasons;
    for (const LeftOutSample& sample : notes.left_out) {
      reasons.push_back(Describe(sample));
    }
    throw Error(ErrorKind::kModel, fmt::format("'{}' holds no usable samples: {}", folder.string(),
                                               Join(reasons, "; ")));
  }
  return samples;
}

// The graph input that "name:file" begins with; the longest, since names may contain colons.
std::optional<std::size_t> NamedInput(const Graph& graph, std::string_view item) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.value(graph.inputs[i]).name;
    const bool matches =
        item.size() > name.size() && item.starts_with(name) && item[name.size()] == ':';
    if (matches && (!best || name.size() > graph.value(graph.inputs[*best]).name.size())) {
      best = i;
    }
  }
  return best;
}

std::vector<Sample> SamplesByName(const Graph& graph, const std::string& inputs,
                                  std::vector<std::string>& notes) {
  std::vector<std::optional<InputFile>> found(graph.inputs.size());
  for (const std::string_view part : Split(inputs, ';')) {
    const std::string_view item = Trim(part);
    const auto input = NamedInput(graph, item);
    if (!input) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}': expected <input>:<file>, the inputs of the network are {}",
                              item, InputNames(graph)));
    }
    const std::string& name = graph.value(graph.inputs[*input]).name;
    if (found[*input]) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("input '{}' is given twice: leave one of the files out", name));
    }
    const fs::path path(Trim(item.substr(name.size() + 1)));
    if (path.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("'{}': expected a file behind the colon", item));
    }
    found[*input] = InputFile{path, ReadTensorFile(path)};
  }
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("no file is given for input '{}': the inputs of the network are {}",
                              graph.value(graph.inputs[i]).name, InputNames(graph)));
    }
    files.push_back(std::move(*found[i]));
  }
  return SplitIntoSamples(graph, std::move(files), notes);
}

std::vector<Sample> ReadSamples(const Graph& graph, const std::string& inputs, ReadNotes& notes) {
  std::error_code error;  // a list of many files is no path
  if (fs::is_directory(inputs, error)) {
    return SamplesInFolder(graph, inputs, notes);
  }
  if (Exists(inputs)) {
    if (graph.inputs.size() != 1) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format(
              "'{}' is one file, the network has {} inputs: use '<input>:<file>;...' with {}",
              inputs, graph.inputs.size(), InputNames(graph)));
    }
    return SplitIntoSamples(graph, {{inputs, ReadTensorFile(inputs)}}, notes.notes);
  }
  if (inputs.find(':') == std::string::npos) {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' does not exist: expected a folder, a .npy or .pb file, or "
                            "'<input>:<file>;...' with {}",
                            inputs, InputNames(graph)));
  }
  return SamplesByName(graph, inputs, notes.notes);
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

}  // namespace

Dataset LoadDataset(const Graph& graph, const DatasetOptions& options,
                    std::vector<LeftOutSample>* left_out) {
  if (options.max_samples < 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("the number of samples cannot be {}", options.max_samples));
  }
  Dataset dataset;
  dataset.representative = !options.inputs.empty();
  ReadNotes notes;
  dataset.samples = options.inputs.empty() ? GeneratedSamples(graph, options)
                                           : ReadSamples(graph, options.inputs, notes);
  dataset.notes = std::move(notes.notes);
  if (left_out != nullptr) {
    *left_out = std::move(notes.left_out);
  } else {
    for (const LeftOutSample& sample : notes.left_out) {
      dataset.notes.push_back(Describe(sample));
    }
  }
  if (dataset.samples.empty()) {
    throw Error(
        ErrorKind::kModel,
        options.inputs.empty()
            ? std::string("expected at least one generated sample")
            : fmt::format(
                  "'{}' holds no samples: expected at least one, add it or leave --inputs out for "
                  "generated ones",
                  options.inputs));
  }
  if (!options.labels.empty()) {
    if (options.inputs.empty()) {
      throw Error(ErrorKind::kUsage,
                  "labels need the inputs they belong to: generated inputs have none");
    }
    dataset.labels = ReadLabels(graph, options.labels, dataset.samples.size());
  }
  if (options.max_samples > 0 &&
      static_cast<std::size_t>(options.max_samples) < dataset.samples.size()) {
    dataset.samples.resize(static_cast<std::size_t>(options.max_samples));
    if (dataset.has_labels()) {
      dataset.labels.resize(dataset.samples.size());
    }
  }
  return dataset;
}

Hash128 Dataset::Hash() const {
  Hasher hasher;
  for (const Sample& sample : samples) {
    hasher.Add(static_cast<std::int64_t>(sample.inputs.size()));
    for (const Tensor& input : sample.inputs) {
      hasher.Add(NameOf(input.dtype())).Add(input.shape().ToString()).AddBytes(input.bytes());
    }
  }
  for (const auto& sample_labels : labels) {
    hasher.Add(static_cast<std::int64_t>(sample_labels.size()));
    for (const std::int64_t label : sample_labels) {
      hasher.Add(label);
    }
  }
  return hasher.Finish();
}

}  // namespace halftone
