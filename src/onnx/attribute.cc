#include "src/onnx/attribute.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <string_view>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/ir/op_table.h"
#include "src/onnx/initializer.h"

namespace halftone {
namespace {

struct OperatorRow {
  std::string_view ops;         // separated by blanks
  std::string_view attributes;  // name:kind, separated by blanks
};

// Operators without a row have no attributes. From the operator specification, newest forms;
// "coerce_2d" is what src/onnx/upgrade writes on a Softmax of opset < 13.
constexpr OperatorRow kRows[] = {
    {"Conv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"ConvTranspose QLinearConvTranspose",
     "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I output_shape:I pads:I "
     "strides:I"},
    {"Attention",
     "is_causal:i kv_num_heads:i q_num_heads:i qk_matmul_output_mode:i scale:f softcap:f "
     "softmax_precision:i"},
    {"Einsum", "equation:s"},
    {"LSTM",
     "activation_alpha:F activation_beta:F activations:s clip:f direction:s hidden_size:i "
     "input_forget:i layout:i"},
    {"GRU",
     "activation_alpha:F activation_beta:F activations:s clip:f direction:s hidden_size:i layout:i "
     "linear_before_reset:i"},
    {"RNN",
     "activation_alpha:F activation_beta:F activations:s clip:f direction:s hidden_size:i "
     "layout:i"},
    {"Gemm", "alpha:f beta:f transA:i transB:i"},
    {"Cast", "to:i"},
    {"Celu Elu LeakyRelu Swish ThresholdedRelu", "alpha:f"},
    {"Gelu", "approximate:s"},
    {"HardSigmoid", "alpha:f beta:f"},
    {"Selu", "alpha:f gamma:f"},
    {"Shrink", "bias:f lambd:f"},
    {"IsInf", "detect_negative:i detect_positive:i"},
    {"BitShift", "direction:s"},
    {"Mod", "fmod:i"},
    {"MaxPool",
     "auto_pad:s ceil_mode:i dilations:I kernel_shape:I pads:I storage_order:i strides:I"},
    {"MaxRoiPool", "pooled_shape:I spatial_scale:f"},
    {"LpPool", "auto_pad:s ceil_mode:i dilations:I kernel_shape:I p:i pads:I strides:I"},
    {"AveragePool QLinearAveragePool",
     "auto_pad:s ceil_mode:i count_include_pad:i dilations:I kernel_shape:I pads:I strides:I"},
    {"LRN", "alpha:f beta:f bias:f size:i"},
    {"BatchNormalization InstanceNormalization", "epsilon:f"},
    {"GroupNormalization", "epsilon:f num_groups:i"},
    {"LpNormalization", "axis:i p:i"},
    {"MeanVarianceNormalization", "axes:I"},
    {"LayerNormalization RMSNormalization", "axis:i epsilon:f"},
    {"Softmax LogSoftmax Hardmax", "axis:i coerce_2d:i"},
    {"ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare "
     "ReduceLogSum ReduceLogSumExp",
     "keepdims:i noop_with_empty_axes:i"},
    {"ArgMax ArgMin", "axis:i keepdims:i select_last_index:i"},
    {"CumSum", "exclusive:i reverse:i"},
    {"Unique", "axis:i sorted:i"},
    {"TopK", "axis:i largest:i sorted:i"},
    {"Concat QLinearConcat QLinearLookup Compress Flatten Gather GatherElements OneHot Split",
     "axis:i"},
    {"ScatterElements", "axis:i reduction:s"},
    {"ScatterND", "reduction:s"},
    {"GatherND", "batch_dims:i"},
    {"TensorScatter", "axis:i mode:s"},
    {"GridSample", "align_corners:i mode:s padding_mode:s"},
    {"NonMaxSuppression", "center_point_box:i"},
    {"DeformConv", "dilations:I group:i kernel_shape:I offset_group:i pads:I strides:I"},
    {"RoiAlign",
     "coordinate_transformation_mode:s mode:s output_height:i output_width:i sampling_ratio:i "
     "spatial_scale:f"},
    {"RotaryEmbedding", "interleaved:i num_heads:i rotary_embedding_dim:i"},
    {"CenterCropPad", "axes:I"},
    {"Col2Im", "dilations:I pads:I strides:I"},
    {"EyeLike", "dtype:i k:i"},
    {"ReverseSequence", "batch_axis:i time_axis:i"},
    {"SpaceToDepth", "blocksize:i"},
    {"Trilu", "upper:i"},
    {"ConstantOfShape", "value:t"},
    {"DepthToSpace", "blocksize:i mode:s"},
    {"Pad", "mode:s"},
    {"Reshape", "allowzero:i"},
    {"Resize QLinearResize",
     "antialias:i axes:I coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i "
     "extrapolation_value:f keep_aspect_ratio_policy:s mode:s nearest_mode:s"},
    {"Shape", "end:i start:i"},
    {"Transpose", "perm:I"},
    {"ConvInteger QLinearConv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"QuantizeLinear DequantizeLinear", "axis:i block_size:i"},
};

std::string_view AttributesNamedFor(std::string_view op) {
  for (const OperatorRow& row : kRows) {
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

std::vector<AttributeRow> AttributeRowsOf(OpKind op) {
  std::vector<AttributeRow> rows;
  for (const std::string_view item : Split(AttributesNamedFor(InfoOf(op).name), ' ')) {
    if (const std::size_t colon = item.rfind(':'); colon != std::string_view::npos) {
      rows.push_back({item.substr(0, colon), item.back()});
    }
  }
  return rows;
}

void CheckAttributes(OpKind op, const Attributes& attributes) {
  const std::vector<AttributeRow> known = AttributeRowsOf(op);
  for (const auto& [name, value] : attributes.values()) {
    const auto row = std::ranges::find(known, name, &AttributeRow::name);
    if (row == known.end()) {
      throw Error(ErrorKind::kUnsupported,
                  fmt::format("attribute '{}' has no meaning for {} here, and ignoring it could "
                              "change results",
                              name, InfoOf(op).name));
    }
    CheckKind(attributes, name, row->kind);
  }
}

}  // namespace halftone
