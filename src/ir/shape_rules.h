// Shape rules: functions that return the output types of an operator for its input types and
// constant inputs.
//
// Each rule follows the newest version of its operator in the ONNX specification. Errors: kModel if
// the inputs do not fit; RunTimeOperand if a shape depends on data that is not constant;
// kUnsupported for a result type that halftone does not have.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/base/error.h"
#include "src/ir/op_table.h"

namespace halftone {

// Error kUnsupported: a shape rule needs the elements of an operand that is not constant. A caller
// that gets them from a run of the network calls the rule again with them.
class RunTimeOperand : public Error {
 public:
  // `input`: index of the operand. `name`: its name in the ONNX specification.
  RunTimeOperand(std::size_t input, std::string_view name);

  [[nodiscard]] std::size_t input() const { return input_; }

 private:
  std::size_t input_;
};

std::vector<TensorType> ConvShape(const ShapeQuery& query);
std::vector<TensorType> GemmShape(const ShapeQuery& query);
std::vector<TensorType> MatMulShape(const ShapeQuery& query);
std::vector<TensorType> SameShape(const ShapeQuery& query);
std::vector<TensorType> ClipShape(const ShapeQuery& query);
std::vector<TensorType> CastShape(const ShapeQuery& query);
std::vector<TensorType> BroadcastShape(const ShapeQuery& query);
std::vector<TensorType> CompareShape(const ShapeQuery& query);
std::vector<TensorType> WhereShape(const ShapeQuery& query);
std::vector<TensorType> BitwiseShape(const ShapeQuery& query);
std::vector<TensorType> DetShape(const ShapeQuery& query);
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
std::vector<TensorType> ConvTransposeShape(const ShapeQuery& query);
std::vector<TensorType> BoolShape(const ShapeQuery& query);
std::vector<TensorType> BatchNormalizationShape(const ShapeQuery& query);
std::vector<TensorType> GroupNormalizationShape(const ShapeQuery& query);
std::vector<TensorType> InstanceNormalizationShape(const ShapeQuery& query);
std::vector<TensorType> LayerNormalizationShape(const ShapeQuery& query);
std::vector<TensorType> RmsNormalizationShape(const ShapeQuery& query);
std::vector<TensorType> SpaceToDepthShape(const ShapeQuery& query);
std::vector<TensorType> CenterCropPadShape(const ShapeQuery& query);
std::vector<TensorType> Col2ImShape(const ShapeQuery& query);
std::vector<TensorType> GridSampleShape(const ShapeQuery& query);
std::vector<TensorType> RoiAlignShape(const ShapeQuery& query);
std::vector<TensorType> MaxRoiPoolShape(const ShapeQuery& query);
std::vector<TensorType> DeformConvShape(const ShapeQuery& query);
std::vector<TensorType> UniqueShape(const ShapeQuery& query);
std::vector<TensorType> GatherElementsShape(const ShapeQuery& query);
std::vector<TensorType> GatherNdShape(const ShapeQuery& query);
std::vector<TensorType> ScatterElementsShape(const ShapeQuery& query);
std::vector<TensorType> ScatterNdShape(const ShapeQuery& query);
std::vector<TensorType> TensorScatterShape(const ShapeQuery& query);
std::vector<TensorType> TopKShape(const ShapeQuery& query);
std::vector<TensorType> CumSumShape(const ShapeQuery& query);
std::vector<TensorType> OneHotShape(const ShapeQuery& query);
std::vector<TensorType> EyeLikeShape(const ShapeQuery& query);
std::vector<TensorType> TriluShape(const ShapeQuery& query);
std::vector<TensorType> ReverseSequenceShape(const ShapeQuery& query);
std::vector<TensorType> CompressShape(const ShapeQuery& query);
std::vector<TensorType> NonZeroShape(const ShapeQuery& query);
std::vector<TensorType> NonMaxSuppressionShape(const ShapeQuery& query);
std::vector<TensorType> LstmShape(const ShapeQuery& query);
std::vector<TensorType> GruShape(const ShapeQuery& query);
std::vector<TensorType> RnnShape(const ShapeQuery& query);
std::vector<TensorType> AttentionShape(const ShapeQuery& query);
std::vector<TensorType> RotaryEmbeddingShape(const ShapeQuery& query);
std::vector<TensorType> EinsumShape(const ShapeQuery& query);
std::vector<TensorType> MatMulIntegerShape(const ShapeQuery& query);
std::vector<TensorType> ConvIntegerShape(const ShapeQuery& query);
std::vector<TensorType> QLinearMatMulShape(const ShapeQuery& query);
std::vector<TensorType> QLinearConvShape(const ShapeQuery& query);
std::vector<TensorType> QLinearConvTransposeShape(const ShapeQuery& query);
std::vector<TensorType> QLinearBroadcastShape(const ShapeQuery& query);
std::vector<TensorType> QLinearConcatShape(const ShapeQuery& query);
std::vector<TensorType> QLinearAveragePoolShape(const ShapeQuery& query);
std::vector<TensorType> QLinearGlobalAveragePoolShape(const ShapeQuery& query);
std::vector<TensorType> QLinearResizeShape(const ShapeQuery& query);
std::vector<TensorType> QLinearLookupShape(const ShapeQuery& query);
std::vector<TensorType> DynamicMatMulShape(const ShapeQuery& query);
std::vector<TensorType> QuantizeLinearShape(const ShapeQuery& query);
std::vector<TensorType> DequantizeLinearShape(const ShapeQuery& query);
std::vector<TensorType> DynamicQuantizeLinearShape(const ShapeQuery& query);

}  // namespace halftone
