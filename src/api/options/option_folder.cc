#include "src/api/options/option_folder.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <system_error>

#include "src/amct/point_files.h"
#include "src/api/load/plan_sources.h"
#include "src/api/point_models.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/qaic/point_files.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

void RemoveRegularFile(const fs::path& file) {
  std::error_code error;
  if (fs::symlink_status(file, error).type() == fs::file_type::regular) {
    fs::remove(file, error);
  }
}

// Copies of an operator library, which point.json lists: other files there are somebody else's.
bool IsCopy(const fs::path& name) {
  return name.is_relative() && name.begin() != name.end() && *name.begin() == kOpsInfoFolder &&
         std::find(name.begin(), name.end(), "..") == name.end();
}

// Names that an earlier set may have in the folder.
std::set<std::string> EarlierNames(const fs::path& folder) {
  std::set<std::string> names;
  for (const std::string_view name : {kTargetFile, kAtcScript, kCompileScript, kNodePrecisionFile,
                                      kQaicProfileFile, kCompressionFile, kAmctFile}) {
    names.emplace(name);
  }
  for (const std::string_view name : OptionFileNames()) {
    names.emplace(name);
  }
  names.merge(PointModelNames());
  try {
    if (const auto record = ReadPointRecord(folder)) {
      std::copy_if(record->files.begin(), record->files.end(), std::inserter(names, names.end()),
                   [](const std::string& name) { return IsCopy(name); });
    }
  } catch (const Error&) {
    // Not a point.json of ours: nothing is known to be a copy.
  }
  return names;
}

// The folders above a copy that it leaves empty.
void RemoveEmptyFolders(const fs::path& folder, const fs::path& copy) {
  std::error_code error;
  for (fs::path above = copy.parent_path(); !above.empty() && !error; above = above.parent_path()) {
    if (fs::symlink_status(folder / above, error).type() != fs::file_type::directory) {
      return;
    }
    fs::remove(folder / above, error);  // not when it holds anything
  }
}

// But for the option files that are to be there, and `models`.
void RemoveOthers(const fs::path& folder, const OptionFiles& kept,
                  const std::set<std::string>& models) {
  for (const std::string& name : EarlierNames(folder)) {
    if (!kept.files.contains(name) && !models.contains(name)) {
      RemoveRegularFile(folder / name);
      RemoveEmptyFolders(folder, name);
    }
  }
}

}  // namespace

void WriteOptionFolder(const fs::path& folder, const OptionFiles& files, PointRecord record) {
  CreateFolder(folder);
  RemoveOthers(folder, files, record.files);
  std::string arguments;
  for (const std::string& argument : files.arguments) {
    arguments += ShellArgument(argument) + "\n";
  }
  for (const auto& [name, content] : files.files) {
    WriteFileAtomically(folder / name, content);
    record.files.insert(name);
  }
  WriteFileAtomically(folder / kPointFile, FormatPointRecord(record));
  WriteFileAtomically(folder / kArgumentsFile, arguments);
}

void RemoveOptionFolder(const fs::path& folder) {
  RemoveOthers(folder, {}, {});
  RemoveRegularFile(folder / kPointFile);
  RemoveRegularFile(folder / kArgumentsFile);
  std::error_code error;
  fs::remove(folder, error);  // not when it holds anything else
}

}  // namespace halftone
