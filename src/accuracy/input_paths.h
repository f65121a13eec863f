// Paths that an --inputs argument names, by input of the network. No other code parses the
// argument, neither before a network is read nor after.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace halftone {

enum class InputsForm : std::uint8_t {
  kSets,     // a folder with folders test_data_set_N
  kSet,      // a folder with files input_0.pb, ...
  kImages,   // a folder of images, or one image
  kArchive,  // a .npz file, with an array for each input
  kFile,     // another file, of the only input
  kByName,   // "name:path;name2:path2": a file of any kind or a folder of images for each input
};

struct InputPaths {
  InputsForm form = InputsForm::kByName;
  std::filesystem::path path;  // the argument; kByName: empty
  // kByName: path of each input, in the order of the names; empty: the argument leaves it out.
  std::vector<std::filesystem::path> by_input;
};

// `names`: of the inputs, in the order of the network. Reads no file. Error kIo: no such path; a
// folder of none of the forms, or of two; kUsage: an unknown name, one given twice, a colon without
// a path.
InputPaths FindInputs(std::span<const std::string> names, const std::string& argument);

// Kind of a file by the ending of its name.
enum class FileKind : std::uint8_t {
  kTensor,   // .npy, .pb: has a header
  kRaw,      // .bin, .raw: elements alone
  kArchive,  // .npz
  kImages,   // .png, .jpg, .jpeg, or a folder that holds some
};

FileKind KindOf(const std::filesystem::path& path);

// "'a', 'b'"
std::string QuotedNames(std::span<const std::string> names);

}  // namespace halftone
