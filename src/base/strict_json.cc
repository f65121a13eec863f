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
// class name the key. (A callback of json::parse() would see the same, but makes it look at all
// that an array holds at the end of each of its objects.)
class Strictness : public json::json_sax_t {
 public:
  explicit Strictness(std::string_view where) : where_(where) {}

  bool null() override { return true; }

  bool boolean(bool /*value*/) override { return true; }

  bool number_integer(number_integer_t /*value*/) override { return true; }

  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }

  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }

  bool string(string_t& /*value*/) override { return true; }

  bool binary(binary_t& /*value*/) override { return true; }

  bool start_object(std::size_t /*size*/) override {
    Enter();
    keys_.emplace_back();
    return true;
  }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: the key '{}' stands twice in one object; keep one of them",
                              where_, Shown(name)));
    }
    return true;
  }

  bool end_object() override {
    --levels_;
    keys_.pop_back();
    return true;
  }

  bool start_array(std::size_t /*size*/) override {
    Enter();
    return true;
  }

  bool end_array() override {
    --levels_;
    return true;
  }

  // Leaves it to json::parse().
  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const json::exception& /*error*/) override {
    return false;
  }

 private:
  void Enter() {
    if (levels_ >= kMostLevels) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: expected at most {} levels of nesting, found more", where_,
                              kMostLevels));
    }
    ++levels_;
  }

  std::string_view where_;
  int levels_ = 0;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

json ParseStrictJson(std::string_view text, std::string_view where) {
  if (Trim(text).empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected JSON, found an empty file", where));
  }
  try {
    Strictness strictness(where);
    json::sax_parse(text, &strictness);
    return json::parse(text);
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
