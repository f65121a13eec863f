#include "src/aoe/tune_ops_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

struct ListRow {
  const char* key;
  std::set<std::string, std::less<>> TuneOps::*list;
};

constexpr ListRow kLists[] = {
    {"tune_ops_name", &TuneOps::names},
    {"tune_ops_type", &TuneOps::types},
};

[[noreturn]] void Throw(std::string_view file_name, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file_name, what));
}

const ListRow* FindList(std::string_view key) {
  for (const ListRow& row : kLists) {
    if (row.key == key) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

TuneOps ParseTuneOps(std::string_view content, std::string_view file_name) {
  const nlohmann::json document = ParseStrictJson(content, file_name);
  if (!document.is_object()) {
    Throw(file_name, fmt::format("expected an object with tune_ops_name or tune_ops_type, found {}",
                                 JsonTypeName(document)));
  }
  TuneOps ops;
  for (const auto& [key, list] : document.items()) {
    const ListRow* row = FindList(key);
    if (row == nullptr) {
      Throw(file_name, fmt::format("the key '{}' is not known; expected tune_ops_name or "
                                   "tune_ops_type",
                                   Shown(key)));
    }
    if (!list.is_array()) {
      Throw(file_name,
            fmt::format("{}: expected an array of strings, found {}", key, JsonTypeName(list)));
    }
    for (const auto& item : list) {
      if (!item.is_string() || item.get_ref<const std::string&>().empty()) {
        Throw(file_name, fmt::format("{}: expected names, found {}", key,
                                     item.is_string() ? "an empty one" : JsonTypeName(item)));
      }
      (ops.*row->list).insert(item.get<std::string>());
    }
  }
  if (document.empty()) {
    Throw(file_name, "expected tune_ops_name or tune_ops_type, found neither");
  }
  return ops;
}

}  // namespace halftone
