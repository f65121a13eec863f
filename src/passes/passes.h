// Table of passes. A pass rewrites a Graph so that it costs less and gives the same results.
//
// Every pass keeps the names and types of graph inputs and outputs. It keeps the names of the nodes
// that it fuses in Node::origins of the fused node: first those of the main operator, then those of
// the absorbed nodes. A pass that runs a second time changes nothing more.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "src/base/enum_table.h"
#include "src/ir/graph.h"
#include "src/passes/pattern/fusing.h"

namespace halftone {

// Kind of a pass in the words of --fusion_switch_file (src/passes/fusion_switches.h).
enum class FusionKind : std::uint8_t { kNone, kGraph, kBuffer };

inline constexpr EnumRow<FusionKind> kFusionKinds[] = {
    {FusionKind::kNone, "", "a clean-up, which cannot be switched off"},
    {FusionKind::kGraph, "GraphFusion", "several operators become another operator"},
    {FusionKind::kBuffer, "UBFusion", "operators run in one pass with those before them"},
};

// Stage at which a pass runs: on the network before its precision is resolved, or on a copy of it
// that is lowered for one plan.
enum class PassStage : std::uint8_t { kCanonical, kLowering };

inline constexpr EnumRow<PassStage> kPassStages[] = {
    {PassStage::kCanonical, "canonical", "before precision is resolved: the nodes of a plan"},
    {PassStage::kLowering, "lowering", "for one plan, where it allows it: the steps that run"},
};

struct Pass {
  std::string_view name;
  FusionKind fusion;
  std::string_view meaning;
  PassStage stage;
  FusionRule rule;
  void (*run)(Graph& graph, const Fusing& fusing);
};

// All passes in the order in which they run.
std::span<const Pass> AllPasses();

using FusionNames = std::set<std::string, std::less<>>;

// Runs the canonical passes except the fusions in `off`, and stores `off` in Graph::fusions_off for
// the lowering passes. Error kUsage: a name in `off` is no fusion; the message lists the fusions.
// Errors of a pass name the pass.
void Canonicalize(Graph& graph, const FusionNames& off = {});

// Runs the lowering passes except those in Graph::fusions_off. `policy` decides on each fusion.
// Errors of a pass name the pass.
void Fuse(Graph& graph, FusionPolicy& policy);

// Runs the passes of both stages except the fusions in `off`, without a policy: every fusion is
// allowed. For tests and benches without a plan.
void Optimize(Graph& graph, const FusionNames& off);
void Optimize(Graph& graph);

}  // namespace halftone
