#include "src/quantization/files/json_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/error.h"
#include "src/base/printable.h"
#include "src/base/strict_json.h"
#include "src/base/text.h"

namespace halftone {
namespace {

using nlohmann::json;

// What a message says was found: a short value itself, else its type.
std::string Found(const json& value) {
  if (value.is_structured()) {
    return fmt::format("an {}{}", value.empty() ? "empty " : "", JsonTypeName(value));
  }
  return Shown(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string WithPoint(const std::string& text) {
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

std::string JsonPlace::Path() const {
  if (around_ == nullptr) {
    return {};
  }
  const std::string outer = around_->Path();
  const std::string own = key_.data() == nullptr ? fmt::format("[{}]", index_) : Shown(key_);
  return outer.empty() || key_.data() == nullptr ? outer + own : outer + "/" + own;
}

void JsonPlace::Complain(std::string_view what) const {
  const std::string path = Path();
  throw Error(ErrorKind::kUsage, path.empty() ? fmt::format("{}: {}", file_, what)
                                              : fmt::format("{}: {}: {}", file_, path, what));
}

void JsonPlace::Refuse(std::string_view expected) const {
  Complain(fmt::format("expected {}, found {}", expected, Found(value_)));
}

void JsonPlace::RequireObject() const {
  if (!value_.is_object()) {
    Refuse("an object");
  }
}

void JsonPlace::RequireKeys(const std::vector<std::string>& known) const {
  RequireObject();
  for (const auto& [key, value] : value_.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      Complain(fmt::format("expected the keys {}; found '{}'", Join(known, ", "), Shown(key)));
    }
  }
}

bool JsonPlace::Has(std::string_view key) const {
  RequireObject();
  return value_.contains(key);
}

JsonPlace JsonPlace::At(std::string_view key) const {
  RequireObject();
  const auto found = value_.find(key);
  if (found == value_.end()) {
    Complain(fmt::format("expected the key '{}', found none of this name", key));
  }
  return {*found, *this, key, 0};
}

JsonPlace JsonPlace::Item(std::size_t index) const {
  return {value_.at(index), *this, {}, index};
}

std::size_t JsonPlace::ArraySize() const {
  if (!value_.is_array()) {
    Refuse("an array");
  }
  return value_.size();
}

std::string JsonPlace::Text() const {
  if (!value_.is_string()) {
    Refuse("a text");
  }
  return value_.get<std::string>();
}

bool JsonPlace::Boolean() const {
  if (!value_.is_boolean()) {
    Refuse("true or false");
  }
  return value_.get<bool>();
}

double JsonPlace::Number() const {
  if (!value_.is_number() || !std::isfinite(value_.get<double>())) {
    Refuse("a number");
  }
  return value_.get<double>();
}

float JsonPlace::Float() const {
  const auto number = static_cast<float>(Number());
  if (!std::isfinite(number)) {
    Refuse("a number of the range of float32");
  }
  return number;
}

std::int64_t JsonPlace::Integer(std::int64_t low, std::int64_t high) const {
  const double number = value_.is_number() ? value_.get<double>() : std::nan("");
  const bool whole = number == std::floor(number) && number >= static_cast<double>(low) &&
                     number <= static_cast<double>(high);
  if (!whole) {
    Refuse(fmt::format("a whole number from {} to {}", low, high));
  }
  return value_.is_number_integer() ? value_.get<std::int64_t>()
                                    : static_cast<std::int64_t>(number);
}

std::vector<float> JsonPlace::Floats() const {
  std::vector<float> numbers(ArraySize());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = Item(i).Float();
  }
  return numbers;
}

std::string JsonDouble(double value) {
  Check(std::isfinite(value), "JSON has finite numbers only");
  return WithPoint(fmt::format("{}", value));
}

std::string JsonFloat(float value) {
  Check(std::isfinite(value), "JSON has finite numbers only");
  std::string text = WithPoint(fmt::format("{}", value));
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  // The nearest double of a decimal close to the middle of two floats may be that middle.
  return static_cast<float>(read) == value ? text : JsonDouble(static_cast<double>(value));
}

std::string JsonText(const std::string& text) {
  try {
    return PrintableJson(json(text).dump());
  } catch (const json::exception&) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("expected a name in UTF-8, which is all that JSON holds; found '{}'",
                            Shown(text)));
  }
}

}  // namespace halftone
