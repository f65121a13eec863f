// Interface between a pass and a plan: it permits fusions of nodes into one step, and stores the
// constants that passes add.
//
// A network whose precision is resolved keeps its nodes. Fusions are made when it is lowered for
// one plan (src/exec/fuse_by_plan.h), and the plan answers MayFuse(). Without a plan, as in tests
// of passes, every fusion is allowed.
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

// Precision of the values that disappear inside a fused step.
enum class FusedValues : std::uint8_t { kFloat32, kWeights, kSame };

inline constexpr EnumRow<FusedValues> kFusedValues[] = {
    {FusedValues::kFloat32, "float32",
     "values inside stay float32, whatever 16-bit type the plan has for them"},
    {FusedValues::kWeights, "weights",
     "constants of the other parts go into constant operands of the main one, in their dtype"},
    {FusedValues::kSame, "same", "no value disappears, or it is only moved"},
};

// Implementation mode of a fused step. Parts may differ in mode only between default,
// high_performance and high_precision; any other mode must be that of all parts. high_precision is
// at least as exact as high_performance.
enum class FusedMode : std::uint8_t { kMain, kMostExact };

inline constexpr EnumRow<FusedMode> kFusedModes[] = {
    {FusedMode::kMain, "main", "the main operator's; other parts run in high_precision"},
    {FusedMode::kMostExact, "most exact", "the most exact one among the parts"},
};

// Rule for all steps that one pass makes.
struct FusionRule {
  FusedValues values = FusedValues::kSame;
  FusedMode mode = FusedMode::kMain;
  bool on_integers = true;  // false: nodes in a scaled format are not fused
};

// The more exact of two modes among default, high_performance and high_precision.
ImplMode MostExact(ImplMode a, ImplMode b);

// Decisions of a plan on fusions. Not thread safe.
class FusionPolicy {
 public:
  virtual ~FusionPolicy() = default;

  // True if `nodes`, the main node first, may become one step by `rule`, the rule of the pass
  // `name`.
  virtual bool MayFuse(std::string_view name, const FusionRule& rule, const Graph& graph,
                       std::span<const Node* const> nodes) = 0;

  // Returns the result of make(), which is called once for each key. The result is stored as long
  // as the constants of the network.
  virtual Tensor Constant(const Hash128& key, std::span<const Tensor> sources,
                          const std::function<Tensor()>& make) = 0;
};

// Policy and rule for one pass. Cheap to copy; does not own the policy.
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

  // Takes node ids instead, that of the main node first.
  [[nodiscard]] bool MayFuse(const Graph& graph, std::span<const NodeId> nodes) const;

  // A constant that make() computes. The result may depend only on `sources` and on the values that
  // are hashed into `parameters`.
  [[nodiscard]] Tensor Constant(const Hash128& parameters, std::span<const Tensor> sources,
                                const std::function<Tensor()>& make) const;

  // An int64 constant of these values, such as a shape, axes or indices.
  [[nodiscard]] Tensor Integers(std::span<const std::int64_t> values) const;

  // Fuses `absorbed` into `main`: `main` takes over the outputs of `absorbed`, appends its origins
  // and parts and, with FusedMode::kMostExact, takes the more exact mode of the two. `absorbed`
  // loses its outputs, so that RemoveEmptiedNodes() removes it.
  void Absorb(Node& main, Node& absorbed) const;

  // Fuses `absorbed`, which computes an operand of `main`, into `main` in the same way, except that
  // `main` keeps its own outputs.
  void AbsorbBefore(Node& main, Node& absorbed) const;

 private:
  FusionPolicy* policy_ = nullptr;
  std::string_view name_;
  FusionRule rule_;
};

}  // namespace halftone
