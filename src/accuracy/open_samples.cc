#include "src/accuracy/open_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "src/accuracy/image_samples.h"
#include "src/accuracy/npz_file.h"
#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostSentences = 20;  // of a kind: a reader needs no more
constexpr std::string_view kArchive = ".npz";

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

// Error kUsage: the network has several inputs, `what` is for one.
void RequireOneInput(const Graph& graph, const std::string& what) {
  if (graph.inputs.size() != 1) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("'{}' is one file, the network has {} inputs: use '<input>:<file>;...' with {}",
                    what, graph.inputs.size(), InputNames(graph)));
  }
}

// Drops the sentences beyond the first few for one that counts them.
void AddSentences(std::vector<std::string> sentences, std::size_t& dropped,
                  std::vector<std::string>& notes) {
  for (std::string& sentence : sentences) {
    if (notes.size() < kMostSentences) {
      notes.push_back(std::move(sentence));
    } else {
      ++dropped;
    }
  }
}

OpenedSamples OpenStack(const Graph& graph, std::vector<StoredTensor> files, std::string name) {
  std::vector<Value> inputs = InputsOf(graph);
  StackedFiles stacked(inputs, std::move(files));
  OpenedSamples opened;
  opened.notes = stacked.Notes(inputs);
  opened.reader =
      std::make_unique<StackedSamples>(std::move(inputs), std::move(stacked), std::move(name));
  return opened;
}

// Named after the first file.
OpenedSamples OpenFiles(const Graph& graph, std::vector<StoredTensor> files) {
  std::string name = files.empty() ? "" : files.front().path().filename().string();
  return OpenStack(graph, std::move(files), std::move(name));
}

// Sets of other shapes are left out: a network is tuned for one set of shapes.
OpenedSamples OpenSets(const Graph& graph, const fs::path& folder,
                       const std::vector<SetFolder>& sets, std::size_t wanted) {
  const std::vector<Value> inputs = InputsOf(graph);
  auto reader = std::make_unique<SampleSets>(inputs, folder);
  OpenedSamples opened;
  std::size_t dropped = 0;
  for (const SetFolder& set : sets) {
    std::vector<StoredTensor> files = InputFilesIn(inputs, folder / set.Name());
    if (std::optional<std::string> why = WhyLeftOut(inputs, files)) {
      opened.left_out.push_back(set);
      if (opened.why.size() < kMostSentences) {
        opened.why.push_back(*std::move(why));
      }
      continue;
    }
    const StackedFiles stacked(inputs, std::move(files));
    AddSentences(stacked.Notes(inputs), dropped, opened.notes);
    reader->Add(set, stacked.samples());
    if (wanted > 0 && reader->size() >= wanted) {
      break;
    }
  }
  if (dropped > 0) {
    opened.notes.push_back(fmt::format("{} more hold double values, rounded to float32",
                                       Counted(static_cast<std::int64_t>(dropped), "file")));
  }
  if (reader->size() == 0) {
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < opened.why.size(); ++i) {
      reasons.push_back(DescribeLeftOut(opened.left_out[i], opened.why[i]));
    }
    if (opened.left_out.size() > reasons.size()) {
      reasons.push_back(
          fmt::format("{} more are left out too", opened.left_out.size() - reasons.size()));
    }
    throw Error(ErrorKind::kModel, fmt::format("'{}' holds no usable samples: {}", folder.string(),
                                               Join(reasons, "; ")));
  }
  opened.reader = std::move(reader);
  return opened;
}

// A folder, or one file.
OpenedSamples OpenImages(const Graph& graph, std::vector<fs::path> files,
                         const ImageTransform& transform) {
  RequireOneInput(graph, files.front().string());
  auto reader = std::make_unique<ImageSamples>(graph.value(graph.inputs.front()), std::move(files),
                                               transform);
  OpenedSamples opened;
  if (std::string note = reader->Note(); !note.empty()) {
    opened.notes.push_back(std::move(note));
  }
  opened.reader = std::move(reader);
  return opened;
}

