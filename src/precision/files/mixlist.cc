#include "src/precision/files/mixlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"
#include "src/precision/files/config_lines.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr std::string_view kToAdd = "to-add";
constexpr std::string_view kToRemove = "to-remove";

struct ListRow {
  std::string_view key;
  MixPolicy policy;
  MixlistChange Mixlist::*change;
};

constexpr ListRow kLists[] = {
    {"black-list", MixPolicy::kBlack, &Mixlist::black},
    {"gray-list", MixPolicy::kGray, &Mixlist::gray},
    {"white-list", MixPolicy::kWhite, &Mixlist::white},
};

// Source: published behaviour of the graph engine. A to-add to the gray list alone is legal and
// changes nothing there; `gray` with to-remove moves.
constexpr MixlistCombination kCombinations[] = {
    {"", "black", "gray"},      {"", "white", "gray"},       {"gray", "", ""},
    {"gray", "black", "gray"},  {"gray", "white", "gray"},   {"white", "", "white"},
    {"white", "gray", "white"}, {"white", "black", "white"}, {"black", "", "black"},
    {"black", "gray", "black"}, {"black", "white", "black"},
};

// Lists that name one type.
struct Mentions {
  std::vector<std::string_view> to_add;     // names of policies
  std::vector<std::string_view> to_remove;  // likewise
};

std::map<std::string, Mentions> MentionsOf(const Mixlist& mixlist) {
  std::map<std::string, Mentions> mentions;
  for (const ListRow& row : kLists) {
    const MixlistChange& change = mixlist.*row.change;
    for (const std::string& type : change.to_add) {
      mentions[type].to_add.push_back(NameOf(row.policy));
    }
    for (const std::string& type : change.to_remove) {
      mentions[type].to_remove.push_back(NameOf(row.policy));
    }
  }
  return mentions;
}

std::string ListsText(const std::vector<std::string_view>& policies, std::string_view verb) {
  std::vector<std::string> lists;
  lists.reserve(policies.size());
  for (const std::string_view policy : policies) {
    lists.push_back(fmt::format("{} of {}-list", verb, policy));
  }
  return Join(lists, " and ");
}

// Error for a combination that is not in the table.
const MixlistCombination& CombinationOf(const std::string& type, const Mentions& mentions,
                                        std::string_view where) {
  const std::string_view add = mentions.to_add.empty() ? "" : mentions.to_add.front();
  const std::string_view remove = mentions.to_remove.empty() ? "" : mentions.to_remove.front();
  const auto found =
      std::find_if(std::begin(kCombinations), std::end(kCombinations),
                   [&](const auto& row) { return row.to_add == add && row.to_remove == remove; });
  if (found != std::end(kCombinations) && mentions.to_add.size() <= 1 &&
      mentions.to_remove.size() <= 1) {
    return *found;
  }
  std::vector<std::string> named;
  for (const auto& text :
       {ListsText(mentions.to_add, kToAdd), ListsText(mentions.to_remove, kToRemove)}) {
    if (!text.empty()) {
      named.push_back(text);
    }
  }
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: operator type {} stands in {}; legal are one to-add, one to-remove "
                          "of another list (white or black), or both",
                          where, QuotedLine(type), Join(named, " and ")));
}

[[noreturn]] void ThrowWrongType(std::string_view where, std::string_view what,
                                 std::string_view expected, const json& found) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format("{}: {}: expected {}, found {}{}", where, what, expected, JsonTypeName(found),
                  found.is_null() ? "" : " " + found.dump(-1, ' ', true).substr(0, 40)));
}

std::vector<std::string> TypesOf(const json& array, std::string_view where, std::string_view what) {
  if (!array.is_array()) {
    ThrowWrongType(where, what, "an array of operator types", array);
  }
  std::set<std::string> types;
  for (const json& item : array) {
    if (!item.is_string()) {
      ThrowWrongType(where, what, "operator types as strings", item);
    }
    if (Trim(item.get<std::string>()).empty()) {
      throw Error(
          ErrorKind::kUsage,
          fmt::format("{}: {}: expected an operator type, found an empty text", where, what));
    }
    types.insert(item.get<std::string>());
  }
  return {types.begin(), types.end()};
}

