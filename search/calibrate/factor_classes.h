// Classes of values that share channel factors in 8 bits (ChannelFactors,
// src/quantization/quantization.h), because the operators between these values keep channels apart.
#pragma once

#include <limits>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct FactorClass {
  struct Member {
    ValueId value = kNoValue;
    int axis = 0;  // axis of its channels
  };

  struct Reader {
    NodeId product = kNoNode;
    ValueId value = kNoValue;  // the member that is its first operand
  };

  std::vector<Member> members;  // the others are computed from the first
  std::vector<Reader> readers;
  // True: a member is an output of the network, or an operator without an integer form reads it.
  bool is_read_in_float = false;
  bool is_made_by_table = false;  // true: a function by a table makes members[0]
  // Operand of the function by a table that makes members[0]; it may have factors of its own. Its
  // value is kNoValue if there is no such operand, if it is an output or another node reads it, or
  // if no product with constant weights makes it.
  Member front;
  // Upper end of the Clip from 0 that makes members[0]; infinite without one.
  double bound = std::numeric_limits<double>::infinity();
};

// All classes of a graph; a value is in at most one of them. The first member is an input of the
// network, or the result of one of these operators:
// - a product with constant weights, or the Clip from 0 that runs in its step
// - an operator without an integer form, such as LayerNormalization
// - a function by a table, such as SiLU or HardSwish, if only depthwise convolutions read the class
// The other members are results of operators that keep channels (KeptChannelAxis(),
// src/exec/channel_factors.h), such as Relu. Every reader of a member must be an operator that
// keeps channels, a product with constant weights that sums over the channels, or an operator
// without an integer form; at least one must be such a product. Any other reader, such as a sum
// with a residual or a function by a table, rules the class out.
std::vector<FactorClass> FactorClasses(const Graph& graph);

}  // namespace halftone