OpenedSamples OpenFolder(const Graph& graph, const fs::path& folder, std::size_t wanted,
                         const ImageTransform& transform) {
  const std::vector<SetFolder> sets = SetFoldersIn(folder);
  const bool is_set = Exists(folder / "input_0.pb");
  if (sets.empty() && !is_set) {
    if (std::vector<fs::path> images = ImagesIn(folder); !images.empty()) {
      return OpenImages(graph, std::move(images), transform);
    }
  }
  if (sets.empty() != is_set) {
    throw Error(
        ErrorKind::kIo,
        is_set ? fmt::format("'{}' holds both test_data_set_N folders and input_0.pb: expected one "
                             "of them",
                             folder.string())
               : fmt::format("'{}' holds neither test_data_set_N folders nor input_0.pb nor PNG or "
                             "JPEG images: expected one of them (.npy files are given as "
                             "'<input>:<file>;...')",
                             folder.string()));
  }
  return is_set
             ? OpenStack(graph, InputFilesIn(InputsOf(graph), folder), folder.filename().string())
             : OpenSets(graph, folder, sets, wanted);
}

// The arrays by the names of inputs; one array is that of the only input, whatever its name.
// `source`: of the arrays, for messages. Error kUsage naming it: no array for an input.
std::vector<const Tensor*> ArraysOfInputs(const Graph& graph, const std::vector<NamedArray>& arrays,
                                          const std::string& source) {
  if (arrays.size() == 1 && graph.inputs.size() == 1) {
    return {&arrays.front().tensor};
  }
  std::vector<const Tensor*> of_inputs;
  for (const ValueId id : graph.inputs) {
    const std::string& name = graph.value(id).name;
    const auto array = std::ranges::find(arrays, name, &NamedArray::name);
    if (array == arrays.end()) {
      std::vector<std::string> names;
      for (const NamedArray& known : arrays) {
        names.push_back("'" + Shown(known.name) + "'");
      }
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' has no array '{}': expected one for each input of the network, "
                              "{}; found {}",
                              source, name, InputNames(graph), Join(names, ", ")));
    }
    of_inputs.push_back(&array->tensor);
  }
  return of_inputs;
}

OpenedSamples OpenArchive(const Graph& graph, const fs::path& path) {
  const std::vector<NamedArray> arrays = ReadNpz(path);
  std::vector<StoredTensor> files;
  for (const Tensor* tensor : ArraysOfInputs(graph, arrays, path.string())) {
    files.emplace_back(path, *tensor);
  }
  return OpenFiles(graph, std::move(files));
}

// Error kUsage: an array that no input has the name of, or one without a name for several inputs.
void CheckNames(const Graph& graph, const SampleArrays& arrays) {
  if (arrays.inputs.size() == 1 && arrays.inputs.front().name.empty()) {
    if (graph.inputs.size() != 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' is one array without a name, the network has {} inputs: give "
                              "one for each of {}",
                              arrays.name, graph.inputs.size(), InputNames(graph)));
    }
    return;
  }
  for (const NamedArray& array : arrays.inputs) {
    const bool is_input = std::ranges::any_of(
        graph.inputs, [&](ValueId id) { return graph.value(id).name == array.name; });
    if (!is_input) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' has an array '{}', and the network no input of that name: its "
                              "inputs are {}",
                              arrays.name, Shown(array.name), InputNames(graph)));
    }
  }
}

// A file of one input, or the images for it.
StoredTensor OpenFile(const Value& input, const fs::path& path, const ImageTransform& transform) {
  if (const std::vector<fs::path> images = ImagesIn(path); !images.empty()) {
    return StackImages(input, images, transform);
  }
  const std::string ending = path.extension().string();
  if (ending == ".bin" || ending == ".raw") {
    return StoredTensor::Raw(path, input.type);
  }
  if (ending == kArchive) {
    std::vector<NamedArray> arrays = ReadNpz(path);
    if (arrays.size() != 1) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}' holds {} arrays, for the input '{}' alone: expected one; give "
                              "an archive with the arrays of all inputs without a name",
                              path.string(), arrays.size(), input.name));
    }
    return {path, std::move(arrays.front().tensor)};
  }
  return StoredTensor(path);
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

