// Attributes of a node as ONNX has them, except subgraphs, which the importer folds or refuses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, Tensor>;

// A value. The reading functions return the fallback if the attribute is absent. Error kModel,
// which names the attribute, if it has another type.
class Attributes {
 public:
  void Set(std::string name, Attribute value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  void Erase(std::string_view name);

  [[nodiscard]] bool Has(std::string_view name) const {
    return values_.find(name) != values_.end();
  }

  [[nodiscard]] std::int64_t Int(std::string_view name, std::int64_t fallback) const;
  [[nodiscard]] float Float(std::string_view name, float fallback) const;
  [[nodiscard]] std::string Text(std::string_view name, std::string_view fallback) const;
  [[nodiscard]] std::vector<std::int64_t> Ints(std::string_view name,
                                               std::vector<std::int64_t> fallback = {}) const;
  [[nodiscard]] std::vector<float> Floats(std::string_view name,
                                          std::vector<float> fallback = {}) const;
  // Null: the attribute is absent.
  [[nodiscard]] const Tensor* TensorOrNull(std::string_view name) const;

  [[nodiscard]] const std::map<std::string, Attribute, std::less<>>& values() const {
    return values_;
  }

 private:
  std::map<std::string, Attribute, std::less<>> values_;
};

}  // namespace halftone
