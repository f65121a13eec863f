#include "src/accuracy/input_paths.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "src/accuracy/image_samples.h"
#include "src/accuracy/sample_sets.h"
#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

bool Exists(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

InputPaths InFolder(const fs::path& folder) {
  const bool has_sets = !SetFoldersIn(folder).empty();
  const bool is_set = Exists(folder / "input_0.pb");
  if (has_sets && is_set) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("'{}' holds both test_data_set_N folders and input_0.pb: expected one of them",
                    folder.string()));
  }
  if (has_sets || is_set) {
    return {.form = has_sets ? InputsForm::kSets : InputsForm::kSet, .path = folder};
  }
  if (!ImagesIn(folder).empty()) {
    return {.form = InputsForm::kImages, .path = folder};
  }
  throw Error(ErrorKind::kIo,
              fmt::format("'{}' holds neither test_data_set_N folders nor input_0.pb nor PNG or "
                          "JPEG images: expected one of them (.npy files are given as "
                          "'<input>:<file>;...')",
                          folder.string()));
}

// The input that "name:path" begins with; the longest, since names may contain colons.
std::optional<std::size_t> NamedInput(std::span<const std::string> names, std::string_view item) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const bool matches =
        item.size() > name.size() && item.starts_with(name) && item[name.size()] == ':';
    if (matches && (!best || name.size() > names[*best].size())) {
      best = i;
    }
  }
  return best;
}

InputPaths ByName(std::span<const std::string> names, const std::string& argument) {
  InputPaths found;
  found.by_input.resize(names.size());
  for (const std::string_view part : Split(argument, ';')) {
    const std::string_view item = Trim(part);
    const auto input = NamedInput(names, item);
    if (!input) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("'{}': expected <input>:<file>, the inputs of the network are {}",
                              item, QuotedNames(names)));
    }
    fs::path& path = found.by_input[*input];
    if (!path.empty()) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("input '{}' is given twice: leave one of the files out", names[*input]));
    }
    path = Trim(item.substr(names[*input].size() + 1));
    if (path.empty()) {
      throw Error(ErrorKind::kUsage, fmt::format("'{}': expected a file behind the colon", item));
    }
  }
  return found;
}

}  // namespace

std::string QuotedNames(std::span<const std::string> names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) {
    quoted.push_back("'" + name + "'");
  }
  return Join(quoted, ", ");
}

FileKind KindOf(const fs::path& path) {
  const std::string ending = path.extension().string();
  if (ending == ".bin" || ending == ".raw") {
    return FileKind::kRaw;
  }
  if (ending == ".npz") {
    return FileKind::kArchive;
  }
  return ImagesIn(path).empty() ? FileKind::kTensor : FileKind::kImages;
}

InputPaths FindInputs(std::span<const std::string> names, const std::string& argument) {
  std::error_code error;  // a list of many files is no path
  if (fs::is_directory(argument, error)) {
    return InFolder(argument);
  }
  if (Exists(argument)) {
    const FileKind kind = KindOf(argument);
    return {.form = kind == FileKind::kArchive  ? InputsForm::kArchive
                    : kind == FileKind::kImages ? InputsForm::kImages
                                                : InputsForm::kFile,
            .path = argument};
  }
  if (argument.find(':') == std::string::npos) {
    throw Error(
        ErrorKind::kIo,
        fmt::format("'{}' does not exist: expected a folder, a .npy, .npz, .pb, .bin, .png or .jpg "
                    "file, or '<input>:<file>;...' with {}",
                    argument, QuotedNames(names)));
  }
  return ByName(names, argument);
}

}  // namespace halftone
