// Packed weights: constant operands in the layout of a kernel (panels, transformed filters). All
// calls that read the same constant in the same layout share one copy: calls for other batches,
// sequence lengths and image sizes differ in shape, not in weights.
#pragma once

#include <any>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/kernel_table.h"

namespace halftone {

// Owns every packed constant. KernelQuery::constant_ids identifies the constants. Thread-safe.
class PackedWeights {
 public:
  // The packed constant `id` of this type in the layout `form`. The first call makes it with
  // `make`; if several threads make it at the same time, all get the one that is stored first. The
  // result is a handle whose copies share the bytes. Its C++ type must be the same for equal
  // `form`.
  template <typename Make>
  auto Get(int id, const TensorType& type, std::string form, const Make& make) -> decltype(make()) {
    Key key(id, type.ToString() + " " + std::move(form));
    {
      const std::lock_guard lock(mutex_);
      const auto found = parts_.find(key);
      if (found != parts_.end()) {
        return std::any_cast<const decltype(make())&>(found->second);
      }
    }
    auto part = make();  // others may make it, too; the first one is kept
    const std::lock_guard lock(mutex_);
    const auto kept = parts_.try_emplace(std::move(key), std::move(part)).first;
    return std::any_cast<const decltype(make())&>(kept->second);
  }

  // Number of packed constants.
  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return parts_.size();
  }

 private:
  using Key = std::pair<int, std::string>;
  mutable std::mutex mutex_;
  std::map<Key, std::any> parts_;
};

// Key under which a packed constant is shared; with a null `packed`, it is not shared.
struct PackedPlace {
  PackedWeights* packed = nullptr;
  int id = -1;
  TensorType type;
  std::string part;  // part of the constant: "direction 1"; empty: all
};

// Key of the constant `operand`. An operand that is not constant, or has no id, is not shared.
inline PackedPlace PlaceOfConstant(const KernelQuery& query, std::size_t operand,
                                   std::string part = {}) {
  const Tensor* constant = query.Constant(operand);
  const int id = operand < query.constant_ids.size() ? query.constant_ids[operand] : -1;
  if (constant == nullptr || id < 0) {
    return {};
  }
  return {query.packed, id, constant->type(), std::move(part)};
}

// The result of `make`, from this call or an earlier one with the same key. `form` returns a text
// that describes everything else that the result depends on: the packing kernel, layout, extents,
// strides. Two kernels may use the same text only if they pack alike.
template <typename Form, typename Make>
auto PackOnce(const PackedPlace& place, const Form& form, const Make& make) -> decltype(make()) {
  if (place.packed == nullptr) {
    return make();
  }
  return place.packed->Get(place.id, place.type, form() + " " + place.part, make);
}

}  // namespace halftone
