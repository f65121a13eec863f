// Permission of a pass to fuse nodes into one step, and the constants that it adds.
//
// A network whose precision is resolved keeps its own nodes. Fusions are made for one plan, when it
// is lowered (src/exec/fuse_by_plan.h): the plan answers MayFuse(). Without a plan every fusion is
// allowed: tests of passes have graphs alone.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"
#include "src/base/hash.h"
#include "src/ir/graph.h"

namespace halftone {

// Precision of the values that disappear inside a fused kernel.
enum class FusedValues : std::uint8_t { kFloat32, kWeights, kSame };

inline constexpr EnumRow<FusedValues> kFusedValues[] = {
    {FusedValues::kFloat32, "float32",
     "values inside stay float32, whatever 16-bit type the plan has for them"},
    {FusedValues::kWeights, "weights",
     "constants of the other parts go into constant operands of the main one, in their dtype"},
    {FusedValues::kSame, "same", "no value disappears, or it is only moved"},
};

// Implementation mode of the fused step. high_precision is at least as exact as high_performance;
// any other mode must be that of all parts.
enum class FusedMode : std::uint8_t { kMain, kMostExact };

inline constexpr EnumRow<FusedMode> kFusedModes[] = {
    {FusedMode::kMain, "main", "the main operator's; other parts run in high_precision"},
    {FusedMode::kMostExact, "most exact", "the most exact one among the parts"},
};

// Rule of all steps that one pass makes.
struct FusionRule {
  FusedValues values = FusedValues::kSame;
  FusedMode mode = FusedMode::kMain;
  bool on_integers = true;  // false: not where parts compute in a scaled format
};

// A mode at least as exact as both, among default, high_performance and high_precision.
ImplMode MostExact(ImplMode a, ImplMode b);

// Decisions of a plan on fusions. Not thread safe.
class FusionPolicy {
 public:
  virtual ~FusionPolicy() = default;

  // True if `nodes`, the main one first, may become one step by the rule of the pass `name`.
  virtual bool MayFuse(std::string_view name, const FusionRule& rule, const Graph& graph,
                       std::span<const Node* const> nodes) = 0;

  // The result of make(), called once per key and stored as long as the constants of the network.
  virtual Tensor Constant(const Hash128& key, std::span<const Tensor> sources,
                          const std::function<Tensor()>& make) = 0;
};

// Policy and rule of one pass. Cheap to copy.
class Fusing {
 public:
  Fusing() = default;

  Fusing(FusionPolicy& policy, std::string_view name, const FusionRule& rule)
      : policy_(&policy), name_(name), rule_(rule) {}

  [[nodiscard]] bool MayFuse(const Graph& graph, std::span<const Node* const> nodes) const {
    return policy_ == nullptr || policy_->MayFuse(name_, rule_, graph, nodes);
  }

  [[nodiscard]] bool MayFuse(const Graph& graph, std::initializer_list<const Node*> nodes) const {
    return MayFuse(graph, std::span<const Node* const>(nodes.begin(), nodes.size()));
  }

  // The same by node numbers, the main node first.
  [[nodiscard]] bool MayFuse(const Graph& graph, std::span<const NodeId> nodes) const;

  // A constant that make() computes from `sources` (which it may read) and from the values hashed
  // into `parameters`.
  [[nodiscard]] Tensor Constant(const Hash128& parameters, std::span<const Tensor> sources,
                                const std::function<Tensor()>& make) const;

  // The same for a list of integers: a shape, axes, indices.
  [[nodiscard]] Tensor Integers(std::span<const std::int64_t> values) const;

  // `main` takes over the outputs of `absorbed`, its names after its own, its parts and, where the
  // rule says so, its mode. `absorbed` loses its outputs, for RemoveEmptiedNodes.
  void Absorb(Node& main, Node& absorbed) const;

  // The same, but `main` keeps its own outputs: `absorbed` computes an operand of it.
  void AbsorbBefore(Node& main, Node& absorbed) const;

 private:
  FusionPolicy* policy_ = nullptr;
  std::string_view name_;
  FusionRule rule_;
};

}  // namespace halftone
