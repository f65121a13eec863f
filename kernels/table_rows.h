// Building blocks of kernel tables, evaluated at compile time: names, generated rows,
// concatenation.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "kernels/kernel_table.h"

namespace halftone {

// The name of a kernel, concatenated at compile time; at most 80 characters.
class KernelName {
 public:
  constexpr KernelName& Add(std::string_view text) {
    for (const char c : text) {
      text_[size_++] = c;
    }
    return *this;
  }

  [[nodiscard]] constexpr std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 80> text_{};
  std::size_t size_ = 0;
};

// Rows made by row<i>() for i from 0 to kCount - 1.
template <std::size_t kCount, typename Row>
constexpr std::array<KernelEntry, kCount> RowsOf(Row row) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<KernelEntry, kCount>{row.template operator()<i>()...};
  }
  (std::make_index_sequence<kCount>());
}

// The rows, each with these components added.
template <std::size_t kSize>
constexpr std::array<KernelEntry, kSize> MadeOf(const ComponentList& components,
                                                std::array<KernelEntry, kSize> rows) {
  for (KernelEntry& row : rows) {
    row.components.Add(components);
  }
  return rows;
}

// Concatenation of tables.
template <std::size_t... kSizes>
constexpr std::array<KernelEntry, (kSizes + ...)> Joined(
    const std::array<KernelEntry, kSizes>&... parts) {
  std::array<KernelEntry, (kSizes + ...)> all{};
  std::size_t count = 0;
  const auto add = [&](const auto& part) {
    for (const KernelEntry& entry : part) {
      all[count++] = entry;
    }
  };
  (add(parts), ...);
  return all;
}

}  // namespace halftone
