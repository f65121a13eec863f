#include "src/base/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

constexpr int kMostLevels = 64;

std::string PositionIn(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.find_last_of('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}", line, before.size() - line_start + 1);
}

// Text of nlohmann's error without its prefix and position: "syntax error while parsing value -
// invalid literal; last read: '{ /'".
std::string DetailOf(const json::parse_error& error) {
  std::string detail = error.what();
  constexpr std::string_view kToken = "last read: '";  // and the token so far: it may be the file
  if (const std::size_t token = detail.find(kToken); token != std::string::npos) {
    const std::size_t start = token + kToken.size();
    const std::size_t size = detail.size() - start - (detail.ends_with('\'') ? 1 : 0);
    detail.replace(start, size, Shown(std::string_view(detail).substr(start, size)));
  }
  for (const std::string_view marker : {"while parsing ", ": "}) {
    const std::size_t found = detail.find(marker);
    if (found != std::string::npos) {
      return detail.substr(found);
    }
  }
  return detail;
}

// Refuses what nlohmann::json accepts. The reader does not tell where it is, so messages of this
// class name the key.
class Strictness {
 public:
  explicit Strictness(std::string_view where) : where_(where) {}

  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        Enter(depth);
        keys_.emplace_back();
        break;
      case json::parse_event_t::array_start:
        Enter(depth);
        break;
      case json::parse_event_t::object_end:
        keys_.pop_back();
        break;
      case json::parse_event_t::key:
        if (!keys_.back().insert(parsed.get<std::string>()).second) {
          throw Error(ErrorKind::kUsage, fmt::format("{}: the key '{}' stands twice in one object; "
                                                     "keep one of them",
                                                     where_, Shown(parsed.get<std::string>())));
        }
        break;
      default:
        break;
    }
    return true;
  }

 private:
  void Enter(int depth) const {
    if (depth >= kMostLevels) {
      throw Error(ErrorKind::kUsage, fmt::format("{}: expected at most {} levels of nesting, found "
                                                 "more",
                                                 where_, kMostLevels));
    }
  }

  std::string_view where_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

json ParseStrictJson(std::string_view text, std::string_view where) {
  if (Trim(text).empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected JSON, found an empty file", where));
  }
  try {
    return json::parse(text, Strictness(where));
  } catch (const json::parse_error& error) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{}:{}: expected JSON: {}", where,
                    PositionIn(text, error.byte == 0 ? 0 : error.byte - 1), DetailOf(error)));
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected JSON: {}", where, error.what()));
  }
}

std::string_view JsonTypeName(const json& value) {
  return value.is_null() ? "null" : value.type_name();
}

}  // namespace halftone
