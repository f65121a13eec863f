#include "src/target/ops_info_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/hash.h"
#include "src/base/text.h"
#include "src/target/impl_mode_ini.h"
#include "src/target/ops_info.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "aic-";
constexpr std::string_view kMiddle = "-ops-info";
constexpr std::string_view kEnding = ".json";
constexpr std::size_t kDigestDigits = 12;
constexpr std::string_view kImplModeFolder = "impl_mode";
constexpr std::uintmax_t kMostBytes = 64U << 20U;  // the largest known library has 6 MB

// "ascend310p" of "aic-ascend310p-ops-info-Conv2D.json"; empty for other names.
std::string FamilyIn(std::string_view name) {
  const std::size_t middle = name.find(kMiddle);
  const bool fits = name.starts_with(kPrefix) && name.ends_with(kEnding) &&
                    middle != std::string_view::npos && middle > kPrefix.size();
  return fits ? std::string(name.substr(kPrefix.size(), middle - kPrefix.size())) : std::string();
}

bool IsOfOneType(std::string_view name) {
  return name.find(kMiddle) + kMiddle.size() + kEnding.size() != name.size();
}

bool IsOfVendor(const fs::path& relative) {
  return std::any_of(relative.begin(), relative.end(),
                     [](const fs::path& part) { return part == "vendors" || part == "custom"; });
}

// Kind and family of a file by its name; kind AI Core without a family: no known name.
OpsInfoFile Classify(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == "aicpu_kernel.json") {
    return {path, OpsInfoKind::kAiCpu, {}};
  }
  if (name == "tf_kernel.json") {
    return {path, OpsInfoKind::kTfKernel, {}};
  }
  if (path.parent_path().filename() == kImplModeFolder && !ImplModeFileName(name).empty()) {
    return {path, OpsInfoKind::kModeTable, {}};
  }
  return {path, OpsInfoKind::kAiCore, FamilyIn(name)};
}

// Folders of an installation with tens of thousands of compiled kernels and their sources.
bool HoldsKernels(const fs::path& folder) {
  const fs::path name = folder.filename();
  return folder.parent_path().filename() == "tbe" && (name == "kernel" || name == "impl");
}

std::vector<fs::path> FilesBelow(const fs::path& folder) {
  std::vector<fs::path> paths;
  try {
    fs::recursive_directory_iterator entry(folder);
    for (const fs::recursive_directory_iterator end; entry != end; ++entry) {
      if (entry->is_regular_file()) {
        paths.push_back(entry->path());
      } else if (HoldsKernels(entry->path())) {
        entry.disable_recursion_pending();
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("E10001: --ops_info={}: expected a folder that can be read to its leaves: {}",
                    folder.string(), error.code().message()));
  }
  return paths;
}

std::string ReadLibrary(const fs::path& path) {
  std::error_code code;
  const auto size = fs::file_size(path, code);
  if (!code && size > kMostBytes) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected at most {}, found {}", path.string(),
                                               FormatBytes(static_cast<double>(kMostBytes)),
                                               FormatBytes(static_cast<double>(size))));
  }
  return ReadFile(path);
}

// A library as it grows over its files.
template <typename Library>
struct Merged {
  Library types;
  std::size_t files = 0;

  void Add(Library more) {
    ++files;
    for (auto& [type, op] : more) {
      types.insert_or_assign(type, std::move(op));
    }
  }

  void ReplaceIfAny(Library& library, std::string_view name, std::vector<std::string>& notes) {
    if (files == 0) {
      notes.push_back(fmt::format("{} library: the built-in one, --ops_info brings none", name));
      return;
    }
    notes.push_back(fmt::format("{} library: {} types of {} file{}", name, types.size(), files,
                                files == 1 ? "" : "s"));
    library = std::move(types);
  }
};

// The ini files of folders impl_mode as they are read; later ones replace types of earlier ones.
struct MergedModes {
  ImplModeFiles files;
  OfferedModes offered;
  std::size_t count = 0;

  void Add(std::string_view name, OfferedModes&& types) {
    ++count;
    for (auto& [type, modes] : types) {
      if (name == kAllImplModes) {
        offered.insert_or_assign(type, std::move(modes));
      } else {
        files[std::string(name)].insert_or_assign(type, modes.front());
      }
    }
  }

  void Note(std::vector<std::string>& notes) const {
    if (count > 0) {
      notes.push_back(fmt::format("implementation modes: of {} of impl_mode{}",
                                  Counted(static_cast<std::int64_t>(count), "file"),
                                  offered.empty() ? "; what operators offer is the built-in list, "
                                                    "without all_ops_impl_mode.ini"
                                                  : ", all_ops_impl_mode.ini says what operators "
                                                    "offer"));
    }
  }
};

// Types that no installation has because passes make them (src/passes/fuse/fuse_attention.h,
// fuse_rope.h), and types of the chains that they stand for.
struct FusedType {
  std::string_view type;
  std::string_view parts[2];
};

