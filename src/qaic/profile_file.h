// Profiles of -dump-profile and -load-profile, matched with the tensors of a network.
//
// A profile that halftone makes has hash 0, because only the vendor's compiler can compute its
// hash. Further keys record its origin: the network, the node precision file, and the tensor of
// each record. The vendor's compiler does not know these keys.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/hash.h"
#include "src/ir/graph.h"
#include "src/qaic/profile_run.h"
#include "src/quantization/files/glow_profile.h"
#include "src/quantization/files/node_precision.h"
#include "src/quantization/glow_scheme.h"

namespace halftone {

// Range and histogram by value.
using ValueProfiles = std::map<ValueId, GlowHistogram>;

// The profiles with float32 ranges and counts, as a file has them.
ValueProfiles ProfilesOf(const ProfiledTensors& tensors);

// Network and node precisions for which a profile is made.
struct ProfileOrigin {
  Hash128 model;           // Model::hash: covers weights, shapes and batch
  Hash128 node_precision;  // FingerprintOf() the lists of -node-precision-info
};

// Hash of the lists of a node precision file. Zero if they have no names, or if there is no file.
Hash128 FingerprintOf(const NodePrecisionLists& lists);

// A profile with a record for each tensor in `values`: the inputs of the network, then for each
// node its constants and its results. `version` names halftone and its version.
GlowProfile MakeProfile(const Graph& graph, const ValueProfiles& values,
                        const ProfileOrigin& origin, std::string_view version);

struct LoadedProfile {
  ValueProfiles values;
  // The tensors of `values` in the order of the file, and the index of the record of each.
  std::vector<ValueId> order;
  std::vector<std::size_t> record_of;
  bool is_own = false;                // halftone made it
  std::vector<std::string> warnings;  // full sentences
};

// Finds the tensor that each record means. `where` begins messages: "-load-profile=p.yaml".
//
// Error kUsage:
// - halftone made the profile of another network or with another node precision file;
// - halftone made the profile, and the network lacks the tensor of a record;
// - no record of a vendor's profile means a tensor of the network.
//
// Warnings:
// - the profile does not record its node precision file;
// - some records of a vendor's profile mean no tensor, or may mean several.
LoadedProfile MatchProfile(const Graph& graph, const GlowProfile& profile,
                           const ProfileOrigin& origin, std::string_view where);

// A profile file and its match with a network.
struct DumpedProfile {
  std::string where;  // "-load-profile=p.yaml"
  GlowProfile profile;
  LoadedProfile loaded;
};

// Errors as ParseGlowProfile() and MatchProfile(); kIo if the file cannot be read. `option` names
// the file in messages: "-load-profile".
DumpedProfile ReadProfile(const Graph& graph, const ProfileOrigin& origin,
                          const std::filesystem::path& path, std::string_view option);

// Reads a profile of the vendor's compiler. Errors as ReadProfile(); kUsage if halftone made the
// profile, because the compiler does not accept its hash.
DumpedProfile ReadVendorProfile(const Graph& graph, const std::filesystem::path& path,
                                std::string_view option);

struct FilledProfile {
  GlowProfile profile;
  std::vector<std::string> warnings;  // full sentences: tensors without a record
};

// The profile with the ranges and histograms of `values` in the records that mean them. All else
// stays, such as the hash, the order, other records and keys unknown to Glow, so that the vendor's
// compiler accepts it.
FilledProfile Fill(const Graph& graph, const DumpedProfile& dumped, const ValueProfiles& values);

}  // namespace halftone
