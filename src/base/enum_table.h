// Names of enumerators, one constexpr table per enum: parsing, printing, help text and the database
// use the name in that table; numbers of enumerators never reach the disk.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace halftone {

template <typename Enum>
struct EnumRow {
  Enum value;
  std::string_view name;
  std::string_view meaning;
};

// The name of `value`; "?" for a value that has no row.
template <typename Enum, std::size_t kCount>
constexpr std::string_view NameIn(const EnumRow<Enum> (&table)[kCount], Enum value) {
  for (const auto& row : table) {
    if (row.value == value) {
      return row.name;
    }
  }
  return "?";
}

// The value whose name is exactly `name`.
template <typename Enum, std::size_t kCount>
constexpr std::optional<Enum> ValueIn(const EnumRow<Enum> (&table)[kCount], std::string_view name) {
  for (const auto& row : table) {
    if (row.name == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

// "a, b, c": the names in table order, for messages that say what was expected.
template <typename Enum, std::size_t kCount>
std::string NamesIn(const EnumRow<Enum> (&table)[kCount]) {
  std::string names;
  for (const auto& row : table) {
    if (!names.empty()) {
      names += ", ";
    }
    names += row.name;
  }
  return names;
}

}  // namespace halftone
