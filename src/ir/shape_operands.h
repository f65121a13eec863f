// Checks and constant operands for shape rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/ir/op_table.h"

namespace halftone::shape_rules {

[[noreturn]] void ThrowModel(std::string message);

bool Present(const ShapeQuery& query, std::size_t input);

// The values of an input that determines a shape. Throws RunTimeOperand when it is not constant.
const Tensor& ConstantInput(const ShapeQuery& query, std::size_t input, std::string_view name);
// The value of a one-element input that determines a shape.
std::int64_t ConstantInteger(const ShapeQuery& query, std::size_t input, std::string_view name);

// Error kModel naming the input where the shape differs.
void RequireRank(const Shape& shape, int rank, std::string_view name);
void RequireShape(const Shape& shape, const Shape& expected, std::string_view name);
// Requires one element, whatever the axes, where the input is present.
void RequireOne(const ShapeQuery& query, std::size_t input, std::string_view name);

// The first `query.output_count` of `types`.
std::vector<TensorType> Used(const ShapeQuery& query, std::vector<TensorType> types);

}  // namespace halftone::shape_rules
