#include "src/api/option_folder.h"

#include <system_error>

#include "src/base/file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

void RemoveRegularFile(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::regular) {
    fs::remove(file, error);
  }
}

void RemoveOthers(const fs::path& folder, const OptionFiles& kept) {
  for (const std::string_view name : OptionFileNames()) {
    if (!kept.files.contains(std::string(name))) {
      RemoveRegularFile(folder / name);
    }
  }
}

}  // namespace

void WriteOptionFolder(const fs::path& folder, const OptionFiles& files,
                       std::string_view arguments) {
  CreateFolder(folder);
  RemoveOthers(folder, files);
  for (const auto& [name, content] : files.files) {
    WriteFileAtomically(folder / name, content);
  }
  WriteFileAtomically(folder / kArgumentsFile, arguments);
}

OptionFiles WriteOptionFolder(const fs::path& folder, const PrecisionOptions& options,
                              const std::string& fusion_switches) {
  OptionFiles files = WriteOptionFiles(options, fusion_switches);
  std::string arguments;
  for (const std::string& argument : files.arguments) {
    arguments += argument + "\n";
  }
  WriteOptionFolder(folder, files, arguments);
  return files;
}

void RemoveOptionFolder(const fs::path& folder) {
  RemoveOthers(folder, {});
  RemoveRegularFile(folder / kArgumentsFile);
  std::error_code error;
  fs::remove(folder, error);  // not when it holds anything else
}

}  // namespace halftone
