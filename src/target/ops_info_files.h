// Op library files that --ops_info names: a file, or all files below a folder.
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
  std::string family;  // of an AI Core file: "ascend310p"; empty: the name does not give it
};

// Returns the files in reading order; a later file replaces types of earlier ones. The order is:
// main files, files of one operator type, then files of vendors (with a folder "vendors" or
// "custom" in the path below `path`), the alphabetically first vendor last.
//
// Files with unknown names below a folder are skipped. A single file is an AI Core library, unless
// it is called aicpu_kernel.json or tf_kernel.json. Error kUsage: no such path, no known file below
// the folder, or a folder that cannot be read.
std::vector<OpsInfoFile> FindOpsInfoFiles(const std::filesystem::path& path);

// Returns the families in the names of the files, each once.
std::vector<std::string> FamiliesOf(const std::vector<OpsInfoFile>& files);

// Returns `target` with op libraries from `files`. Files of other families are not read. A library
// for which there is no file stays as it is; a note says so for AI Core and AI CPU. `family`:
// target file, as in ParseOpsInfo().
//
// Ini files of folders impl_mode replace TargetSpec::impl_mode_files; all_ops_impl_mode.ini
// restricts the modes that operators offer (src/target/impl_mode_ini.h). Attention and
// RotaryEmbedding keep their built-in rows if the new library has the operators that passes fuse
// into them.
//
// "library " and 12 hexadecimal digits are appended to TargetSpec::library: the digest of names and
// contents of the files that were read. Errors: kUsage, which names file, type and key; kIo.
TargetSpec WithOpsInfo(TargetSpec target, const TargetFile& family,
                       const std::vector<OpsInfoFile>& files);

}  // namespace halftone
