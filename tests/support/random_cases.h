// Random graphs, targets and options for property tests. Same seed, same case.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/rng.h"
#include "src/ir/ir_type.h"
#include "src/precision/files/customize_dtypes.h"
#include "src/precision/files/impl_mode_file.h"
#include "src/precision/files/keep_dtype.h"
#include "src/precision/precision_options.h"
#include "src/precision/resolve/modes.h"
#include "tests/support/plain_graph_builder.h"

namespace halftone::testing {

inline constexpr DType kFloats[] = {DType::kFloat16, DType::kFloat32, DType::kBFloat16};
inline constexpr OpKind kUnaryOps[] = {OpKind::kRelu,    OpKind::kAbs,     OpKind::kExp,
                                       OpKind::kSigmoid, OpKind::kSoftmax, OpKind::kCast};
inline constexpr OpKind kBinaryOps[] = {OpKind::kAdd, OpKind::kMul, OpKind::kDiv, OpKind::kMatMul};

inline bool Chance(Rng& rng, double probability) {
  return rng.Uniform() < probability;
}

// Names as models have them, some with the characters that the file formats treat specially.
inline std::string RandomName(Rng& rng, std::size_t index) {
  static constexpr const char* kPatterns[] = {
      "conv{}", "layer1.0/relu{}",  "block:{}", "node {}",      "OpType::op{}", "#op{}",
      " led{}", "trailed{} ",       "a=b{}",    "[ByOpType]{}", "tab\t{}",      "\u5377\u79ef{}",
      "x{}\ny", "high_precision{}", "op{}#end", "Relu{}"};
  return fmt::format(fmt::runtime(kPatterns[rng.Below(std::size(kPatterns))]), index);
}

// A graph of 1 to 12 nodes. Most original dtypes are equal; some nodes carry the names of fused
// nodes.
inline Graph RandomGraph(Rng& rng) {
  PlainGraphBuilder builder;
  const DType main = kFloats[rng.Below(3)];
  const auto dtype = [&] { return Chance(rng, 0.85) ? main : kFloats[rng.Below(3)]; };
  std::vector<ValueId> values = {builder.Input("x0", dtype()), builder.Input("x1", dtype()),
                                 builder.Constant("w", dtype())};
  const std::size_t count = 1 + rng.Below(12);
  for (std::size_t n = 0; n < count; ++n) {
    const bool binary = Chance(rng, 0.4);
    const OpKind op = binary ? kBinaryOps[rng.Below(std::size(kBinaryOps))]
                             : kUnaryOps[rng.Below(std::size(kUnaryOps))];
    std::vector<ValueId> inputs = {values[rng.Below(values.size())]};
    if (binary) {
      inputs.push_back(values[rng.Below(values.size())]);
    }
    std::vector<Origin> fused;
    if (Chance(rng, 0.2)) {
      fused.push_back({RandomName(rng, 100 + n), "Clip"});
    }
    values.push_back(builder.Node(op, RandomName(rng, n), inputs, dtype(), fused));
  }
  return builder.Finish({values.back()});
}

// One to four random columns, and one more for cube operators.
inline LibraryOp RandomOp(Rng& rng, std::size_t inputs, bool cube) {
  LibraryOp op{
      .inputs = std::vector<std::vector<DType>>(inputs), .outputs = {{}}, .impl_modes = {}};
  std::vector<DType> order(std::begin(kFloats), std::end(kFloats));
  rng.Shuffle(std::span(order));
  for (std::size_t c = 0; c < 1 + rng.Below(4); ++c) {
    const DType dtype = order[c % order.size()];
    for (auto& input : op.inputs) {
      input.push_back(Chance(rng, 0.9) ? dtype : kFloats[rng.Below(3)]);
    }
    op.outputs[0].push_back(Chance(rng, 0.8) ? dtype : kFloats[rng.Below(3)]);
  }
  if (cube) {  // so that force_fp32 always finds one of its three forms
    op.inputs[0].push_back(DType::kFloat32);
    op.inputs[1].push_back(DType::kFloat32);
    op.outputs[0].push_back(DType::kFloat32);
  }
  op.cube = cube;
  op.policy = kMixPolicies[rng.Below(std::size(kMixPolicies))].value;
  for (const DType dtype : kFloats) {
    if (Chance(rng, 0.6)) {
      op.impl_modes[dtype] = {ImplMode::kHighPrecision, ImplMode::kHighPerformance};
    }
  }
  return op;
}

inline TargetSpec RandomTarget(Rng& rng) {
  TargetSpec target;
  target.name = "random";
  target.has_bfloat16 = true;
  const auto add = [&](OpKind kind, std::size_t inputs) {
    for (const std::string_view type : IrTypesOf(kind)) {
      target.ai_core.emplace(type, RandomOp(rng, inputs, kind == OpKind::kMatMul));
      target.ai_cpu.emplace(type, AiCpuOp::Any(kAllDTypes));
    }
  };
  for (const OpKind kind : kUnaryOps) {
    add(kind, 1);
  }
  for (const OpKind kind : kBinaryOps) {
    add(kind, 2);
  }
  return target;
}

// A value of --precision_mode that can be resolved.
inline std::string RandomMode(Rng& rng) {
  std::vector<std::string> names;
  for (const PrecisionMode& mode : AllPrecisionModes()) {
    if (!mode.name.empty()) {
      names.emplace_back(mode.name);
    }
  }
  return names[rng.Below(names.size())];
}

inline ImplMode RandomImplMode(Rng& rng) {
  return kImplModes[1 + rng.Below(std::size(kImplModes) - 1)].value;  // not `default`
}

// A legal change of the lists for one type.
inline void ChangeList(Rng& rng, const std::string& type, Mixlist& mixlist) {
  switch (rng.Below(4)) {
    case 0:
      mixlist.white.to_add.push_back(type);
      break;
    case 1:
      mixlist.black.to_add.push_back(type);
      break;
    case 2:
      mixlist.white.to_remove.push_back(type);
      mixlist.gray.to_add.push_back(type);
      break;
    default:
      mixlist.black.to_remove.push_back(type);
      break;
  }
}

// Adds changes of the mixlists, and custom dtypes that agree with a column of the library.
inline void AddLists(Rng& rng, const Graph& graph, const TargetSpec& target,
                     PrecisionOptions& options) {
  const PrecisionMode* mode = FindPrecisionMode(options.precision_mode);
  std::set<std::string> types;
  for (const Node& node : graph.nodes) {
    const std::string type(IrTypeOf(graph, node));
    if (node.op == OpKind::kCast) {
      continue;
    }
    if (mode != nullptr && mode->mixed_dtype && types.insert(type).second && Chance(rng, 0.3)) {
      if (!options.modify_mixlist) {
        options.modify_mixlist.emplace();
      }
      ChangeList(rng, type, *options.modify_mixlist);
    }
    const LibraryOp& op = target.ai_core.at(type);
    if (CanBeCustomTarget(node.name) && Chance(rng, 0.1)) {
      const std::size_t c = rng.Below(op.column_count());
      CustomDTypes line{node.name, false, {}, {}};
      for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        // A free float16 tensor is not served by bfloat16.
        const bool may_be_free =
            graph.value(node.inputs[i]).type.dtype != DType::kFloat16 && Chance(rng, 0.3);
        line.inputs.push_back(may_be_free ? std::nullopt : std::optional(op.inputs[i][c]));
      }
      line.outputs.emplace_back(op.outputs[0][c]);
      while (!line.inputs.empty() && !line.inputs.back()) {
        line.inputs.pop_back();
      }
      options.customize_dtypes.push_back(std::move(line));
    }
  }
  // Sorted, as the readers of the file formats return them.
  if (options.modify_mixlist) {
    Mixlist& mixlist = *options.modify_mixlist;
    for (auto* list : {&mixlist.white, &mixlist.black, &mixlist.gray}) {
      std::sort(list->to_add.begin(), list->to_add.end());
      std::sort(list->to_remove.begin(), list->to_remove.end());
    }
  }
}

