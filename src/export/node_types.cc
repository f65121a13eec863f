#include "src/export/node_types.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "src/exec/fuse_by_plan.h"
#include "src/export/source_file.h"
#include "src/export/typed_operators.h"
#include "src/export/typed_tensors.h"
#include "src/ir/op_table.h"
#include "src/onnx/model_file.h"

namespace halftone {
namespace {

std::string NameOfNode(const onnx::NodeProto& proto) {
  return proto.name().empty() && proto.output_size() > 0 ? proto.output(0) : proto.name();
}

// Whether a node of the file computes the result of `node` by other nodes, in its bodies or in a
// function. Then it reads other tensors than `node`.
bool StandsForOthers(const onnx::NodeProto& proto, const Node& node) {
  return HasBody(proto) || (!IsDefaultDomain(proto.domain()) &&
                            std::ranges::count(node.origins, proto.op_type(), &Origin::type) == 0);
}

}  // namespace

bool HasBody(const onnx::NodeProto& node) {
  return std::any_of(node.attribute().begin(), node.attribute().end(),
                     [](const auto& a) { return a.has_g() || a.graphs_size() > 0; });
}

NodeTypes::NodeTypes(const onnx::GraphProto& file, const Graph& network, const PrecisionPlan& plan,
                     std::int64_t opset)
    : network_(network), plan_(plan), opset_(opset) {
  IndexNodes(file);
  for (std::size_t n = 0; n < network.nodes.size(); ++n) {
    for (const auto* formats : {&plan.nodes[n].inputs, &plan.nodes[n].outputs}) {
      if (!std::ranges::all_of(*formats, &NumericFormat::is_dtype)) {
        unrounded_.emplace_back(network.nodes[n].name, plan.nodes[n].compute_format());
        break;
      }
    }
    NoteOwn(network.nodes[n], plan.nodes[n]);
  }
  FindInside();
}

// Tensors that the model has in 16 bits keep their types, whatever the plan has for them.
void NodeTypes::NoteOwn(const Node& node, const NodePrecision& precision) {
  const auto note = [&](const std::vector<ValueId>& ids,
                        const std::vector<NumericFormat>& formats) {
    for (std::size_t i = 0; i < std::min(ids.size(), formats.size()); ++i) {
      const DType own = ids[i] == kNoValue ? DType::kFloat32 : network_.value(ids[i]).type.dtype;
      if (IsLow(own) && formats[i] != own) {
        own_[own].emplace_back(node.name, precision.compute_format());
        return true;
      }
    }
    return false;
  };
  if (!note(node.inputs, precision.inputs)) {
    note(node.outputs, precision.outputs);
  }
}

// By the tensors that the nodes made when the file was read. A rewrite may give a result the name
// of another tensor of the file, whose node is not this one.
void NodeTypes::IndexNodes(const onnx::GraphProto& file) {
  const SourceFile source(file, network_);
  for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
    for (const Origin& origin : network_.nodes[n].origins) {
      by_output_.emplace(origin.output, static_cast<NodeId>(n));
    }
  }
  // Nodes that rewrites took away, such as copies, whose results others make now.
  std::set<std::string> removed;
  for (const Origin& origin : network_.removed) {
    removed.insert(origin.output);
  }
  for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
    const std::string& name = network_.value(network_.nodes[n].outputs.at(0)).name;
    const int made_by = source.ProducerOf(name);
    const int own = source.NodeOf(static_cast<NodeId>(n));
    if (own == made_by || (own < 0 && !removed.contains(name))) {
      by_output_.emplace(name, static_cast<NodeId>(n));
    }
  }
}

void NodeTypes::FindInside() {
  const FusedNetwork fused = FuseByPlan(network_, plan_, nullptr);
  std::set<ValueId> made;
  for (const Node& node : fused.graph.nodes) {
    made.insert(node.outputs.begin(), node.outputs.end());
  }
  for (const Node& node : fused.graph.nodes) {
    if (node.parts.size() < 2 || InfoOf(node.op).Is(kCube)) {
      continue;
    }
    for (const NodeId part : node.parts) {
      inside_nodes_.insert(part);
      std::ranges::copy_if(network_.node(part).outputs, std::inserter(inside_, inside_.end()),
                           [&](ValueId value) { return !made.contains(value); });
    }
  }
}

std::optional<DType> NodeTypes::FloatOf(ValueId value, NumericFormat format) const {
  if (value == kNoValue || network_.value(value).type.dtype != DType::kFloat32) {
    return std::nullopt;
  }
  return inside_.contains(value) || !format.is_dtype() ? DType::kFloat32 : format.dtype();
}

