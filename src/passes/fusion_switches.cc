#include "src/passes/fusion_switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "src/base/error.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr const char* kSwitch = "Switch";
constexpr std::string_view kAll = "ALL";
constexpr std::string_view kOn = "on";
constexpr std::string_view kOff = "off";

[[noreturn]] void Throw(std::string_view file_name, std::string_view what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}", file_name, what));
}

std::vector<std::string_view> FusionsOf(FusionKind kind) {
  std::vector<std::string_view> names;
  for (const Pass& pass : AllPasses()) {
    if (pass.fusion == kind) {
      names.push_back(pass.name);
    }
  }
  return names;
}

// "GraphFusion", "UBFusion"; empty for other words.
std::optional<FusionKind> GroupNamed(std::string_view name) {
  const auto kind = ValueIn(kFusionKinds, name);
  return kind == FusionKind::kNone ? std::nullopt : kind;
}

bool IsOff(const json& value, std::string_view file_name, std::string_view what) {
  if (value.is_string() && (value == kOn || value == kOff)) {
    return value == kOff;
  }
  Throw(file_name,
        fmt::format("{}: expected \"on\" or \"off\", found {}{}", what, JsonTypeName(value),
                    value.is_null() ? "" : " " + Shown(value.dump(-1, ' ', true))));
}

void ReadGroup(const json& group, FusionKind kind, std::string_view file_name, FusionNames& off,
               std::vector<std::string>& unknown) {
  const std::string_view group_name = NameIn(kFusionKinds, kind);
  if (!group.is_object()) {
    Throw(file_name, fmt::format("{}: expected an object with names of fusions, found {}",
                                 group_name, JsonTypeName(group)));
  }
  const std::vector<std::string_view> fusions = FusionsOf(kind);
  if (const auto all = group.find(kAll); all != group.end()) {
    if (IsOff(*all, file_name, fmt::format("{}.{}", group_name, kAll))) {
      off.insert(fusions.begin(), fusions.end());
    }
  }
  for (const auto& [name, value] : group.items()) {
    if (name == kAll) {
      continue;
    }
    const bool is_off = IsOff(value, file_name, fmt::format("{}.{}", group_name, Shown(name)));
    if (std::find(fusions.begin(), fusions.end(), name) == fusions.end()) {
      unknown.push_back(name);
    } else if (is_off) {
      off.insert(name);
    } else {
      off.erase(name);
    }
  }
}

void CheckStructure(const json& document, std::string_view file_name) {
  std::string found;
  if (!document.is_object()) {
    found = JsonTypeName(document);
  } else if (!document.contains(kSwitch)) {
    found = document.empty() ? "{}" : fmt::format("the key '{}'", Shown(document.begin().key()));
  } else if (document.size() > 1) {
    const auto other =
        document.begin().key() == kSwitch ? std::next(document.begin()) : document.begin();
    found = fmt::format("the key '{}' besides", Shown(other.key()));
  } else if (!document[kSwitch].is_object()) {
    found = fmt::format("{} as value of '{}'", JsonTypeName(document[kSwitch]), kSwitch);
  }
  if (!found.empty()) {
    Throw(file_name,
          fmt::format("expected {{\"{}\": {{\"GraphFusion\": {{...}}, \"UBFusion\": {{...}}}}}}, "
                      "found {}",
                      kSwitch, found));
  }
}

}  // namespace

namespace {

struct FusionLine {
  std::string_view name;
  bool is_off = false;
};

FusionLine ReadLine(std::string_view line, std::size_t number, std::string_view file_name) {
  const std::size_t colon = line.rfind(':');
  const std::string_view value =
      colon == std::string_view::npos ? std::string_view() : Trim(line.substr(colon + 1));
  const std::string_view name = Trim(line.substr(0, colon));
  if ((value != kOn && value != kOff) || name.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}:{}: expected JSON, or lines <name>:on or <name>:off, found '{}'",
                            file_name, number, Shown(line)));
  }
  return {.name = name, .is_off = value == kOff};
}

// "ALL" first, whatever its line.
FusionNames ParseLines(std::string_view content, std::string_view file_name,
                       std::vector<std::string>& unknown) {
  std::map<std::string_view, bool> switches;
  std::size_t number = 0;
  for (const std::string_view text : Split(content, '\n')) {
    ++number;
    if (Trim(text).empty()) {
      continue;
    }
    const FusionLine line = ReadLine(Trim(text), number, file_name);
    if (!switches.emplace(line.name, line.is_off).second) {
      throw Error(ErrorKind::kUsage, fmt::format("{}:{}: '{}' stands twice; leave one line of it",
                                                 file_name, number, Shown(line.name)));
    }
  }
  FusionNames off;
  const auto all = switches.find(kAll);
  const bool all_off = all != switches.end() && all->second;
  for (const Pass& pass : AllPasses()) {
    if (pass.fusion != FusionKind::kNone) {
      const auto own = switches.find(pass.name);
      if (own == switches.end() ? all_off : own->second) {
        off.emplace(pass.name);
      }
      if (own != switches.end()) {
        switches.erase(own);
      }
    }
  }
  switches.erase(kAll);
  for (const auto& [name, is_off] : switches) {
    unknown.emplace_back(name);
  }
  return off;
}

// The form of lines has no mark of its own: what does not begin as JSON does.
bool HasLines(std::string_view content) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  content.remove_prefix(content.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  const std::string_view text = Trim(content);
  return !text.empty() && std::string_view("{[\"").find(text[0]) == std::string_view::npos;
}

}  // namespace

FusionNames ParseFusionSwitches(std::string_view content, std::string_view file_name,
                                std::vector<std::string>* unknown) {
  if (HasLines(content)) {
    std::vector<std::string> names_of_none;
    FusionNames off = ParseLines(content, file_name, names_of_none);
    if (unknown != nullptr) {
      *unknown = std::move(names_of_none);
    }
    return off;
  }
  const json document = ParseStrictJson(content, file_name);
  CheckStructure(document, file_name);
  FusionNames off;
  std::vector<std::string> names_of_none;
  for (const auto& [name, group] : document[kSwitch].items()) {
    const auto kind = GroupNamed(name);
    if (!kind) {
      Throw(file_name, fmt::format("Switch has the unknown key '{}'; expected GraphFusion or "
                                   "UBFusion",
                                   Shown(name)));
    }
    ReadGroup(group, *kind, file_name, off, names_of_none);
  }
  if (unknown != nullptr) {
    *unknown = std::move(names_of_none);
  }
  return off;
}

std::string FormatFusionSwitches(const FusionNames& off) {
  json groups = json::object();
  for (const Pass& pass : AllPasses()) {
    if (off.contains(pass.name)) {
      groups[std::string(NameIn(kFusionKinds, pass.fusion))][std::string(pass.name)] = kOff;
    }
  }
  return json{{kSwitch, std::move(groups)}}.dump(2) + "\n";
}

}  // namespace halftone