// Options that the formats can express, with names of the graph.
inline PrecisionOptions RandomOptions(Rng& rng, const Graph& graph, const TargetSpec& target) {
  PrecisionOptions options;
  if (Chance(rng, 0.9)) {
    options.precision_mode = RandomMode(rng);
  } else if (Chance(rng, 0.5)) {
    options.precision_mode_v2 = "mixed_float16";
  }
  std::set<std::string> keep;
  options.op_precision_given = Chance(rng, 0.5);
  for (const Node& node : graph.nodes) {
    for (const Origin& origin : node.origins) {
      if (const auto line = KeepLineFor(origin.name); line && Chance(rng, 0.3)) {
        keep.insert(*line);
      }
      if (options.op_precision_given && CanBeImplModeKey(origin.name) && Chance(rng, 0.3)) {
        options.impl_mode_by_node[origin.name] = RandomImplMode(rng);
      }
    }
    const std::string type(IrTypeOf(graph, node));
    if (Chance(rng, 0.1)) {
      keep.insert("OpType::" + type);
    }
    if (options.op_precision_given && Chance(rng, 0.3)) {
      options.impl_mode_by_type[type] = RandomImplMode(rng);
    }
  }
  options.keep_dtype.assign(keep.begin(), keep.end());
  if (Chance(rng, 0.3)) {
    options.op_select_implmode = Chance(rng, 0.5) ? "high_precision" : "high_performance";
    if (Chance(rng, 0.5)) {
      options.optypelist_for_implmode = {"SoftmaxV2", "Exp"};
    }
  }
  AddLists(rng, graph, target, options);
  if (Chance(rng, 0.1)) {
    options.is_weight_clip = "0";
    options.input_fp16_nodes = {"x0"};
    options.output_type = "FP32";
  }
  return options;
}

}  // namespace halftone::testing
