// A value in a parsed JSON document with its place, for readers whose errors name the place:
// "table.json: activations/conv1/scale: expected a number above 0, found -1".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Refers to the document, the file's name and the enclosing JsonPlace, which must outlive it. All
// errors are kUsage.
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& document, std::string_view file)
      : value_(document), file_(file) {}

  [[nodiscard]] const nlohmann::json& value() const { return value_; }

  [[nodiscard]] std::string_view file() const { return file_; }

  // Members of an object. Error: this value is no object, or `At` finds no such member.
  [[nodiscard]] bool Has(std::string_view key) const;
  [[nodiscard]] JsonPlace At(std::string_view key) const;
  // Item of an array, which this must be.
  [[nodiscard]] JsonPlace Item(std::size_t index) const;

  // Error: not of this type; an object with a key that is not among `known`.
  void RequireObject() const;
  void RequireKeys(const std::vector<std::string>& known) const;
  [[nodiscard]] std::size_t ArraySize() const;

  [[nodiscard]] std::string Text() const;
  [[nodiscard]] bool Boolean() const;
  // A finite number; as float32 it must stay finite.
  [[nodiscard]] double Number() const;
  [[nodiscard]] float Float() const;
  // A whole number from `low` to `high`; 3.0 is one too.
  [[nodiscard]] std::int64_t Integer(std::int64_t low, std::int64_t high) const;
  [[nodiscard]] std::vector<float> Floats() const;

  // Throws "<file>: <place>: expected <expected>, found <this value>".
  [[noreturn]] void Refuse(std::string_view expected) const;
  // Throws "<file>: <place>: <what>".
  [[noreturn]] void Complain(std::string_view what) const;

 private:
  JsonPlace(const nlohmann::json& value, const JsonPlace& around, std::string_view key,
            std::size_t index)
      : value_(value), file_(around.file_), around_(&around), key_(key), index_(index) {}

  [[nodiscard]] std::string Path() const;

  const nlohmann::json& value_;
  std::string_view file_;
  const JsonPlace* around_ = nullptr;
  std::string_view key_ = {};  // of a member
  std::size_t index_ = 0;      // of an item
};

// The shortest decimal that reads back as `value`, also through a double; with a point or an
// exponent, so that -0 keeps its sign. Requires a finite number.
std::string JsonFloat(float value);
std::string JsonDouble(double value);

// `text` in quotes, as PrintableJson() has it. Error kUnsupported: bytes that are not UTF-8, which
// JSON cannot hold.
std::string JsonText(const std::string& text);

}  // namespace halftone
