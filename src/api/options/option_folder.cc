#include "src/api/options/option_folder.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <system_error>

#include "src/amct/point_files.h"
#include "src/api/load/plan_sources.h"
#include "src/api/point_models.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/remove_below.h"
#include "src/base/shell_words.h"
#include "src/qaic/point_files.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Whether an earlier set lies in the folder. Names of files alone do not show it: they may be
// somebody else's.
bool HoldsSet(const fs::path& folder) {
  std::error_code error;
  return std::ranges::any_of(std::array{kPointFile, kArgumentsFile}, [&](std::string_view name) {
    return fs::symlink_status(folder / name, error).type() == fs::file_type::regular;
  });
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
  for (fs::path above = copy.parent_path(); !above.empty(); above = above.parent_path()) {
    RemoveOneBelow(folder, folder / above);
  }
}

// But for the option files that are to be there, and `models`.
void RemoveOthers(const fs::path& folder, const OptionFiles& kept,
                  const std::set<std::string>& models) {
  if (!HoldsSet(folder)) {
    return;
  }
  for (const std::string& name : EarlierNames(folder)) {
    if (!kept.files.contains(name) && !models.contains(name)) {
      RemoveOneBelow(folder, folder / name);
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
  RemoveOneBelow(folder, folder / kPointFile);
  RemoveOneBelow(folder, folder / kArgumentsFile);
  RemoveOneBelow(folder / "..", folder);  // not when it holds anything else
}

}  // namespace halftone
