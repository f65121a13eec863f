// Profiles of -dump-profile and -load-profile, for one network.
//
// A profile of ours has hash 0, as only the vendor's compiler can make its own, and keys that
// record its origin: the network, the node precision file, and the value of each record. The
// vendor's compiler does not know these keys.
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

// The profiles in float32, as a file has them.
ValueProfiles ProfilesOf(const ProfiledTensors& tensors);

// Origin of a profile.
struct ProfileOrigin {
  Hash128 model;           // Model::hash: weights, shapes, batch
  Hash128 node_precision;  // of the lists of -node-precision-info; zero: no file
};

// Fingerprint of the lists of a node precision file; zero for lists without names, which mean the
// same as no file.
Hash128 FingerprintOf(const NodePrecisionLists& lists);

// A profile with a record for each value, inputs first, then constants and results in the order of
// the nodes.
GlowProfile MakeProfile(const Graph& graph, const ValueProfiles& values,
                        const ProfileOrigin& origin, std::string_view version);

struct LoadedProfile {
  ValueProfiles values;
  std::vector<ValueId> order;          // of the records that mean one value
  std::vector<std::size_t> record_of;  // parallel: their records
  bool is_own = false;                 // halftone made it
  std::vector<std::string> warnings;   // full sentences
};

// The records of a profile by value. Errors kUsage: a profile of ours that was made of another
// network or with another node precision file; records of ours for values that the network does not
// have; no record that means a value. Warnings: a profile that does not say its node precision,
// records that mean no value or one of several. `where` begins messages: "-load-profile=p.yaml".
LoadedProfile MatchProfile(const Graph& graph, const GlowProfile& profile,
                           const ProfileOrigin& origin, std::string_view where);

// A profile file of a network.
struct DumpedProfile {
  std::string where;  // "-load-profile=p.yaml"
  GlowProfile profile;
  LoadedProfile loaded;
};

// Errors as ParseGlowProfile() and MatchProfile(), kIo. `option` names it in messages:
// "-load-profile".
DumpedProfile ReadProfile(const Graph& graph, const ProfileOrigin& origin,
                          const std::filesystem::path& path, std::string_view option);

// Reads a profile of the vendor's compiler. Errors as ReadProfile(); kUsage: a profile of ours,
// whose hash no compiler takes.
DumpedProfile ReadVendorProfile(const Graph& graph, const std::filesystem::path& path,
                                std::string_view option);

struct FilledProfile {
  GlowProfile profile;
  std::vector<std::string> warnings;  // full sentences: tensors without a record
};

// The profile with the ranges and histograms of `values` in the records that mean them; hash,
// order, other records and keys that Glow does not have stay, so that the vendor's compiler takes
// it.
FilledProfile Fill(const Graph& graph, const DumpedProfile& dumped, const ValueProfiles& values);

}  // namespace halftone
