#include "src/exec/call_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "src/ir/layout.h"
#include "src/ir/op_table.h"

namespace halftone {
namespace {

double Log2(std::int64_t extent) {
  return std::log2(static_cast<double>(std::max<std::int64_t>(extent, 1)));
}

// Operands of a call that carry its extents, and its kind and sizes by them.
struct Extents {
  std::string_view kind;
  std::vector<std::int64_t> sizes;
};

struct Row {
  OpKind op;
  std::size_t data;     // index of the operand
  std::size_t weights;  // likewise
  Extents (*extents)(const KernelQuery& query, const Shape& data, const Shape& weights);
};

// Pixels of the result in all images, channels of a group in and out, taps, groups, and the product
// of the strides.
Extents ConvExtents(const KernelQuery& query, const Shape& /*data*/, const Shape& weights) {
  const Shape& result = query.outputs.at(0)->shape;
  const std::int64_t channels = weights[0];
  const std::int64_t group = query.attributes->Int("group", 1);
  const std::int64_t out = channels / std::max<std::int64_t>(group, 1);
  std::int64_t strides = 1;
  for (const std::int64_t stride : query.attributes->Ints("strides")) {
    strides *= stride;
  }
  const std::string_view kind = group == 1                    ? "dense"
                                : weights[1] == 1 && out == 1 ? "depthwise"
                                                              : "grouped";
  return {kind,
          {result.ElementCount() / std::max<std::int64_t>(channels, 1), weights[1], out,
           weights.ElementCount(2, weights.rank()), group, strides}};
}

// Rows of a product, columns, terms of a sum, and products.
Extents ProductExtents(const KernelQuery& query, const Shape& data, const Shape& weights) {
  const Shape& result = query.outputs.at(0)->shape;
  const bool turned = query.op == OpKind::kGemm && query.attributes->Int("transA", 0) != 0;
  const std::int64_t terms = turned ? data[0] : data[data.rank() - 1];
  const std::int64_t columns = weights.rank() > 1 ? result[result.rank() - 1] : 1;
  const std::int64_t rows_of_all = result.ElementCount() / std::max<std::int64_t>(columns, 1);
  // One matrix of weights serves the rows of all batches.
  const std::int64_t products =
      weights.rank() > 2 ? weights.ElementCount(0, weights.rank() - 2) : 1;
  return {products > 1 ? "of batches" : "of one matrix",
          {rows_of_all / std::max<std::int64_t>(products, 1), columns, terms, products}};
}

constexpr Row kRows[] = {
    {OpKind::kConv, 0, 1, ConvExtents},
    {OpKind::kQLinearConv, 0, 3, ConvExtents},
    {OpKind::kGemm, 0, 1, ProductExtents},
    {OpKind::kMatMul, 0, 1, ProductExtents},
    {OpKind::kQLinearMatMul, 0, 3, ProductExtents},
};

}  // namespace

std::optional<CallShape> CallShapeOf(const KernelQuery& query) {
  const auto* const row = std::ranges::find(kRows, query.op, &Row::op);
  if (row == std::end(kRows) || query.Input(row->data) == nullptr ||
      query.Input(row->weights) == nullptr || query.outputs.empty() ||
      query.outputs[0] == nullptr) {
    return std::nullopt;
  }
  const TensorType& data = *query.Input(row->data);
  const TensorType& weights = *query.Input(row->weights);
  const bool is_conv = row->extents == ConvExtents;
  if (data.shape.rank() == 0 || (is_conv && weights.shape.rank() < 3)) {
    return std::nullopt;
  }
  const Extents extents = row->extents(query, data.shape, weights.shape);
  CallShape shape;
  shape.family =
      fmt::format("{} {}{}{}: {}, {} -> {}", InfoOf(query.op).name, extents.kind,
                  query.layout.channels_last ? ", channels last" : "",
                  query.Constant(row->weights) != nullptr ? ", constant weights" : "",
                  NameOf(data.dtype), NameOf(weights.dtype), NameOf(query.outputs[0]->dtype));
  for (const std::int64_t size : extents.sizes) {
    shape.sizes.push_back(Log2(size));
  }
  return shape;
}

bool HasCallShape(OpKind op) {
  return std::ranges::find(kRows, op, &Row::op) != std::end(kRows);
}

}  // namespace halftone
