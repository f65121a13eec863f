// Values of a network that share channel factors in 8 bits (ChannelFactors,
// src/quantization/quantization.h), because the operators between them keep channels apart.
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
    ValueId value = kNoValue;  // a member, its first operand
  };

  std::vector<Member> members;  // the others are computed from the first
  std::vector<Reader> readers;
  bool is_read_in_float = false;
  bool is_made_by_table = false;  // a function by a table makes members[0]
  // Operand of the function by a table that makes members[0]; it may have factors of its own. Its
  // value is kNoValue if there is no such operand, if another node reads it, or if no product with
  // constant weights makes it.
  Member front;
  // Upper end of the Clip from 0 that follows the product of members[0]; infinite without one.
  double bound = std::numeric_limits<double>::infinity();
};

// All classes of a graph; a value is in at most one. The first member is an input of the network,
// or is made by: a product with constant weights, optionally followed by Relu, LeakyRelu, PRelu or
// a Clip from 0; an operator without an integer form (LayerNormalization); or a function by a table
// (SiLU, HardSwish), if depthwise convolutions alone read the class. Operators that keep channels
// (KeptChannelAxis(), src/exec/channel_factors.h) make the other members. Every reader of a member
// must be such an operator, a product with constant weights that sums over the channels, or an
// operator without an integer form; at least one must be such a product. Any other reader, such as
// a sum with a residual or a function by a table, rules the class out.
std::vector<FactorClass> FactorClasses(const Graph& graph);

}  // namespace halftone
