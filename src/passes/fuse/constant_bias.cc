#include "src/passes/fuse/constant_bias.h"

namespace halftone {

ValueId ConstantBiasIn(const Graph& graph, const Node& add, ValueId product) {
  if (add.op != OpKind::kAdd || add.inputs[0] == add.inputs[1]) {
    return kNoValue;
  }
  const ValueId other = add.inputs[0] == product ? add.inputs[1] : add.inputs[0];
  const Value& bias = graph.value(other);
  const TensorType& result = graph.value(product).type;
  const std::int64_t columns = result.shape[result.shape.rank() - 1];
  const int rank = bias.type.shape.rank();
  const bool per_column = rank > 0 && bias.type.shape[rank - 1] == columns;
  const bool row = rank == 0 || (per_column && bias.type.shape.ElementCount() == columns);
  const bool same_type = graph.value(add.outputs[0]).type == result;
  return bias.constant && row && same_type ? other : kNoValue;
}

}  // namespace halftone
