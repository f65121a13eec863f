// Profiles of -dump-profile and -load-profile, for one network.
//
// A profile of ours has hash 0, as only the vendor's compiler can make its own, and keys that tell
// what it was made of: the network, the node precision file, and the value of each record. The
// vendor's compiler does not know them.
#pragma once

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

// In float32, as a profile has them.
ValueProfiles ProfilesOf(const ProfiledTensors& tensors);

// What a profile was made of.
struct ProfileOrigin {
  Hash128 model;           // Model::hash: weights, shapes, batch
  Hash128 node_precision;  // of the lists of -node-precision-info; zero: no file
};

// Of the lists of a node precision file; zero for lists without names, which mean the same as none.
Hash128 FingerprintOf(const NodePrecisionLists& lists);

// A profile with a record for each value, inputs first, then constants and results in the order of
// the nodes.
GlowProfile MakeProfile(const Graph& graph, const ValueProfiles& values,
                        const ProfileOrigin& origin, std::string_view version);

struct LoadedProfile {
  ValueProfiles values;
  std::vector<std::size_t> record_of;  // parallel to `order`: the record of a value
  std::vector<ValueId> order;
  std::vector<std::string> warnings;  // full sentences
};

// The records of a profile by value. Errors kUsage: a profile of ours that was made of another
// network or with another node precision file; records of ours for values that the network does not
// have; no record that means a value. Warnings: a profile that does not say its node precision,
// records that mean no value or one of several.
LoadedProfile MatchProfile(const Graph& graph, const GlowProfile& profile,
                           const ProfileOrigin& origin, std::string_view where);

}  // namespace halftone
