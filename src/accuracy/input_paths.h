// Parser of the argument of --inputs. It serves the search for extents before a network is read,
// and the loading of samples afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace halftone {

enum class InputsForm : std::uint8_t {
  kSets,     // a folder with folders test_data_set_N
  kSet,      // a folder with files input_0.pb, input_1.pb, ...
  kImages,   // a folder of images, or one image
  kArchive,  // a .npz file with an array for each input
  kFile,     // a file of another kind, for the only input
  kByName,   // "name:path;name2:path2", where a path is a file or a folder of images
};

struct InputPaths {
  InputsForm form = InputsForm::kByName;
  std::filesystem::path path;  // the argument; empty for kByName
  // Path for each input, in the order of the inputs; empty: the argument does not name this input.
  // The vector has elements for kByName only.
  std::vector<std::filesystem::path> by_input;
};

// Parses the argument. `names` are the inputs of the network, in its order. Lists folders but opens
// no file. Error kIo: the path does not exist, or is a folder of none of the forms or of two. Error
// kUsage: an unknown name, a name given twice, a colon without a path.
InputPaths FindInputs(std::span<const std::string> names, const std::string& argument);

// Kind of a file.
enum class FileKind : std::uint8_t {
  kTensor,   // .npy, .pb, which have a header; also every other ending
  kRaw,      // .bin, .raw: elements without a header
  kArchive,  // .npz
  kImages,   // an existing file .png, .jpg or .jpeg, or a folder with such files
};

// The kind, by the ending of the name.
FileKind KindOf(const std::filesystem::path& path);

// The names in quotes: "'a', 'b'".
std::string QuotedNames(std::span<const std::string> names);

}  // namespace halftone
