// Values of a network that can have channel factors in 8 bits (ChannelFactors,
// src/quantization/quantization.h), together, because operators between them keep their channels.
#pragma once

#include <limits>
#include <vector>

#include "src/ir/graph.h"

namespace halftone {

struct FactorClass {
  struct Member {
    ValueId value = kNoValue;
    int axis = 0;  // of its channels
  };

  struct Reader {
    NodeId product = kNoNode;
    ValueId value = kNoValue;  // a member, its first operand
  };

  std::vector<Member> members;  // the others are made of the first
  std::vector<Reader> readers;
  bool is_read_in_float = false;
  bool is_made_by_table = false;  // members[0], by a function whose operand it does not share
  // The operand of the function by a table that makes members[0]: it may have factors of its own.
  // Value kNoValue: there is none, or others read it, or no product with constant weights makes it.
  Member front;
  // The greatest number that the operator behind the maker of members[0], a Clip from 0, lets
  // through.
  double bound = std::numeric_limits<double>::infinity();
};

// All classes; a value is in one at most. The first member is made by a product with constant
// weights, with nothing, Relu, LeakyRelu, PRelu or a Clip from 0 behind it, by an operator without
// an integer form (LayerNormalization), by a function by a table (SiLU, HardSwish) where depthwise
// convolutions alone read the class, or is an input of the network. The others follow by operators
// that keep channels (KeptChannelAxis(), src/exec/channel_factors.h). Every reader of a member is
// one of these, a product with constant weights that sums over the channels, at least one of them,
// or an operator without an integer form. One other reader, a sum with a residual or a function by
// a table, and there is no class.
std::vector<FactorClass> FactorClasses(const Graph& graph);

}  // namespace halftone
