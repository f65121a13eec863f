#include "src/ir/constant_pool.h"

#include <algorithm>

namespace halftone {
namespace {

bool IsSame(const Tensor& a, const Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

}  // namespace

void ConstantPool::Share(Graph& graph) {
  for (Value& value : graph.values) {
    if (!value.constant || value.constant->size_bytes() == 0) {
      continue;
    }
    const Tensor& tensor = *value.constant;
    std::vector<Tensor>& alike =
        tensors_[Hasher().Add(tensor.type().ToString()).AddBytes(tensor.bytes()).Finish()];
    const auto known =
        std::ranges::find_if(alike, [&](const Tensor& other) { return IsSame(other, tensor); });
    if (known != alike.end()) {
      value.constant = *known;
    } else {
      alike.push_back(tensor);
      size_bytes_ += tensor.size_bytes();
    }
  }
}

}  // namespace halftone