// Whether a path among the inputs is an image, or a folder of some.
bool NamesImages(const Graph& graph, const std::string& inputs) {
  if (!ImagesIn(inputs).empty()) {
    return true;
  }
  return std::ranges::any_of(Split(inputs, ';'), [&](std::string_view part) {
    const std::string_view item = Trim(part);
    const auto input = NamedInput(graph, item);
    return input &&
           !ImagesIn(Trim(item.substr(graph.value(graph.inputs[*input]).name.size() + 1))).empty();
  });
}

// What to do where an input may be the state of a recurrent network; empty: no output has its type.
std::string StateHint(const Graph& graph, const Value& input) {
  const auto output = std::ranges::find_if(
      graph.outputs, [&](ValueId id) { return graph.value(id).type == input.type; });
  return output == graph.outputs.end()
             ? ""
             : fmt::format(
                   "; a state that an output hands to the next step needs none: "
                   "--state=\"{}:{}\"",
                   graph.value(*output).name, input.name);
}

OpenedSamples OpenByName(const Graph& graph, const std::string& inputs,
                         const ImageTransform& transform) {
  std::vector<std::optional<StoredTensor>> found(graph.inputs.size());
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
    found[*input] = OpenFile(graph.value(graph.inputs[*input]), path, transform);
  }
  std::vector<StoredTensor> files;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("no file is given for input '{}': the inputs of the network are {}{}",
                              graph.value(graph.inputs[i]).name, InputNames(graph),
                              StateHint(graph, graph.value(graph.inputs[i]))));
    }
    files.push_back(std::move(*found[i]));
  }
  return OpenFiles(graph, std::move(files));
}

}  // namespace

OpenedSamples OpenSamples(const Graph& graph, const std::string& inputs, std::size_t wanted,
                          std::string_view image) {
  const ImageTransform transform = ParseImageTransform(image);
  if (!image.empty() && !NamesImages(graph, inputs)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--image={}: it is for PNG and JPEG images, and '{}' names none; leave "
                            "it out",
                            Shown(image), Shown(inputs)));
  }
  std::error_code error;  // a list of many files is no path
  if (fs::is_directory(inputs, error)) {
    return OpenFolder(graph, inputs, wanted, transform);
  }
  if (Exists(inputs)) {
    if (fs::path(inputs).extension() == kArchive) {
      return OpenArchive(graph, inputs);
    }
    RequireOneInput(graph, inputs);
    if (std::vector<fs::path> images = ImagesIn(inputs); !images.empty()) {
      return OpenImages(graph, std::move(images), transform);
    }
    std::vector<StoredTensor> files;
    files.push_back(OpenFile(graph.value(graph.inputs.front()), inputs, transform));
    return OpenFiles(graph, std::move(files));
  }
  if (inputs.find(':') == std::string::npos) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("'{}' does not exist: expected a folder, a .npy, .npz, .pb, .bin, .png or .jpg "
                    "file, or '<input>:<file>;...' with {}",
                    inputs, InputNames(graph)));
  }
  return OpenByName(graph, inputs, transform);
}

OpenedSamples OpenArrays(const Graph& graph, const SampleArrays& arrays) {
  CheckNames(graph, arrays);
  const std::vector<const Tensor*> tensors = ArraysOfInputs(graph, arrays.inputs, arrays.name);
  std::vector<StoredTensor> stored;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string& input = graph.value(graph.inputs[i]).name;
    stored.emplace_back(
        tensors.size() == 1 ? arrays.name : fmt::format("{}[{}]", arrays.name, input), *tensors[i]);
  }
  return OpenStack(graph, std::move(stored), arrays.name);
}

std::string DescribeLeftOut(const SetFolder& set, const std::string& why) {
  return fmt::format("{} is left out: {}", set.Name(), why);
}

}  // namespace halftone
