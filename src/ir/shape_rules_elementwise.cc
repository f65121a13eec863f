#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/shape_operands.h"
#include "src/ir/shape_rules.h"

namespace halftone {

std::vector<TensorType> SameShape(const ShapeQuery& query) {
  return {*query.inputs.at(0)};
}

std::vector<TensorType> ClipShape(const ShapeQuery& query) {
  shape_rules::RequireOne(query, 1, "min");
  shape_rules::RequireOne(query, 2, "max");
  return SameShape(query);
}

std::vector<TensorType> CastShape(const ShapeQuery& query) {
  const std::int64_t onnx_type = query.attributes.Int("to", 0);
  const auto dtype = DTypeFromOnnx(static_cast<int>(onnx_type));
  if (!dtype) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("attribute 'to': ONNX data type {} is not supported", onnx_type));
  }
  return {{*dtype, query.inputs.at(0)->shape}};
}

std::vector<TensorType> BroadcastShape(const ShapeQuery& query) {
  return {{query.inputs.at(0)->dtype,
           BroadcastShapes(query.inputs.at(0)->shape, query.inputs.at(1)->shape)}};
}

// Bitwise operators: integers only, unsigned ones for a shift.
std::vector<TensorType> BitwiseShape(const ShapeQuery& query) {
  const TensorType& a = *query.inputs.at(0);
  const bool shift = query.attributes.Has("direction");
  const bool is_unsigned = a.dtype == DType::kUInt8 || a.dtype == DType::kUInt16 ||
                           a.dtype == DType::kUInt32 || a.dtype == DType::kUInt64;
  if (!kIntegerDTypes.Has(a.dtype) || (shift && !is_unsigned)) {
    throw Error(ErrorKind::kModel,
                fmt::format("input 0: expected {}, got {}: put a Cast before it",
                            shift ? "unsigned integers" : "integers", a.ToString()));
  }
  return query.inputs.size() == 1 ? std::vector{a} : BroadcastShape(query);
}

std::vector<TensorType> CompareShape(const ShapeQuery& query) {
  return {{DType::kBool, BroadcastShapes(query.inputs.at(0)->shape, query.inputs.at(1)->shape)}};
}

std::vector<TensorType> WhereShape(const ShapeQuery& query) {
  const Shape branches = BroadcastShapes(query.inputs.at(1)->shape, query.inputs.at(2)->shape);
  return {{query.inputs.at(1)->dtype, BroadcastShapes(query.inputs.at(0)->shape, branches)}};
}

}  // namespace halftone
