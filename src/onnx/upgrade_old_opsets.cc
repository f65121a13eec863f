#include "src/onnx/upgrade_old_opsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::string_view kBroadcasting[] = {"Add", "Sub", "Mul",   "Div",     "Pow", "And",
                                              "Or",  "Xor", "Equal", "Greater", "Less"};

// Input 1 with axes of extent 1 behind its own until it reaches the last axis of input 0, so that
// its first axis meets `axis`.
void AppendAxes(FileNode& node, GraphBuilder& builder, std::int64_t axis) {
  const int rank = InputType(node, builder).shape.rank();
  const int own = builder.graph.value(node.inputs.at(1)).type.shape.rank();
  const int first = NormalizeAxis(axis, std::max(rank, 1));
  if (first + own > rank) {
    throw Error(ErrorKind::kModel, fmt::format("attribute 'axis': {} axes from axis {} on are more "
                                               "than the {} of the first input",
                                               own, first, rank));
  }
  std::vector<std::int64_t> axes;
  for (int i = own; i < rank - first; ++i) {
    axes.push_back(i);
  }
  if (axes.empty()) {
    return;
  }
  Node helper = HelperNode(node, builder, OpKind::kUnsqueeze, 1);
  const auto count = static_cast<std::int64_t>(axes.size());
  helper.inputs = {
      node.inputs[1],
      builder.AddHelperConstant(Tensor::From<std::int64_t>({count}, axes), node.name + "/axes")};
  node.inputs[1] = builder.AddHelperNode(std::move(helper));
}

// `broadcast` = 1 with `axis`: the second operand starts at that axis of the first.
void UpgradeBroadcast(FileNode& node, GraphBuilder& builder) {
  if (node.attributes.Int("broadcast", 0) != 0 && node.attributes.Has("axis") &&
      InputOr(node, 1) != kNoValue) {
    AppendAxes(node, builder, node.attributes.Int("axis", 0));
  }
  node.attributes.Erase("broadcast");
  node.attributes.Erase("axis");
}

// A slope of one axis belongs to the channels.
void UpgradePRelu(FileNode& node, GraphBuilder& builder) {
  const ValueId slope = InputOr(node, 1);
  if (slope != kNoValue && builder.graph.value(slope).type.shape.rank() == 1 &&
      builder.graph.value(slope).type.shape[0] != 1 && InputType(node, builder).shape.rank() > 1) {
    AppendAxes(node, builder, 1);
  }
}

// Cast named the type in words: "FLOAT", "INT64".
void UpgradeCast(FileNode& node, GraphBuilder& /*builder*/) {
  struct Word {
    std::string_view word;
    DType dtype;
  };

  static constexpr Word kWords[] = {
      {"FLOAT", DType::kFloat32}, {"FLOAT16", DType::kFloat16}, {"DOUBLE", DType::kFloat64},
      {"INT8", DType::kInt8},     {"UINT8", DType::kUInt8},     {"INT16", DType::kInt16},
      {"UINT16", DType::kUInt16}, {"INT32", DType::kInt32},     {"UINT32", DType::kUInt32},
      {"INT64", DType::kInt64},   {"UINT64", DType::kUInt64},   {"BOOL", DType::kBool}};
  const std::string stated = node.attributes.Text("to", "");
  for (const Word& word : kWords) {
    if (word.word == stated) {
      node.attributes.Set("to", std::int64_t{RowOf(word.dtype).onnx_type});
      return;
    }
  }
  ThrowUnsupported(fmt::format("attribute 'to': the type '{}' is not supported", stated));
}

void UpgradeReshape(FileNode& node, GraphBuilder& builder) {
  IntsToInput(node, builder, "shape", 1);
}

void RenamePaddings(FileNode& node, GraphBuilder& /*builder*/) {
  if (node.attributes.Has("paddings")) {
    node.attributes.Set("pads", node.attributes.Ints("paddings"));
    node.attributes.Erase("paddings");
  }
}

void DefaultConcatAxis(FileNode& node, GraphBuilder& /*builder*/) {
  node.attributes.Set("axis", node.attributes.Int("axis", 1));
}

void RefuseTile(FileNode& /*node*/, GraphBuilder& /*builder*/) {
  ThrowUnsupported("the variant of Tile below opset 6 is not supported: convert the model");
}

void DropOutputSequence(FileNode& node, GraphBuilder& /*builder*/) {
  node.attributes.Erase("output_sequence");
}

struct OldRow {
  std::string_view type;
  std::int64_t below_opset;
  void (*upgrade)(FileNode&, GraphBuilder&);
};

// docs/reference/models.md has those that a user may notice.
constexpr OldRow kOldForms[] = {
    {"PRelu", 7, UpgradePRelu},     {"Gemm", 7, UpgradeBroadcast},
    {"Cast", 6, UpgradeCast},       {"Reshape", 5, UpgradeReshape},
    {"Pad", 2, RenamePaddings},     {"Concat", 4, DefaultConcatAxis},
    {"Tile", 6, RefuseTile},        {"LSTM", 7, DropOutputSequence},
    {"GRU", 7, DropOutputSequence}, {"RNN", 7, DropOutputSequence},
};

}  // namespace

void UpgradeOldOpset(FileNode& node, GraphBuilder& builder) {
  if (node.opset < 6) {
    node.attributes.Erase("consumed_inputs");  // said which inputs the output may overwrite
  }
  if (node.opset < 7 && std::find(std::begin(kBroadcasting), std::end(kBroadcasting), node.type) !=
                            std::end(kBroadcasting)) {
    UpgradeBroadcast(node, builder);
  }
  for (const OldRow& row : kOldForms) {
    if (row.type == node.type && node.opset < row.below_opset) {
      row.upgrade(node, builder);
    }
  }
}

}  // namespace halftone
