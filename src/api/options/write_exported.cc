// Exported files on the disk.
#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "src/api/export_plan.h"
#include "src/base/error.h"
#include "src/base/output_file.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// Leaves WriteExported().
struct Stopped {};

// In the order in which they take their places: readers of the model find what it names.
class OpenFiles {
 public:
  explicit OpenFiles(const std::function<bool()>& stop_requested) : stop_(stop_requested) {}

  OutputFile& Open(const fs::path& path) {
    files_.push_back(std::make_unique<OutputFile>(path));
    names_.push_back(path.filename().string());
    return *files_.back();
  }

  void WriteBeside(const ExportedFile& beside, const fs::path& folder) {
    OutputFile& output = Open(folder / beside.name);
    if (beside.write) {
      beside.write([&](std::string_view bytes) { Write(output, bytes); });
    } else {
      Write(output, beside.bytes);
    }
  }

  void Write(OutputFile& file, std::string_view bytes) const {
    constexpr std::size_t kMostAtOnce = 16 << 20;
    do {
      if (stop_ && stop_()) {
        throw Stopped();
      }
      file.Write(bytes.substr(0, kMostAtOnce));
      bytes.remove_prefix(std::min(bytes.size(), kMostAtOnce));
    } while (!bytes.empty());
  }

  std::vector<std::string> Finish() {
    for (const auto& file : files_) {
      file->Finish();
    }
    return std::move(names_);
  }

 private:
  const std::function<bool()>& stop_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<std::string> names_;
};

void CheckHasFolder(const fs::path& file, const ExportedPlan& exported) {
  std::error_code error;
  const fs::file_type type = fs::status(file, error).type();
  if (!exported.beside.empty() && type != fs::file_type::regular &&
      type != fs::file_type::not_found) {
    throw Error(ErrorKind::kUsage,
                fmt::format("'{}' is not a regular file, and '{}' has to lie beside what is "
                            "written; name a file in a folder",
                            file.string(), exported.beside.front().name));
  }
}

}  // namespace

std::vector<std::string> WriteExported(const ExportedPlan& exported, std::string_view text,
                                       const fs::path& file,
                                       const std::function<bool()>& stop_requested) {
  CheckHasFolder(file, exported);
  OpenFiles files(stop_requested);
  try {
    for (const ExportedFile& beside : exported.beside) {
      files.WriteBeside(beside, file.parent_path());
    }
    files.Write(files.Open(file), exported.bytes);
    files.Write(files.Open(file.string() + ".export.json"),
                ExportRecord(exported, text, file.filename().string()));
  } catch (const Stopped&) {
    return {};
  }
  return files.Finish();
}

}  // namespace halftone
