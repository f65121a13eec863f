// Shape rules: the output types of each operator from its input types and constant inputs.
//
// Each follows the newest form of the operator in the ONNX operator specification. Error kModel
// when the inputs do not fit, kUnsupported when a shape depends on data that is not constant.
#pragma once

#include <vector>

#include "src/ir/op_table.h"

namespace halftone {

std::vector<TensorType> ConvShape(const ShapeQuery& query);
std::vector<TensorType> GemmShape(const ShapeQuery& query);
std::vector<TensorType> MatMulShape(const ShapeQuery& query);
std::vector<TensorType> SameShape(const ShapeQuery& query);
std::vector<TensorType> CastShape(const ShapeQuery& query);
std::vector<TensorType> BroadcastShape(const ShapeQuery& query);
std::vector<TensorType> CompareShape(const ShapeQuery& query);
std::vector<TensorType> WhereShape(const ShapeQuery& query);
std::vector<TensorType> PoolShape(const ShapeQuery& query);
std::vector<TensorType> GlobalPoolShape(const ShapeQuery& query);
std::vector<TensorType> ReduceShape(const ShapeQuery& query);
std::vector<TensorType> ArgReduceShape(const ShapeQuery& query);
std::vector<TensorType> ConcatShape(const ShapeQuery& query);
std::vector<TensorType> ConstantOfShapeShape(const ShapeQuery& query);
std::vector<TensorType> DepthToSpaceShape(const ShapeQuery& query);
std::vector<TensorType> ExpandShape(const ShapeQuery& query);
std::vector<TensorType> FlattenShape(const ShapeQuery& query);
std::vector<TensorType> GatherShape(const ShapeQuery& query);
std::vector<TensorType> PadShape(const ShapeQuery& query);
std::vector<TensorType> RangeShape(const ShapeQuery& query);
std::vector<TensorType> ReshapeShape(const ShapeQuery& query);
std::vector<TensorType> ResizeShape(const ShapeQuery& query);
std::vector<TensorType> ShapeOfShape(const ShapeQuery& query);
std::vector<TensorType> SizeOfShape(const ShapeQuery& query);
std::vector<TensorType> SliceShape(const ShapeQuery& query);
std::vector<TensorType> SplitShape(const ShapeQuery& query);
std::vector<TensorType> SqueezeShape(const ShapeQuery& query);
std::vector<TensorType> TileShape(const ShapeQuery& query);
std::vector<TensorType> TransposeShape(const ShapeQuery& query);
std::vector<TensorType> UnsqueezeShape(const ShapeQuery& query);
std::vector<TensorType> MatMulIntegerShape(const ShapeQuery& query);
std::vector<TensorType> ConvIntegerShape(const ShapeQuery& query);
std::vector<TensorType> QLinearMatMulShape(const ShapeQuery& query);
std::vector<TensorType> QLinearConvShape(const ShapeQuery& query);
std::vector<TensorType> QuantizeLinearShape(const ShapeQuery& query);
std::vector<TensorType> DequantizeLinearShape(const ShapeQuery& query);
std::vector<TensorType> DynamicQuantizeLinearShape(const ShapeQuery& query);

}  // namespace halftone
