// Fusions of a device: nodes that its compiler joins, so that a value between them is not rounded.
//
// On a device every node rounds its results to the plan's formats and overflows by itself, except
// inside such a fusion. Fusions of the host's kernels (src/passes) say nothing of a device; a row
// here is data of the target, with its source.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct TargetFusion {
  std::string pass;  // of src/passes/passes.cc: what stays inside, by its FusionRule
  std::set<std::string, std::less<>> main;    // IR types of the main part
  std::set<std::string, std::less<>> others;  // of the parts that it takes along
  std::string source;                         // where the vendor documents it

  friend bool operator==(const TargetFusion&, const TargetFusion&) = default;
};

// Immutable; shared by all plans of a target. Null: the fusions of the host.
using SharedFusions = std::shared_ptr<const std::vector<TargetFusion>>;

// True if both are null, or both have the same rows.
bool SameFusions(const SharedFusions& a, const SharedFusions& b);

// "Conv2D Conv3D + BNInference; source": types of the main part, of the others, source. Error
// kUsage: another form, with what was expected.
TargetFusion ParseTargetFusion(std::string_view pass, std::string_view value);

}  // namespace halftone
