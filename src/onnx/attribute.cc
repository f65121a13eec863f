#include "src/onnx/attribute.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <string_view>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/op_table.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

struct AttributeRow {
  std::string_view ops;         // separated by blanks
  std::string_view attributes;  // name:kind, separated by blanks
};

// Kinds: i integer, f float, s text, I integers, F floats, t tensor. Operators without a row have
// no attributes. From the operator specification, newest forms; "coerce_2d" is what
// src/onnx/upgrade writes on a Softmax of opset < 13.
constexpr AttributeRow kRows[] = {
    {"Conv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"Gemm", "alpha:f beta:f transA:i transB:i"},
    {"Cast", "to:i"},
    {"Elu LeakyRelu Swish", "alpha:f"},
    {"Gelu", "approximate:s"},
    {"HardSigmoid", "alpha:f beta:f"},
    {"Selu", "alpha:f gamma:f"},
    {"Mod", "fmod:i"},
    {"MaxPool", "auto_pad:s ceil_mode:i dilations:I kernel_shape:I pads:I strides:I"},
    {"AveragePool",
     "auto_pad:s ceil_mode:i count_include_pad:i dilations:I kernel_shape:I pads:I strides:I"},
    {"LRN", "alpha:f beta:f bias:f size:i"},
    {"BatchNormalization InstanceNormalization", "epsilon:f"},
    {"LayerNormalization RMSNormalization", "axis:i epsilon:f"},
    {"Softmax LogSoftmax", "axis:i coerce_2d:i"},
    {"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare",
     "keepdims:i noop_with_empty_axes:i"},
    {"ArgMax", "axis:i keepdims:i select_last_index:i"},
    {"Concat Flatten Gather Split", "axis:i"},
    {"ConstantOfShape", "value:t"},
    {"DepthToSpace", "blocksize:i mode:s"},
    {"Pad", "mode:s"},
    {"Reshape", "allowzero:i"},
    {"Resize",
     "antialias:i axes:I coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
     "extrapolation_value:f keep_aspect_ratio_policy:s mode:s nearest_mode:s"},
    {"Shape", "end:i start:i"},
    {"Transpose", "perm:I"},
    {"ConvInteger QLinearConv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"QuantizeLinear DequantizeLinear", "axis:i block_size:i"},
};

std::string_view AttributesNamedFor(std::string_view op) {
  for (const AttributeRow& row : kRows) {
    for (const std::string_view name : Split(row.ops, ' ')) {
      if (name == op) {
        return row.attributes;
      }
    }
  }
  return {};
}

// Reading the attribute as its kind is the check: the getters of Attributes name what is wrong.
void CheckKind(const Attributes& attributes, std::string_view name, char kind) {
  switch (kind) {
    case 'i':
      static_cast<void>(attributes.Int(name, 0));
      break;
    case 'f':
      static_cast<void>(attributes.Float(name, 0));
      break;
    case 's':
      static_cast<void>(attributes.Text(name, ""));
      break;
    case 'I':
      static_cast<void>(attributes.Ints(name));
      break;
    case 'F':
      static_cast<void>(attributes.Floats(name));
      break;
    default:
      static_cast<void>(attributes.TensorOrNull(name));
  }
}

Attribute AttributeOf(const onnx::AttributeProto& proto, const std::filesystem::path& folder) {
  if (!proto.ref_attr_name().empty()) {
    throw Error(ErrorKind::kUnsupported, "attributes of functions are not supported");
  }
  switch (proto.type()) {
    case onnx::AttributeProto::INT:
      return std::int64_t{proto.i()};
    case onnx::AttributeProto::FLOAT:
      return proto.f();
    case onnx::AttributeProto::STRING:
      return proto.s();
    case onnx::AttributeProto::INTS:
      return std::vector<std::int64_t>(proto.ints().begin(), proto.ints().end());
    case onnx::AttributeProto::FLOATS:
      return std::vector<float>(proto.floats().begin(), proto.floats().end());
    case onnx::AttributeProto::STRINGS:
      return std::vector<std::string>(proto.strings().begin(), proto.strings().end());
    case onnx::AttributeProto::TENSOR:
      return TensorOf(proto.t(), folder);
    case onnx::AttributeProto::UNDEFINED:
      throw Error(ErrorKind::kModel, "expected an attribute with a type, got none");
    default:
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("attributes of type {} are not supported",
                              onnx::AttributeProto::AttributeType_Name(proto.type())));
  }
}

bool IsSubgraph(const onnx::AttributeProto& proto) {
  return proto.type() == onnx::AttributeProto::GRAPH ||
         proto.type() == onnx::AttributeProto::GRAPHS;
}

}  // namespace

Attributes AttributesOf(const onnx::NodeProto& node, const std::filesystem::path& folder) {
  Attributes attributes;
  for (const auto& proto : node.attribute()) {
    if (IsSubgraph(proto)) {
      continue;
    }
    WithContext([&] { return fmt::format("attribute '{}'", proto.name()); },
                [&] {
                  if (attributes.Has(proto.name())) {
                    throw Error(ErrorKind::kModel, "is given twice");
                  }
                  attributes.Set(proto.name(), AttributeOf(proto, folder));
                });
  }
  return attributes;
}

void CheckAttributes(OpKind op, const Attributes& attributes) {
  const std::string_view op_name = InfoOf(op).name;
  const auto known = Split(AttributesNamedFor(op_name), ' ');
  for (const auto& [name, value] : attributes.values()) {
    bool found = false;
    for (const std::string_view item : known) {
      const std::size_t colon = item.rfind(':');
      if (colon != std::string_view::npos && item.substr(0, colon) == name) {
        CheckKind(attributes, name, item.back());
        found = true;
      }
    }
    if (!found) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("attribute '{}' has no meaning for {} here, and ignoring it could "
                              "change results",
                              name, op_name));
    }
  }
}

}  // namespace halftone
