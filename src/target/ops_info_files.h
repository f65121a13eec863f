// Op library files that --ops_info names: one file, or all below a folder.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/target/target_file.h"

namespace halftone {

enum class OpsInfoKind : std::uint8_t { kAiCore, kAiCpu, kTfKernel, kModeTable };

struct OpsInfoFile {
  std::filesystem::path path;
  OpsInfoKind kind = OpsInfoKind::kAiCore;
  std::string family;  // for AI Core files: "ascend310p"; empty where the name does not give it
};

// Files in the order in which they are read; later ones replace the types of earlier ones: main
// files, files of one type, then those of vendors (a folder "vendors" or "custom" in the path below
// `path`), the alphabetically first vendor last. Files of other names below a folder are skipped; a
// file given by itself is an AI Core library, whatever its name. Error kUsage: nothing there.
std::vector<OpsInfoFile> FindOpsInfoFiles(const std::filesystem::path& path);

// The families that the files name, each once.
std::vector<std::string> FamiliesOf(const std::vector<OpsInfoFile>& files);

// `target` with the op libraries of its family from `files` in place of its own. Libraries that the
// files do not bring (no aicpu_kernel.json, say) stay; the notes say so. Ini files of a folder
// impl_mode give its implementation modes (src/target/impl_mode_ini.h). Attention and
// RotaryEmbedding stay where the library has the types of the patterns that passes fuse to them.
// TargetSpec::library is the digest of names and contents of the files that are read.
// Error kUsage naming file, type and key.
TargetSpec WithOpsInfo(TargetSpec target, const TargetFile& family,
                       const std::vector<OpsInfoFile>& files);

}  // namespace halftone
