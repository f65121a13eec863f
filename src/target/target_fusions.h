// Fusions of a device: nodes that its compiler joins, so that values between them are not rounded.
//
// On a device, each node rounds its results to the formats of the plan, and may overflow, except
// inside such a fusion. Fusions of the host's kernels (src/passes) say nothing about a device, so a
// target file lists those of the device, each with its source.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

struct TargetFusion {
  // Name of a pass in src/passes/passes.cc. Its FusionRule says which values stay inside.
  std::string pass;
  std::set<std::string, std::less<>> main;    // IR types of the main part
  std::set<std::string, std::less<>> others;  // IR types of the parts that are joined to it
  std::string source;                         // where the vendor documents the fusion

  friend bool operator==(const TargetFusion&, const TargetFusion&) = default;
};

// Fusions of a target, which all its plans share. Null: the fusions of the host.
using SharedFusions = std::shared_ptr<const std::vector<TargetFusion>>;

// True if both are null, or both have the same rows.
bool SameFusions(const SharedFusions& a, const SharedFusions& b);

// Parses "Conv2D Conv3D + BNInference; source": IR types of the main part, IR types of the other
// parts, source. Error kUsage: another syntax.
TargetFusion ParseTargetFusion(std::string_view pass, std::string_view value);

}  // namespace halftone
