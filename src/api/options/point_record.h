// Record of the network and the plan of an option folder, stored as point.json. A reader of the
// folder checks that its options still give this plan on this network.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "src/api/halftone.h"
#include "src/base/hash.h"

namespace halftone {

inline constexpr std::string_view kPointFile = "point.json";
inline constexpr int kPointSchemaVersion = 1;
// Version of StructureOf() and PrecisionPlan::Digest(), raised when either changes its meaning. It
// distinguishes a folder of an older version from a folder whose files were changed.
inline constexpr int kPointDigestVersion = 2;

// Kernels that operator tuning chose for the steps of the plan, and the machine on which it ran.
struct PointKernels {
  std::string cpu;  // as Workload::cpu (knowledge_base/store.h)
  std::string isa;
  Hash128 table;  // KernelVersion::kernel_table_hash of the operators in `chosen`
  int threads = 0;
  std::map<std::string, std::string, std::less<>> chosen;  // kernel by operator signature

  friend bool operator==(const PointKernels&, const PointKernels&) = default;
};

struct PointRecord {
  int digest_version = kPointDigestVersion;
  std::string tool_version;
  std::string model_name;
  Hash128 model_hash;  // Model::hash, which covers the weights
  Hash128 structure;   // StructureOf()
  std::string input_shapes;
  std::string target;
  std::string isa;      // instruction sets of the host's kernels; empty: unknown, or another target
  Hash128 plan_digest;  // PrecisionPlan::Digest()
  std::set<std::string> files;  // relative paths of the other files of the point in the folder
  // Sentence why a model file is missing, by file name (WrittenModels::missing).
  std::map<std::string, std::string> not_exported = {};
  // JSON text as front.json, with this point alone and "." as its folder; empty: not measured.
  std::string measured;
  std::optional<PointKernels> kernels = {};  // empty: the kernels of the static order
};

// Hash of the structure that configuration files and plans refer to: inputs, outputs, and operators
// in order, with their names, types and shapes. Weights are not part of it.
Hash128 StructureOf(const Graph& graph);

PointRecord RecordOf(const Model& model, std::string_view target, const Hash128& plan_digest);

std::string FormatPointRecord(const PointRecord& record);

// Inverse of FormatPointRecord(). `where`: name of the file. Error kUsage as ReadPointRecord().
PointRecord ParsePointRecord(std::string_view text, std::string_view where);

// Reads point.json of the folder; empty: there is none. Errors: kIo; kUsage for another content or
// another schema version.
std::optional<PointRecord> ReadPointRecord(const std::filesystem::path& folder);

}  // namespace halftone
