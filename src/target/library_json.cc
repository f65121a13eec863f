#include "src/target/library_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/target/ini_file.h"

namespace halftone {
namespace {

// The N of "<prefix>N"; empty for other keys, also for "input01".
std::optional<std::size_t> NumberOf(std::string_view key, std::string_view prefix) {
  if (!key.starts_with(prefix)) {
    return std::nullopt;
  }
  const std::string_view digits = key.substr(prefix.size());
  std::size_t number = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = code == std::errc() && end == digits.data() + digits.size();
  return whole && fmt::format("{}", number) == digits ? std::optional(number) : std::nullopt;
}

}  // namespace

const std::string* LibraryEntry::Find(std::string_view item, std::string_view field) const {
  const auto found_item = items_.find(item);
  if (found_item == items_.end()) {
    return nullptr;
  }
  // A scalar in place of the object stands under the empty name.
  for (const std::string_view name : {field, std::string_view()}) {
    const auto found = found_item->second.find(name);
    if (found == found_item->second.end()) {
      continue;
    }
    if (name.empty()) {
      Throw(item, fmt::format("expected an object, found {}", found->second.wrong_type));
    }
    if (!found->second.wrong_type.empty()) {
      Throw(fmt::format("{}.{}", item, field),
            fmt::format("expected a string, found {}", found->second.wrong_type));
    }
    return &found->second.text;
  }
  return nullptr;
}

bool LibraryEntry::IsTrue(std::string_view item, std::string_view field) const {
  const std::string* text = Find(item, field);
  if (text != nullptr && *text != "true" && *text != "false") {
    Throw(fmt::format("{}.{}", item, field),
          fmt::format("expected \"true\" or \"false\", found {}", Quoted(*text)));
  }
  return text != nullptr && *text == "true";
}

void LibraryEntry::Throw(std::string_view key, std::string_view what) const {
  throw Error(ErrorKind::kUsage, fmt::format("{}: type '{}': {}: {}", where_, type_, key, what));
}

std::vector<LibraryEntry> ReadLibraryJson(std::string_view text, std::string_view where) {
  const nlohmann::json document = ParseStrictJson(text, where);
  if (!document.is_object()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected an object of operator types, found {}",
                                               where, JsonTypeName(document)));
  }
  std::vector<LibraryEntry> entries;
  for (const auto& [type, items] : document.items()) {
    if (!items.is_object()) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: type '{}': expected an object, found {}",
                                                 where, type, JsonTypeName(items)));
    }
    LibraryEntry& entry = entries.emplace_back(type, std::string(where));
    for (const auto& [item, fields] : items.items()) {
      entry.AddItem(item);
      if (!fields.is_object()) {
        entry.Add(item, "", {"", JsonTypeName(fields)});
        continue;
      }
      for (const auto& [field, value] : fields.items()) {
        const bool text_value = value.is_string();
        entry.Add(item, field,
                  {text_value ? value.get<std::string>() : std::string(),
                   text_value ? std::string_view() : JsonTypeName(value)});
      }
    }
  }
  return entries;
}

std::vector<std::string> NumberedItems(const LibraryEntry& entry,
                                       const std::vector<std::string_view>& prefixes) {
  std::map<std::size_t, std::string> by_number;
  for (const auto& [key, item] : entry.items()) {
    for (const std::string_view prefix : prefixes) {
      const auto number = NumberOf(key, prefix);
      if (!number) {
        continue;
      }
      const auto [place, added] = by_number.emplace(*number, key);
      if (!added) {
        entry.Throw(key,
                    fmt::format("op library corrupt: '{}' has the same number", place->second));
      }
    }
  }
  std::vector<std::string> keys;
  for (const auto& [number, key] : by_number) {
    if (number != keys.size()) {
      entry.Throw(
          key, fmt::format("op library corrupt: '{}{}' is missing", prefixes.front(), keys.size()));
    }
    keys.push_back(key);
  }
  return keys;
}

bool IsForeignDType(std::string_view name) {
  constexpr std::string_view kForeign[] = {
      "complex32",   "complex64",     "complex128",    "string",         "resource",
      "variant",     "dual",          "dual_sub_int8", "dual_sub_uint8", "qint8",
      "quint8",      "qint16",        "quint16",       "qint32",         "int2",
      "int4",        "uint1",         "uint2",         "string_ref",     "hifloat8",
      "float8_e5m2", "float8_e4m3fn", "float8_e8m0",   "float6_e3m2",    "float6_e2m3",
      "float4_e2m1", "float4_e1m2",   "undefined"};
  return std::find(std::begin(kForeign), std::end(kForeign), name) != std::end(kForeign);
}

}  // namespace halftone