constexpr FusedType kFusedTypes[] = {
    {"Attention", {"BatchMatMulV2", "SoftmaxV2"}},
    {"RotaryEmbedding", {"Mul", "Add"}},
};

// A library that has the parts can run the whole: the built-in row stays.
void KeepFusedTypes(const AiCoreLibrary& built_in, AiCoreLibrary& library) {
  for (const FusedType& fused : kFusedTypes) {
    const auto row = built_in.find(fused.type);
    if (row != built_in.end() &&
        std::all_of(std::begin(fused.parts), std::end(fused.parts),
                    [&](std::string_view part) { return library.contains(part); })) {
      library.insert(*row);  // a row of the library's own wins
    }
  }
}

}  // namespace

std::vector<OpsInfoFile> FindOpsInfoFiles(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --ops_info={}: no such file or folder", path.string()));
  }
  if (!fs::is_directory(status)) {
    OpsInfoFile file = Classify(path);
    file.kind = file.kind == OpsInfoKind::kModeTable ? OpsInfoKind::kAiCore : file.kind;
    return {std::move(file)};
  }

  struct Ordered {
    bool vendor;
    bool of_one_type;
    std::string relative;
    OpsInfoFile file;
  };

  std::vector<Ordered> found;
  for (const fs::path& below : FilesBelow(path)) {
    OpsInfoFile file = Classify(below);
    if (file.kind != OpsInfoKind::kAiCore || !file.family.empty()) {
      const fs::path relative = below.lexically_relative(path);
      const bool of_one_type =
          file.kind == OpsInfoKind::kAiCore && IsOfOneType(below.filename().string());
      found.push_back({IsOfVendor(relative), of_one_type, relative.string(), std::move(file)});
    }
  }
  if (found.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("E10001: --ops_info={}: expected aic-<soc>-ops-info.json, "
                            "aicpu_kernel.json or tf_kernel.json below this folder, found none",
                            path.string()));
  }
  std::sort(found.begin(), found.end(), [](const Ordered& a, const Ordered& b) {
    if (a.vendor != b.vendor) {
      return b.vendor;
    }
    if (a.vendor && a.relative != b.relative) {
      return b.relative < a.relative;
    }
    return std::tie(a.of_one_type, a.relative) < std::tie(b.of_one_type, b.relative);
  });
  std::vector<OpsInfoFile> files;
  files.reserve(found.size());
  for (Ordered& ordered : found) {
    files.push_back(std::move(ordered.file));
  }
  return files;
}

std::vector<std::string> FamiliesOf(const std::vector<OpsInfoFile>& files) {
  std::vector<std::string> families;
  for (const OpsInfoFile& file : files) {
    if (!file.family.empty() &&
        std::find(families.begin(), families.end(), file.family) == families.end()) {
      families.push_back(file.family);
    }
  }
  return families;
}

TargetSpec WithOpsInfo(TargetSpec target, const TargetFile& family,
                       const std::vector<OpsInfoFile>& files) {
  Merged<AiCoreLibrary> ai_core;
  Merged<AiCpuLibrary> ai_cpu;
  Merged<AiCpuLibrary> tf_kernel;
  MergedModes impl_modes;
  Hasher digest;
  for (const OpsInfoFile& file : files) {
    if (!file.family.empty() && file.family != target.family) {
      continue;
    }
    const std::string text = ReadLibrary(file.path);
    digest.Add(file.path.filename().string()).Add(text);  // in the order in which they count
    const std::string where = file.path.string();
    if (file.kind == OpsInfoKind::kAiCore) {
      ai_core.Add(ParseOpsInfo(text, where, family));
    } else if (file.kind == OpsInfoKind::kModeTable) {
      impl_modes.Add(ImplModeFileName(file.path.filename().string()),
                     ParseImplModeIni(text, where, target.notes));
    } else if (file.kind == OpsInfoKind::kAiCpu) {
      ai_cpu.Add(ParseAiCpuKernels(text, where, "AICPUKernel"));
    } else {
      tf_kernel.Add(ParseAiCpuKernels(text, where, "TFKernel"));
    }
  }
  const AiCoreLibrary built_in = target.ai_core;
  ai_core.ReplaceIfAny(target.ai_core, "AI Core", target.notes);
  KeepFusedTypes(built_in, target.ai_core);
  ai_cpu.ReplaceIfAny(target.ai_cpu, "AI CPU", target.notes);
  if (tf_kernel.files > 0) {
    tf_kernel.ReplaceIfAny(target.tf_kernel, "TensorFlow kernel", target.notes);
  }
  impl_modes.Note(target.notes);
  if (!impl_modes.offered.empty()) {
    OfferOnly(impl_modes.offered, target.ai_core);
  }
  target.impl_mode_files = std::move(impl_modes.files);
  target.library += fmt::format("{}library {}", target.library.empty() ? "" : ", ",
                                digest.Finish().ToHex().substr(0, kDigestDigits));
  return target;
}

}  // namespace halftone
