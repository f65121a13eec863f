// point.json: record of the network and plan of an option folder; readers check that it still means
// the same.
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
// Version of StructureOf() and PrecisionPlan::Digest(). Raised when either changes its meaning, to
// tell an older folder from one that was tampered with.
inline constexpr int kPointDigestVersion = 2;

// Kernels that operator tuning chose for the steps of the plan, and the machine where it did.
struct PointKernels {
  std::string cpu;  // as Workload::cpu (knowledge_base/store.h)
  std::string isa;
  Hash128 table;  // of the kernels of the operators below
  int threads = 0;
  std::map<std::string, std::string, std::less<>> chosen;  // by operator signature

  friend bool operator==(const PointKernels&, const PointKernels&) = default;
};

struct PointRecord {
  int digest_version = kPointDigestVersion;
  std::string tool_version;
  std::string model_name;
  Hash128 model_hash;  // Model::hash: also the weights
  Hash128 structure;   // StructureOf()
  std::string input_shapes;
  std::string target;
  std::string isa;      // of the kernels that the host is derived from; empty: unknown, or another
                        // target
  Hash128 plan_digest;  // PrecisionPlan::Digest()
  std::set<std::string> files;  // that were written beside it, relative
  // Reason why a model file is missing, in one sentence, by file name (src/api/point_models.h).
  std::map<std::string, std::string> not_exported = {};
  // A front.json of this point only, with the folder "."; empty: not measured.
  std::string measured;
  std::optional<PointKernels> kernels = {};  // empty: the static order
};

// Hash of the parts that configuration files and plans name: operators with their names, types and
// shapes in order; not weights.
Hash128 StructureOf(const Graph& graph);

PointRecord RecordOf(const Model& model, std::string_view target, const Hash128& plan_digest);

std::string FormatPointRecord(const PointRecord& record);

// The inverse; `where` is the file's name. Error kUsage as ReadPointRecord().
PointRecord ParsePointRecord(std::string_view text, std::string_view where);

// point.json of the folder; empty: there is none. Errors kIo, kUsage: not such a file, or of a
// newer version.
std::optional<PointRecord> ReadPointRecord(const std::filesystem::path& folder);

}  // namespace halftone
