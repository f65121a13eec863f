// Constants of several graphs of one model (other input shapes, other samples), held once: passes
// make the same folded weights for each of them.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "src/base/hash.h"
#include "src/ir/graph.h"

namespace halftone {

// Keeps every constant that it has seen for as long as it lives. Not thread safe.
class ConstantPool {
 public:
  // Constants of the graph that have type and bytes of one seen before become that tensor.
  void Share(Graph& graph);

  // Bytes of the constants that it keeps.
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::unordered_map<Hash128, std::vector<Tensor>> tensors_;
  std::size_t size_bytes_ = 0;
};

}  // namespace halftone
