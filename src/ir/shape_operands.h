// Helpers of shape rules: checks, and values of constant operands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/ir/op_table.h"

namespace halftone::shape_rules {

// Throws Error kModel.
[[noreturn]] void ThrowModel(std::string_view message);

bool Present(const ShapeQuery& query, std::size_t input);

// Returns the elements of an input on which a shape depends. `name`: name of the input in the ONNX
// specification, for messages. Error RunTimeOperand: the input is not constant.
const Tensor& ConstantInput(const ShapeQuery& query, std::size_t input, std::string_view name);
// Returns the only element of such an input. Errors as ConstantInput(); kModel: another number of
// elements.
std::int64_t ConstantInteger(const ShapeQuery& query, std::size_t input, std::string_view name);

// Throw Error kModel, which names the input, if the rank or the shape is another one.
void RequireRank(const Shape& shape, int rank, std::string_view name);
void RequireShape(const Shape& shape, const Shape& expected, std::string_view name);
// Throws Error kModel if the input is present and has not exactly one element, of any rank.
void RequireOne(const ShapeQuery& query, std::size_t input, std::string_view name);

// Returns the first `query.output_count` of `types`.
std::vector<TensorType> Used(const ShapeQuery& query, std::vector<TensorType> types);

}  // namespace halftone::shape_rules