// Operands by name; one that canonicalisation renamed, by place.
NodeType NodeTypes::Of(const onnx::NodeProto& proto) {
  NodeType formats{.inputs = std::vector<std::optional<DType>>(proto.input_size()),
                   .outputs = std::vector<std::optional<DType>>(proto.output_size())};
  asked_.insert(proto.output().begin(), proto.output().end());
  const auto made = std::find_if(
      proto.output().begin(), proto.output().end(),
      [&](const std::string& name) { return !name.empty() && by_output_.contains(name); });
  if (made == proto.output().end()) {
    return formats;
  }
  const NodeId id = by_output_.at(*made);
  formats.planned = true;
  const auto fill = [&](const auto& names, const std::vector<ValueId>& ids,
                        const std::vector<NumericFormat>& of_plan, auto& result) {
    for (int i = 0; i < names.size(); ++i) {
      const auto named = std::ranges::find_if(ids, [&](ValueId value) {
        return value != kNoValue && !names[i].empty() && network_.value(value).name == names[i];
      });
      const bool by_place =
          named == ids.end() && std::cmp_equal(names.size(), ids.size()) && !names[i].empty();
      if (named != ids.end() || by_place) {
        const auto at =
            by_place ? static_cast<std::size_t>(i) : static_cast<std::size_t>(named - ids.begin());
        result[static_cast<std::size_t>(i)] = FloatOf(ids[at], of_plan.at(at));
      }
    }
  };
  if (!StandsForOthers(proto, network_.node(id))) {
    fill(proto.input(), network_.node(id).inputs, plan_.node(id).inputs, formats.inputs);
  }
  fill(proto.output(), network_.node(id).outputs, plan_.node(id).outputs, formats.outputs);
  formats.type = OneTypeOf(proto, id, formats);
  return formats;
}

// The one 16-bit type of all that a node reads and makes; empty: it has several, or computes with
// float32 inside.
std::optional<DType> NodeTypes::OneTypeOf(const onnx::NodeProto& proto, NodeId id,
                                          const NodeType& formats) {
  if (inside_nodes_.contains(id)) {
    if (IsLow(plan_.node(id).compute_dtype())) {
      whole_.emplace_back(NameOfNode(proto), plan_.node(id).compute_format());
    }
    return std::nullopt;
  }
  std::optional<DType> type;
  const auto same = [&](const std::optional<DType>& format) {
    type = type ? type : format;
    return !format || *format == *type;
  };
  bool reads = false;
  for (std::size_t i = 0; i < formats.inputs.size(); ++i) {
    if (!HasOwnType(proto.op_type(), opset_, i)) {
      reads = reads || formats.inputs[i].has_value();
      if (!same(formats.inputs[i])) {
        mixed_.emplace_back(NameOfNode(proto), plan_.node(id).compute_format());
        return std::nullopt;
      }
    }
  }
  if (!std::ranges::all_of(formats.outputs, same)) {
    mixed_.emplace_back(NameOfNode(proto), plan_.node(id).compute_format());
    return std::nullopt;
  }
  if (!reads || !type || !IsLow(*type)) {
    return std::nullopt;
  }
  const auto since =
      IsDefaultDomain(proto.domain()) ? FirstOpsetOf(proto.op_type(), *type) : std::nullopt;
  if (!since || *since > opset_ || HasBody(proto)) {
    refused_[{proto.op_type(), *type}].emplace_back(NameOfNode(proto), *type);
    return std::nullopt;
  }
  return type;
}

NodeTypes::Cases NodeTypes::InBodies() const {
  Cases cases;
  for (std::size_t n = 0; n < network_.nodes.size(); ++n) {
    const Node& node = network_.nodes[n];
    const std::string& output = node.origins[0].output;
    if (IsLow(plan_.nodes[n].compute_dtype()) && !output.empty() && !asked_.contains(output)) {
      cases.emplace_back(node.name, plan_.nodes[n].compute_format());
    }
  }
  return cases;
}

std::vector<Loss> NodeTypes::Losses() const {
  std::vector<Loss> losses;
  const auto add = [&](const Cases& cases, const std::string& why) {
    for (const auto& [name, asked] : cases) {
      losses.push_back(LossOf(name, asked, std::string(NameOf(DType::kFloat32)), why));
    }
  };
  constexpr std::string_view kBetweenCasts = "in float32 between Casts";
  for (const auto& [key, cases] : refused_) {
    const auto& [op_type, type] = key;
    const auto since = FirstOpsetOf(op_type, type);
    add(cases, fmt::format("operators computed {}, because {} {} {}", kBetweenCasts,
                           since ? fmt::format("opset {} has no", opset_) : "ONNX has no",
                           NameOf(type), op_type) +
                   (since ? fmt::format(" and opset {} has", *since) : ""));
  }
  add(mixed_, fmt::format("operators computed {}, because they read and make several types",
                          kBetweenCasts));
  add(whole_, fmt::format("operators computed {}, because halftone computes them so, as parts of "
                          "one that it has",
                          kBetweenCasts));
  add(InBodies(),
      "operators in bodies of If, Loop and Scan, which stay float32 although the plan has them in "
      "16 bits");
  for (const auto& [type, cases] : own_) {
    for (const auto& [name, asked] : cases) {
      losses.push_back(LossOf(name, asked, std::string(NameOf(type)),
                              "operators on 16-bit tensors of the model, which keep their type"));
    }
  }
  add(unrounded_, "operators in a format of float32 tensors, which stay float32");
  return losses;
}

}  // namespace halftone
