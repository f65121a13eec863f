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

// One block with the normalisation first: LayerNormalization, one product for query, key and value,
// attention, a product, the residual sum; LayerNormalization, two products with GELU between them,
// the residual sum. [tokens, width] in and out; weights are random with the variance that keeps
// activations of about 1, and a few channels of large values as trained transformers have them.
Graph TransformerBlock(const TransformerShape& shape, std::uint64_t seed);

}  // namespace halftone
