#include "src/passes/pattern/fusing.h"

#include <utility>

namespace halftone {

ImplMode MostExact(ImplMode a, ImplMode b) {
  return a == ImplMode::kDefault || b == ImplMode::kHighPrecision ? b : a;
}

bool Fusing::MayFuse(const Graph& graph, std::span<const NodeId> nodes) const {
  std::vector<const Node*> pointers;
  for (const NodeId id : nodes) {
    pointers.push_back(&graph.node(id));
  }
  return MayFuse(graph, pointers);
}

Tensor Fusing::Constant(const Hash128& parameters, std::span<const Tensor> sources,
                        const std::function<Tensor()>& make) const {
  if (policy_ == nullptr) {
    return make();
  }
  Hasher hasher;
  hasher.Add(name_).Add(parameters);
  for (const Tensor& source : sources) {
    hasher.Add(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(source.data())));
    hasher.Add(source.type().ToString());
  }
  return policy_->Constant(hasher.Finish(), sources, make);
}

Tensor Fusing::Integers(std::span<const std::int64_t> values) const {
  const Hash128 key = Hasher().AddBytes(std::as_bytes(values)).Finish();
  return Constant(key, {}, [&] {
    return Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
  });
}

void Fusing::Absorb(Node& main, Node& absorbed) const {
  main.outputs = absorbed.outputs;
  AbsorbBefore(main, absorbed);
}

void Fusing::AbsorbBefore(Node& main, Node& absorbed) const {
  main.origins.insert(main.origins.end(), absorbed.origins.begin(), absorbed.origins.end());
  main.parts.insert(main.parts.end(), absorbed.parts.begin(), absorbed.parts.end());
  if (rule_.mode == FusedMode::kMostExact) {
    main.impl_mode = MostExact(main.impl_mode, absorbed.impl_mode);
  }
  absorbed.outputs.clear();
}

}  // namespace halftone
