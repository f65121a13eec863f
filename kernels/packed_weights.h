// What kernels make of constant operands (panels, transformed filters), kept once for all calls
// that read the same constant the same way: those of other batches, sequences and images differ in
// shape, not in weights.
#pragma once

#include <any>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "kernels/kernel_table.h"

namespace halftone {

// Keeps every part for as long as it lives. Whoever puts it into a KernelQuery promises that the
// constants of that query live as long: they are known by their address. Not thread safe.
class PackedWeights {
 public:
  // The part of `constant` in this form; `make` is called the first time. A part is a handle whose
  // copies share the bytes, of one type per form.
  template <typename Make>
  auto Get(const Tensor& constant, std::string form, const Make& make) -> decltype(make()) {
    Key key(constant.data(), constant.type().ToString() + " " + std::move(form));
    auto found = parts_.find(key);
    if (found == parts_.end()) {
      found = parts_.emplace(std::move(key), make()).first;
    }
    return std::any_cast<const decltype(make())&>(found->second);
  }

  // Parts that are kept.
  [[nodiscard]] std::size_t size() const { return parts_.size(); }

 private:
  using Key = std::pair<const void*, std::string>;
  std::map<Key, std::any> parts_;
};

// Where a part of a constant is kept: null `packed`, it is not.
struct PackedPlace {
  PackedWeights* packed = nullptr;
  const Tensor* constant = nullptr;
  std::string part;  // which: "direction 1"; empty: all of it
};

inline PackedPlace PlaceOfConstant(const KernelQuery& query, std::size_t operand,
                                   std::string part = {}) {
  return {query.packed, query.Constant(operand), std::move(part)};
}

// The part that `make` makes, or that a call before it made. `form` gives a text of all that it
// depends on but the constant: who packs (two kernels may share a form only when they pack alike),
// layout, extents, strides.
template <typename Form, typename Make>
auto PackOnce(const PackedPlace& place, const Form& form, const Make& make) -> decltype(make()) {
  if (place.packed == nullptr) {
    return make();
  }
  return place.packed->Get(*place.constant, form() + " " + place.part, make);
}

}  // namespace halftone
