// Pool of constants that several graphs of one model share. The graphs differ in input shapes or
// samples, and passes make equal folded weights for each.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "src/base/hash.h"
#include "src/ir/graph.h"

namespace halftone {

// Owns one copy of each constant that it has seen. Not thread safe.
class ConstantPool {
 public:
  // Replaces each constant of the graph by the first constant seen with its type and bytes.
  void Share(Graph& graph);

  // Bytes of the constants in the pool.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::unordered_map<Hash128, std::vector<Tensor>> tensors_;
  std::size_t size_bytes_ = 0;
};

}  // namespace halftone
