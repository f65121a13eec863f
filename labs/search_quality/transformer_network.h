// Generated network: blocks of a transformer, as a graph without a file.
#pragma once

#include <cstdint>

#include "src/ir/graph.h"

namespace halftone {

struct TransformerShape {
  std::int64_t tokens = 64;
  std::int64_t width = 128;
  std::int64_t heads = 4;
  std::int64_t hidden = 512;
};

// One block with the normalisation first: LayerNormalization, a product each for query, key and
// value, attention, a product, the residual sum; then LayerNormalization, two products with GELU
// between them, the residual sum. Input and output are [tokens, width]. Weights are random with a
// variance that keeps activations at about 1. A few channels have large values, as in trained
// transformers.
Graph TransformerBlock(const TransformerShape& shape, std::uint64_t seed);

}  // namespace halftone