MixlistChange ChangeOf(const json& list, std::string_view where, std::string_view key) {
  if (!list.is_object()) {
    ThrowWrongType(where, key, "an object with to-add and to-remove", list);
  }
  MixlistChange change;
  for (const auto& [name, value] : list.items()) {
    const std::string what = fmt::format("{}.{}", key, name);
    if (name == kToAdd) {
      change.to_add = TypesOf(value, where, what);
    } else if (name == kToRemove) {
      change.to_remove = TypesOf(value, where, what);
    } else {
      throw Error(ErrorKind::kUsage, fmt::format("{}: {} has the unknown key {}; expected {} or {}",
                                                 where, key, QuotedLine(name), kToAdd, kToRemove));
    }
  }
  return change;
}

void AppendTypes(json& list, std::string_view key, const std::vector<std::string>& types) {
  if (!types.empty()) {
    list[std::string(key)] = types;
  }
}

}  // namespace

std::span<const MixlistCombination> MixlistCombinations() {
  return kCombinations;
}

Mixlist ParseMixlist(std::string_view content, std::string_view file_name) {
  const json document = ParseStrictJson(content, file_name);
  if (!document.is_object()) {
    ThrowWrongType(file_name, "top level", "an object", document);
  }
  Mixlist mixlist;
  for (const auto& item : document.items()) {
    const std::string& key = item.key();
    const auto row = std::find_if(std::begin(kLists), std::end(kLists),
                                  [&](const ListRow& list) { return list.key == key; });
    if (row == std::end(kLists)) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: unknown key {}; expected black-list, "
                                                 "white-list or gray-list",
                                                 file_name, QuotedLine(key)));
    }
    mixlist.*row->change = ChangeOf(item.value(), file_name, key);
  }
  for (const auto& [type, mentions] : MentionsOf(mixlist)) {
    CombinationOf(type, mentions, file_name);
  }
  return mixlist;
}

std::string FormatMixlist(const Mixlist& mixlist) {
  json document = json::object();
  for (const ListRow& row : kLists) {
    const MixlistChange& change = mixlist.*row.change;
    json list = json::object();
    AppendTypes(list, kToAdd, change.to_add);
    AppendTypes(list, kToRemove, change.to_remove);
    if (!list.empty()) {
      document[std::string(row.key)] = std::move(list);
    }
  }
  return document.dump(2) + "\n";
}

MixPolicies::MixPolicies(const std::optional<Mixlist>& mixlist, const TargetSpec& target,
                         std::vector<std::string>& warnings) {
  if (!mixlist) {
    return;
  }
  for (const auto& [type, mentions] : MentionsOf(*mixlist)) {
    const MixlistCombination& row = CombinationOf(type, mentions, "--modify_mixlist");
    const auto op = target.ai_core.find(type);
    if (op == target.ai_core.end()) {
      warnings.push_back(
          fmt::format("--modify_mixlist: {} has no effect: {} has no such operator "
                      "type",
                      QuotedLine(type), target.name));
      continue;
    }
    const std::string_view built_in = NameOf(op->second.policy);
    if (!row.to_remove.empty() && row.to_remove != built_in) {
      warnings.push_back(fmt::format(
          "--modify_mixlist: to-remove of {}-list has no effect for '{}', which is {} on {}",
          row.to_remove, type, built_in, target.name));
    }
    // A to-remove that does not apply leaves what the to-add alone says.
    const bool removes = row.to_remove.empty() || row.to_remove == built_in;
    const std::string_view becomes =
        removes ? row.becomes : (row.to_add == "gray" ? "" : row.to_add);
    if (becomes.empty()) {
      if (row.to_add == "gray") {
        warnings.push_back(
            fmt::format("--modify_mixlist: to-add of gray-list alone leaves '{}' "
                        "{}; add to-remove of {}-list to move it",
                        type, built_in, built_in));
      }
      continue;
    }
    changed_[type] = *ValueIn(kMixPolicies, becomes);
  }
}

MixPolicy MixPolicies::Of(std::string_view ir_type, MixPolicy built_in) const {
  const auto found = changed_.find(ir_type);
  return found == changed_.end() ? built_in : found->second;
}

}  // namespace halftone
