// DynamicQuantizeLSTM of com.microsoft: an LSTM with weights in 8 bits.
#include <fmt/format.h>

#include <utility>

#include "src/base/error.h"
#include "src/onnx/contrib.h"
#include "src/onnx/node_parts.h"

namespace halftone {
namespace {

// 8-bit weights [directions, in, 4 hidden] with a scale and a zero point for each direction, or for
// each column too, as the floats of LSTM, [directions, 4 hidden, in]: constants, where those are.
ValueId WeightsOf(NodeParts& parts, std::size_t weights, std::size_t scale, std::size_t zero) {
  ValueId values = parts.CastTo(parts.Input(weights), DType::kFloat32);
  const auto by_column = [&](ValueId x) {  // as [directions, 1, 1 or 4 hidden]
    return parts.Add(OpKind::kReshape, {x, parts.Integers({parts.TypeOf(values).shape[0], 1, -1})});
  };
  if (parts.Optional(zero) != kNoValue) {
    const ValueId point = by_column(parts.CastTo(parts.Optional(zero), DType::kFloat32));
    values = parts.Add(OpKind::kSub, {values, point});
  }
  values = parts.Add(OpKind::kMul, {values, by_column(parts.Input(scale))});
  Attributes attributes;
  attributes.Set("perm", std::vector<std::int64_t>{0, 2, 1});
  return parts.Add(OpKind::kTranspose, {values}, std::move(attributes));
}

}  // namespace

void ExpandDynamicQuantizeLstm(FileNode& node, GraphBuilder& builder) {
  NodeParts parts(node, builder);
  for (const std::size_t weights : {1, 2}) {
    if (const Shape& shape = parts.TypeOf(parts.Input(weights)).shape;
        shape.rank() != 3 || shape.ElementCount() == 0) {
      throw Error(
          ErrorKind::kModel,
          fmt::format("input {}: expected weights [directions, rows, 4 hidden_size], got {}",
                      weights, parts.TypeOf(parts.Input(weights)).ToString()));
    }
  }
  // X, W, R; bias, lengths, initial states and peepholes as LSTM has them.
  std::vector<ValueId> inputs = {parts.Input(0), WeightsOf(parts, 1, 8, 9),
                                 WeightsOf(parts, 2, 10, 11)};
  for (std::size_t i = 3; i < 8; ++i) {
    inputs.push_back(parts.Optional(i));
  }
  while (inputs.back() == kNoValue) {
    inputs.pop_back();
  }
  parts.Become("LSTM", std::move(inputs));
}

}  // namespace halftone
