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

constexpr std::size_t kMostLevels = 64;

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

// Builds the value, and refuses what nlohmann::json accepts. The reader does not tell where it is,
// so messages of this class name the key. (A callback of json::parse() would see the same, but
// makes it look at all that an array holds at the end of each of its objects.)
class StrictReader : public json::json_sax_t {
 public:
  explicit StrictReader(std::string_view where) : where_(where) {}

  // Of a text that was read to its end.
  json TakeValue() { return std::move(root_); }

  bool null() override { return Add(nullptr); }

  bool boolean(bool value) override { return Add(value); }

  bool number_integer(number_integer_t value) override { return Add(value); }

  bool number_unsigned(number_unsigned_t value) override { return Add(value); }

  bool number_float(number_float_t value, const string_t& /*text*/) override { return Add(value); }

  bool string(string_t& value) override { return Add(std::move(value)); }

  bool binary(binary_t& value) override { return Add(std::move(value)); }

  bool start_object(std::size_t /*size*/) override {
    keys_.emplace_back();
    return Open(json::value_t::object);
  }

  bool key(string_t& name) override {
    if (!keys_.back().insert(name).second) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: the key '{}' stands twice in one object; keep one of them",
                              where_, Shown(name)));
    }
    member_ = &(*open_.back())[name];
    return true;
  }

  bool end_object() override {
    keys_.pop_back();
    return Close();
  }

  bool start_array(std::size_t /*size*/) override { return Open(json::value_t::array); }

  bool end_array() override { return Close(); }

  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const json::exception& error) override {
    if (const auto* const syntax = dynamic_cast<const json::parse_error*>(&error)) {
      throw *syntax;
    }
    // A number beyond what a double holds.
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected JSON: {}", where_, error.what()));
  }

 private:
  json& Place(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return root_;
    }
    if (open_.back()->is_array()) {
      return open_.back()->emplace_back(std::move(value));
    }
    *member_ = std::move(value);
    return *member_;
  }

  bool Add(json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(json::value_t kind) {
    if (open_.size() >= kMostLevels) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: expected at most {} levels of nesting, found more", where_,
                              kMostLevels));
    }
    open_.push_back(&Place(kind));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  std::string_view where_;
  json root_;
  std::vector<json*> open_;  // arrays and objects around what is read
  json* member_ = nullptr;   // of an object: what the next value is put into
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

json ParseStrictJson(std::string_view text, std::string_view where) {
  if (Trim(text).empty()) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: expected JSON, found an empty file", where));
  }
  try {
    StrictReader reader(where);
    json::sax_parse(text, &reader);
    return reader.TakeValue();
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
