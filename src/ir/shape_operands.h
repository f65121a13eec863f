// What shape rules ask of a node's operands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/ir/op_table.h"

namespace halftone::shape_rules {

[[noreturn]] void ThrowModel(std::string message);

bool Present(const ShapeQuery& query, std::size_t input);

// The values of an input that a shape depends on. RunTimeOperand when it is not constant.
const Tensor& ConstantInput(const ShapeQuery& query, std::size_t input, std::string_view name);
// Likewise of one value.
std::int64_t ConstantInteger(const ShapeQuery& query, std::size_t input, std::string_view name);

// Error kModel naming the input.
void RequireRank(const Shape& shape, int rank, std::string_view name);
void RequireShape(const Shape& shape, const Shape& expected, std::string_view name);
// Where it is present: one element, whatever the axes.
void RequireOne(const ShapeQuery& query, std::size_t input, std::string_view name);

// The first `query.output_count` of `types`.
std::vector<TensorType> Used(const ShapeQuery& query, std::vector<TensorType> types);

}  // namespace halftone::shape_rules
