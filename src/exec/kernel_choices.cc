#include "src/exec/kernel_choices.h"

#include "src/exec/operator_signature.h"

namespace halftone {

std::string_view KernelChoices::Find(const KernelQuery& query) const {
  if (kernels_.empty()) {
    return {};
  }
  const auto found = kernels_.find(OperatorSignature(query, threads_));
  return found == kernels_.end() ? std::string_view() : std::string_view(found->second);
}

KernelChoices KernelChoices::For(const Graph& graph) const {
  KernelChoices choices(threads_);
  const auto places = PlacesOf(graph);
  for (const auto& [signature, kernel] : kernels_) {
    if (IsOnThreads(signature, threads_) && places.contains(PlaceOf(signature))) {
      choices.Set(signature, kernel);
    }
  }
  return choices;
}

Hash128 KernelChoices::Digest() const {
  if (kernels_.empty()) {
    return {};
  }
  Hasher hasher;
  for (const auto& [signature, kernel] : kernels_) {
    hasher.Add(signature).Add(kernel);
  }
  return hasher.Finish();
}

}  // namespace halftone
