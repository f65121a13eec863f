#include "src/accuracy/data_extents.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "src/accuracy/image_samples.h"
#include "src/accuracy/image_transform.h"
#include "src/accuracy/input_paths.h"
#include "src/accuracy/npz_file.h"
#include "src/accuracy/sample_sets.h"
#include "src/accuracy/stored_tensor.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Whether files stack samples along the first axis, or hold one sample.
enum class Stacked : bool { kNo, kYes };

bool IsFree(std::int64_t extent) {
  return extent == kFreeDimension;
}

// The last part of "output:input" in each item of --state; names may contain colons.
std::set<std::string, std::less<>> FedInputs(std::span<const ModelInput> inputs,
                                             std::string_view state) {
  std::set<std::string, std::less<>> fed;
  for (const std::string_view item : Split(state, ';')) {
    for (const ModelInput& input : inputs) {
      if (Trim(item).ends_with(":" + input.name)) {
        fed.insert(input.name);
      }
    }
  }
  return fed;
}

class Finder {
 public:
  Finder(std::span<const ModelInput> inputs, const DatasetOptions& options)
      : inputs_(inputs), options_(options), transform_(ParseImageTransform(options.image)) {
    for (const ModelInput& input : inputs) {
      found_.dims.push_back(input.dims);
      names_.push_back(input.name);
    }
  }

  DataExtents Find() {
    if (options_.arrays != nullptr) {
      TakeArrays(*options_.arrays);
    } else if (!options_.inputs.empty()) {
      TakeFiles(FindInputs(names_, options_.inputs));
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool Needs(std::size_t input) const {
    return std::ranges::any_of(found_.dims[input], IsFree);
  }

  // Fills the free extents of an input from those of its data.
  void Fill(std::size_t input, const Shape& shape, Stacked stacked) {
    std::vector<std::int64_t>& dims = found_.dims[input];
    const int more = shape.rank() - static_cast<int>(dims.size());
    const bool has_new_axis = more == 1 && stacked == Stacked::kYes;
    if (more != 0 && !has_new_axis) {
      return;
    }
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (IsFree(dims[axis])) {
        dims[axis] = axis == 0 && stacked == Stacked::kYes && !has_new_axis
                         ? 1
                         : shape[static_cast<int>(axis) + (has_new_axis ? 1 : 0)];
      }
    }
  }

  void FillFromImages(std::size_t input, const std::vector<fs::path>& files) {
    const Image first = ReadImage(files.front());
    const std::vector<std::int64_t> declared = found_.dims[input];
    found_.dims[input] = ImageExtents(names_[input], declared, transform_,
                                      {.height = first.height, .width = first.width});
    const std::vector<std::int64_t>& dims = found_.dims[input];
    if (files.size() > 1 && dims.size() == 4 && std::ranges::count_if(declared, IsFree) > 1) {
      found_.notes.push_back(fmt::format(
          "input '{}' takes {}, by the first image '{}'; images of other sizes are scaled and cut "
          "to that, and --input_shape or resize of --image gives another",
          names_[input], Shape(dims).ToString(), files.front().filename().string()));
    }
  }

  void FillFromPath(std::size_t input, const fs::path& path) {
    std::error_code error;
    if (!Needs(input) || !fs::exists(path, error)) {
      return;
    }
    switch (KindOf(path)) {
      case FileKind::kImages:
        FillFromImages(input, ImagesIn(path));
        return;
      case FileKind::kArchive:
        FillFromArchive(path, {input});
        return;
      case FileKind::kRaw:
        found_.without_header.emplace(input, path);
        return;
      case FileKind::kTensor:
        Fill(input, StoredTensor(path).type().shape, Stacked::kYes);
        return;
    }
  }

  // `wanted`: inputs that the archive is for.
  void FillFromArchive(const fs::path& path, const std::vector<std::size_t>& wanted) {
    const std::vector<NamedType> arrays = NpzTypes(path, options_.max_memory);
    for (const std::size_t input : wanted) {
      const auto array = arrays.size() == 1 && wanted.size() == 1
                             ? arrays.begin()
                             : std::ranges::find(arrays, names_[input], &NamedType::name);
      if (Needs(input) && array != arrays.end()) {
        Fill(input, array->type.shape, Stacked::kYes);
      }
    }
  }

  void FillFromSet(const fs::path& folder, Stacked stacked) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const fs::path file = folder / fmt::format("input_{}.pb", i);
      std::error_code error;
      if (Needs(i) && fs::is_regular_file(file, error)) {
        Fill(i, StoredTensor(file).type().shape, stacked);
      }
    }
  }

  // The inputs that the samples are of: without those that --state feeds, unless all are fed.
  [[nodiscard]] std::vector<std::size_t> Given() const {
    const auto fed = FedInputs(inputs_, options_.state);
    std::vector<std::size_t> given;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!fed.contains(names_[i])) {
        given.push_back(i);
      }
    }
    return given;
  }

  // The inputs that an archive is for: all, unless the samples are of a single one.
  [[nodiscard]] std::vector<std::size_t> OfArchive(std::vector<std::size_t> given) const {
    if (given.size() != 1) {
      given.resize(names_.size());
      std::iota(given.begin(), given.end(), std::size_t{0});
    }
    return given;
  }

  void TakeFiles(const InputPaths& paths) {
    const std::vector<std::size_t> given = Given();
    switch (paths.form) {
      case InputsForm::kSets:
        FillFromSet(paths.path / SetFoldersIn(paths.path).front().Name(), Stacked::kNo);
        return;
      case InputsForm::kSet:
        FillFromSet(paths.path, IsSetFolder(paths.path) ? Stacked::kNo : Stacked::kYes);
        return;
      case InputsForm::kArchive:
        FillFromArchive(paths.path, OfArchive(given));
        return;
      case InputsForm::kImages:
      case InputsForm::kFile:
        if (given.size() == 1) {
          FillFromPath(given.front(), paths.path);
        }
        return;
      case InputsForm::kByName:
        for (std::size_t i = 0; i < names_.size(); ++i) {
          if (!paths.by_input[i].empty()) {
            FillFromPath(i, paths.by_input[i]);
          }
        }
        return;
    }
  }

  void TakeArrays(const SampleArrays& arrays) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto array = std::ranges::find_if(arrays.inputs, [&](const NamedArray& each) {
        return each.name == names_[i] || each.name.empty();
      });
      if (Needs(i) && array != arrays.inputs.end()) {
        Fill(i, array->tensor.shape(), Stacked::kYes);
      }
    }
  }

  std::span<const ModelInput> inputs_;
  const DatasetOptions& options_;
  ImageTransform transform_;  // refused, where it is wrong, before a file is looked for
  std::vector<std::string> names_;
  DataExtents found_;
};

}  // namespace

DataExtents ExtentsInData(std::span<const ModelInput> inputs, const DatasetOptions& options) {
  return Finder(inputs, options).Find();
}

}  // namespace halftone
