#include "src/ir/attributes.h"

#include <fmt/format.h>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::string_view kKinds[] = {
    "an integer",       "a float",         "a text",  "a list of integers",
    "a list of floats", "a list of texts", "a tensor"};
static_assert(std::size(kKinds) == std::variant_size_v<Attribute>);

template <typename T>
const T* Find(const std::map<std::string, Attribute, std::less<>>& values, std::string_view name) {
  const auto found = values.find(name);
  if (found == values.end()) {
    return nullptr;
  }
  if (const T* value = std::get_if<T>(&found->second)) {
    return value;
  }
  throw Error(ErrorKind::kModel,
              fmt::format("attribute '{}': expected {}, got {}", name,
                          kKinds[Attribute(T{}).index()], kKinds[found->second.index()]));
}

template <typename T>
T ValueOr(const T* value, T fallback) {
  return value != nullptr ? *value : std::move(fallback);
}

}  // namespace

void Attributes::Erase(std::string_view name) {
  const auto found = values_.find(name);
  if (found != values_.end()) {
    values_.erase(found);
  }
}

std::int64_t Attributes::Int(std::string_view name, std::int64_t fallback) const {
  return ValueOr(Find<std::int64_t>(values_, name), fallback);
}

float Attributes::Float(std::string_view name, float fallback) const {
  return ValueOr(Find<float>(values_, name), fallback);
}

std::string Attributes::Text(std::string_view name, std::string_view fallback) const {
  return ValueOr(Find<std::string>(values_, name), std::string(fallback));
}

std::vector<std::int64_t> Attributes::Ints(std::string_view name,
                                           std::vector<std::int64_t> fallback) const {
  return ValueOr(Find<std::vector<std::int64_t>>(values_, name), std::move(fallback));
}

std::vector<float> Attributes::Floats(std::string_view name, std::vector<float> fallback) const {
  return ValueOr(Find<std::vector<float>>(values_, name), std::move(fallback));
}

const Tensor* Attributes::TensorOrNull(std::string_view name) const {
  return Find<Tensor>(values_, name);
}

}  // namespace halftone
