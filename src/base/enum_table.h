// Names of enumerators: one constexpr table per enum, for parsing, messages, help texts and files.
// Files and databases hold names, never the numbers of enumerators.
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

// Returns the name of `value`; "?" for a value without a row.
template <typename Enum, std::size_t kCount>
constexpr std::string_view NameIn(const EnumRow<Enum> (&table)[kCount], Enum value) {
  for (const auto& row : table) {
    if (row.value == value) {
      return row.name;
    }
  }
  return "?";
}

// Returns the value with exactly this name; empty: there is none.
template <typename Enum, std::size_t kCount>
constexpr std::optional<Enum> ValueIn(const EnumRow<Enum> (&table)[kCount], std::string_view name) {
  for (const auto& row : table) {
    if (row.name == name) {
      return row.value;
    }
  }
  return std::nullopt;
}

// Returns the names in the order of the table, for messages: "a, b, c".
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
