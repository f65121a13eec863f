#include "src/ir/shape_operands.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/ir/shape_rules.h"

namespace halftone::shape_rules {

void ThrowModel(std::string_view message) {
  throw Error(ErrorKind::kModel, message);
}

bool Present(const ShapeQuery& query, std::size_t input) {
  return input < query.inputs.size() && query.inputs[input] != nullptr;
}

const Tensor& ConstantInput(const ShapeQuery& query, std::size_t input, std::string_view name) {
  if (query.constants.at(input) == nullptr) {
    throw RunTimeOperand(input, name);
  }
  return *query.constants[input];
}

std::int64_t ConstantInteger(const ShapeQuery& query, std::size_t input, std::string_view name) {
  const std::vector<std::int64_t> values = IntegersOf(ConstantInput(query, input, name));
  if (values.size() != 1) {
    ThrowModel(fmt::format("input '{}': expected one value, got {}", name, values.size()));
  }
  return values[0];
}

void RequireRank(const Shape& shape, int rank, std::string_view name) {
  if (shape.rank() != rank) {
    ThrowModel(fmt::format("input '{}': expected {} axes, got {}", name, rank, shape.ToString()));
  }
}

void RequireShape(const Shape& shape, const Shape& expected, std::string_view name) {
  if (shape != expected) {
    ThrowModel(fmt::format("input '{}': expected shape {}, got {}", name, expected.ToString(),
                           shape.ToString()));
  }
}

void RequireOne(const ShapeQuery& query, std::size_t input, std::string_view name) {
  if (Present(query, input) && query.inputs[input]->shape.ElementCount() != 1) {
    ThrowModel(fmt::format("input '{}': expected one value, got shape {}", name,
                           query.inputs[input]->shape.ToString()));
  }
}

std::vector<TensorType> Used(const ShapeQuery& query, std::vector<TensorType> types) {
  types.resize(static_cast<std::size_t>(query.output_count));
  return types;
}

}  // namespace halftone::shape_rules
