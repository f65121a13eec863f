// Rewrites of a Graph that keep what it computes and make it cheaper: the one table of them.
//
// Every pass keeps the names and types of graph inputs and outputs, and the names of the nodes it
// fuses: the origins of the fused node are those of the main operator followed by those of the
// nodes it absorbed. A pass run twice changes nothing the second time.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "src/base/enum_table.h"
#include "src/ir/graph.h"

namespace halftone {

// What a pass is in the words of --fusion_switch_file (src/passes/fusion_switches.h).
enum class FusionKind : std::uint8_t { kNone, kGraph, kBuffer };

inline constexpr EnumRow<FusionKind> kFusionKinds[] = {
    {FusionKind::kNone, "", "a clean-up, which cannot be switched off"},
    {FusionKind::kGraph, "GraphFusion", "several operators become another operator"},
    {FusionKind::kBuffer, "UBFusion", "operators run in one pass with those before them"},
};

struct Pass {
  std::string_view name;
  FusionKind fusion;
  std::string_view meaning;
  void (*run)(Graph&);
};

// In the order in which Optimize runs them.
std::span<const Pass> AllPasses();

using FusionNames = std::set<std::string, std::less<>>;

// Runs all passes but the fusions named in `off`. Errors: kUsage for a name that is no fusion,
// listing those there are; errors of a pass name the pass.
void Optimize(Graph& graph, const FusionNames& off);
void Optimize(Graph& graph);

}  // namespace halftone
