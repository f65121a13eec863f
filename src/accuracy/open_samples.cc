#include "src/accuracy/open_samples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "src/accuracy/image_samples.h"
#include "src/accuracy/input_paths.h"
#include "src/accuracy/npz_file.h"
#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNames = 3;  // of a kind, that a sentence lists

std::vector<std::string> NamesOfInputs(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId input : graph.inputs) {
    names.push_back(graph.value(input).name);
  }
  return names;
}

// "'a', 'b'"
std::string InputNames(const Graph& graph) {
  return QuotedNames(NamesOfInputs(graph));
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

// Files that hold doubles, for one sentence.
class RoundedFiles {
 public:
  void Add(const std::vector<Value>& inputs, const StackedFiles& stacked) {
    for (const std::size_t input : stacked.Rounded(inputs)) {
      if (count_++ < kMostNames) {
        names_.push_back(fmt::format("'{}'", stacked.files()[input].path().string()));
        input_ = inputs[input].name;
      }
    }
  }

  void AddNote(std::vector<std::string>& notes) const {
    if (count_ == 1) {
      notes.push_back(fmt::format("{} holds double values: rounded to float32 for input '{}'",
                                  names_.front(), input_));
    } else if (count_ > 1) {
      notes.push_back(fmt::format("{} hold double values, rounded to float32: {}{}",
                                  Counted(static_cast<std::int64_t>(count_), "file"),
                                  Join(names_, ", "), count_ > names_.size() ? ", ..." : ""));
    }
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::string> names_;
  std::string input_;  // of the last name
};

// Sets of other shapes than the network's, for one sentence.
class OtherShapes {
 public:
  void Add(const std::vector<Value>& inputs, const std::vector<StoredTensor>& files,
           const SetFolder& set, const ShapeMismatch& why) {
    std::string shapes;
    for (std::size_t i = 0; i < files.size(); ++i) {
      shapes += fmt::format("{}{}:{}", i == 0 ? "" : ";", inputs[i].name,
                            fmt::join(files[i].type().shape.dims(), ","));
    }
    auto group = std::ranges::find(groups_, shapes, &Group::shapes);
    if (group == groups_.end()) {
      groups_.push_back({std::move(shapes), 0, {}});
      group = groups_.end() - 1;
    }
    if (group->count++ < kMostNames) {
      group->names.push_back(set.Name());
    }
    first_ = first_ ? std::move(first_) : std::optional(why);
    ++count_;
  }

  // "32 of 48 test_data_set_N folders are left out, as they have other shapes than 'x:1,8': 16 have
  // 'x:1,9' (test_data_set_3, ...)"
  [[nodiscard]] std::string Sentence(const std::vector<Value>& inputs, std::size_t all) const {
    if (count_ == 0) {
      return {};
    }
    std::vector<std::string> own;
    own.reserve(inputs.size());
    for (const Value& input : inputs) {
      own.push_back(fmt::format("{}:{}", input.name, fmt::join(input.type.shape.dims(), ",")));
    }
    std::vector<std::string> parts;
    std::size_t listed = 0;
    for (std::size_t i = 0; i < std::min(groups_.size(), kMostNames); ++i) {
      const Group& group = groups_[i];
      listed += group.count;
      parts.push_back(fmt::format(
          "{} {} '{}' ({}{})", group.count, group.count == 1 ? "has" : "have", group.shapes,
          Join(group.names, ", "), group.count > group.names.size() ? ", ..." : ""));
    }
    return fmt::format("{} of {} {} left out, as {} other shapes than '{}': {}{}", count_,
                       Counted(static_cast<std::int64_t>(all), "test_data_set_N folder"),
                       count_ == 1 ? "is" : "are", count_ == 1 ? "it has" : "they have",
                       Join(own, ";"), Join(parts, "; "),
                       listed < count_ ? fmt::format("; {} have others", count_ - listed) : "");
  }

  [[nodiscard]] const std::optional<ShapeMismatch>& first() const { return first_; }

 private:
  struct Group {
    std::string shapes;
    std::size_t count = 0;
    std::vector<std::string> names;  // the first few
  };

  std::size_t count_ = 0;
  std::vector<Group> groups_;
  std::optional<ShapeMismatch> first_;
};

OpenedSamples OpenStack(const Graph& graph, std::vector<StoredTensor> files, std::string name) {
  std::vector<Value> inputs = InputsOf(graph);
  StackedFiles stacked(inputs, std::move(files));
  OpenedSamples opened;
  RoundedFiles rounded;
  rounded.Add(inputs, stacked);
  rounded.AddNote(opened.notes);
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
  RoundedFiles rounded;
  OtherShapes others;
  std::size_t seen = 0;
  for (const SetFolder& set : sets) {
    ++seen;
    std::vector<StoredTensor> files = InputFilesIn(inputs, folder / set.Name());
    if (const auto why = WhyLeftOut(inputs, files)) {
      opened.left_out.push_back(set);
      others.Add(inputs, files, set, *why);
      continue;
    }
    const StackedFiles stacked(inputs, std::move(files));
    rounded.Add(inputs, stacked);
    reader->Add(set, stacked.samples());
    if (wanted > 0 && reader->size() >= wanted) {
      break;
    }
  }
  rounded.AddNote(opened.notes);
  opened.why_left_out = others.Sentence(inputs, seen);
  if (reader->size() == 0) {
    const std::string what =
        fmt::format("'{}' holds no usable samples{}{}", folder.string(),
                    opened.why_left_out.empty() ? "" : ": ", opened.why_left_out);
    if (others.first()) {
      throw ShapeMismatch(what, others.first()->input(), others.first()->found());
    }
    throw Error(ErrorKind::kModel, what);
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
      names.reserve(arrays.size());
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

OpenedSamples OpenArchive(const Graph& graph, const fs::path& path, std::int64_t limit) {
  const std::vector<NamedArray> arrays = ReadNpz(path, limit);
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

// The array of an archive for this input alone.
StoredTensor OnlyArray(const Value& input, const fs::path& path, std::int64_t limit) {
  std::vector<NamedArray> arrays = ReadNpz(path, limit);
  if (arrays.size() != 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' holds {} arrays, for the input '{}' alone: expected one; give "
                            "an archive with the arrays of all inputs without a name",
                            path.string(), arrays.size(), input.name));
  }
  return {path, std::move(arrays.front().tensor)};
}

// How files are read.
struct Reading {
  ImageTransform transform;
  std::int64_t limit = 0;  // bytes of an archive, as ReadNpz()
};

// A file of one input, or the images for it.
StoredTensor OpenFile(const Value& input, const fs::path& path, const Reading& reading) {
  switch (KindOf(path)) {
    case FileKind::kImages:
      return StackImages(input, ImagesIn(path), reading.transform);
    case FileKind::kRaw:
      return StoredTensor::Raw(path, input.type);
    case FileKind::kArchive:
      return OnlyArray(input, path, reading.limit);
    case FileKind::kTensor:
      break;
  }
  return StoredTensor(path);
}

// Whether an image is among the paths.
bool NamesImages(const InputPaths& found) {
  return found.form == InputsForm::kImages ||
         std::ranges::any_of(found.by_input,
                             [](const fs::path& path) { return !ImagesIn(path).empty(); });
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

OpenedSamples OpenByName(const Graph& graph, const std::vector<fs::path>& paths,
                         const Reading& reading) {
  std::vector<StoredTensor> files;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const Value& input = graph.value(graph.inputs[i]);
    if (paths[i].empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("no file is given for input '{}': the inputs of the network are {}{}",
                              input.name, InputNames(graph), StateHint(graph, input)));
    }
    files.push_back(OpenFile(input, paths[i], reading));
  }
  return OpenFiles(graph, std::move(files));
}

OpenedSamples OpenFound(const Graph& graph, const InputPaths& found, std::size_t wanted,
                        const Reading& reading) {
  switch (found.form) {
    case InputsForm::kSets:
      return OpenSets(graph, found.path, SetFoldersIn(found.path), wanted);
    case InputsForm::kSet:
      return OpenStack(graph, InputFilesIn(InputsOf(graph), found.path),
                       found.path.filename().string());
    case InputsForm::kImages:
      return OpenImages(graph, ImagesIn(found.path), reading.transform);
    case InputsForm::kArchive:
      return OpenArchive(graph, found.path, reading.limit);
    case InputsForm::kByName:
      return OpenByName(graph, found.by_input, reading);
    case InputsForm::kFile:
      break;
  }
  RequireOneInput(graph, found.path);
  std::vector<StoredTensor> files;
  files.push_back(OpenFile(graph.value(graph.inputs.front()), found.path, reading));
  return OpenFiles(graph, std::move(files));
}

}  // namespace

OpenedSamples OpenSamples(const Graph& graph, const std::string& inputs, std::size_t wanted,
                          std::string_view image, std::int64_t limit) {
  const Reading reading{.transform = ParseImageTransform(image), .limit = limit};
  const InputPaths found = FindInputs(NamesOfInputs(graph), inputs);
  if (!image.empty() && !NamesImages(found)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--image={}: it is for PNG and JPEG images, and '{}' names none; leave "
                            "it out",
                            Shown(image), Printable(inputs)));
  }
  return OpenFound(graph, found, wanted, reading);
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

}  // namespace halftone
