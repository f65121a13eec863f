// Random plans that a target's library can run, for property tests of the plan writer.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "src/precision/precision_plan.h"
#include "tests/support/random_cases.h"

namespace halftone::testing {

// True if column `c` fits the dtypes of the tensors that no mode changes.
inline bool ColumnFits(const Graph& graph, const Node& node, const LibraryOp& op, std::size_t c) {
  const auto fits = [&](const std::vector<ValueId>& ids, const auto& columns_at) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoValue) {
        continue;
      }
      const std::vector<DType>* columns = columns_at(i);
      const DType original = graph.value(ids[i]).type.dtype;
      if (columns == nullptr || IsTunable(original) != IsTunable((*columns)[c]) ||
          (!IsTunable(original) && (*columns)[c] != original)) {
        return false;
      }
    }
    return true;
  };
  return fits(node.inputs, [&](std::size_t i) { return op.InputColumns(i); }) &&
         fits(node.outputs, [&](std::size_t i) { return op.OutputColumns(i); });
}

inline std::vector<DType> ColumnDTypes(const std::vector<ValueId>& ids, const auto& columns_at,
                                       std::size_t c) {
  std::vector<DType> dtypes;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    dtypes.push_back(ids[i] == kNoValue ? columns_at(0)->at(c) : columns_at(i)->at(c));
  }
  return dtypes;
}

// A plan with each node in a random column of its operator and a random implementation mode; Casts
// of the model stay unchanged. Nodes without a fitting column run on AI CPU.
inline PrecisionPlan RandomPlan(Rng& rng, const Graph& graph, const TargetSpec& target) {
  PrecisionPlan plan;
  plan.overflow = target.overflow;
  plan.fusions = target.fusions;
  std::vector<DType> values;
  for (const Value& value : graph.values) {
    values.push_back(value.type.dtype);
  }
  for (const Node& node : graph.nodes) {
    NodePrecision precision;
    const auto found = target.ai_core.find(IrTypeOf(graph, node));
    std::vector<std::size_t> columns;
    if (node.op != OpKind::kCast && found != target.ai_core.end()) {
      for (std::size_t c = 0; c < found->second.column_count(); ++c) {
        if (ColumnFits(graph, node, found->second, c)) {
          columns.push_back(c);
        }
      }
    }
    if (columns.empty()) {
      for (const ValueId id : node.inputs) {
        precision.inputs.push_back(id == kNoValue             ? precision.inputs.at(0)
                                   : node.op == OpKind::kCast ? values[static_cast<std::size_t>(id)]
                                                              : graph.value(id).type.dtype);
      }
      for (const ValueId id : node.outputs) {
        precision.outputs.push_back(graph.value(id).type.dtype);
      }
      precision.engine = node.op == OpKind::kCast ? Engine::kAiCore : Engine::kAiCpu;
    } else {
      const LibraryOp& op = found->second;
      const std::size_t c = columns[rng.Below(columns.size())];
      precision.inputs = FormatsOf(ColumnDTypes(
          node.inputs, [&](std::size_t i) { return op.InputColumns(i); }, c));
      precision.outputs = FormatsOf(ColumnDTypes(
          node.outputs, [&](std::size_t i) { return op.OutputColumns(i); }, c));
      const auto modes = op.impl_modes.find(precision.inputs.empty() ? DType::kFloat32
                                                                     : precision.inputs[0].dtype());
      if (modes != op.impl_modes.end() && modes->second.size() > 1) {
        precision.impl_mode = modes->second[rng.Below(modes->second.size())];
      }
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      values[static_cast<std::size_t>(node.outputs[i])] = precision.outputs[i].dtype();
    }
    plan.nodes.push_back(std::move(precision));
  }
  return plan;
}

// Gives the nodes unique names that every file format can express.
inline void GivePlainNames(Graph& graph) {
  int number = 0;
  for (Node& node : graph.nodes) {
    node.name = fmt::format("node{}", number++);
    for (Origin& origin : node.origins) {
      origin.name = &origin == node.origins.data() ? node.name : fmt::format("part{}", number++);
    }
  }
}

}  // namespace halftone::testing
