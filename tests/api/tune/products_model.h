// A network of products for tests of operator tuning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/api/halftone.h"
#include "src/ir/graph.h"
#include "tests/support/graph_builder.h"

namespace halftone {

// A chain of products [4, widths[0]] -> [4, widths[1]] -> ...
inline Model Products(const std::vector<std::int64_t>& widths) {
  testing::GraphBuilder builder;
  ValueId x = builder.Input("x", {4, widths[0]});
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    const ValueId w = builder.Constant("w" + std::to_string(i),
                                       Tensor(DType::kFloat32, {widths[i], widths[i + 1]}));
    x = builder.Add(OpKind::kMatMul, "mm" + std::to_string(i), {x, w});
  }
  Model model;
  model.graph = builder.Finish({x});
  model.name = "products";
  model.hash = HashOf(model.graph);
  model.input_shapes = "x:4," + std::to_string(widths[0]);
  return model;
}

}  // namespace halftone
