// Value in a parsed JSON document together with its place in the document, for errors that name the
// place: "table.json: activations/conv1/scale: expected a number above 0, found -1".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Refers to the document, the file's name, the enclosing JsonPlace and the key of At(); all of them
// must outlive it. All errors are kUsage, as thrown by Refuse() and Complain().
class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& document, std::string_view file)
      : value_(document), file_(file) {}

  [[nodiscard]] const nlohmann::json& value() const { return value_; }

  [[nodiscard]] std::string_view file() const { return file_; }

  // True if the object has a member `key`. Error: the value is no object.
  [[nodiscard]] bool Has(std::string_view key) const;
  // The member `key` of the object. Error: the value is no object, or has no such member.
  [[nodiscard]] JsonPlace At(std::string_view key) const;
  // The item of the array. Requires an array with this index.
  [[nodiscard]] JsonPlace Item(std::size_t index) const;

  // Error: the value is no object.
  void RequireObject() const;
  // Error: the value is no object, or has a key that is not in `known`.
  void RequireKeys(const std::vector<std::string>& known) const;

  // Each of these functions throws if the value has another type.
  [[nodiscard]] std::size_t ArraySize() const;
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] bool Boolean() const;
  // A finite number.
  [[nodiscard]] double Number() const;
  // A finite number, rounded to float32. Error also if float32 makes it infinite.
  [[nodiscard]] float Float() const;
  // A whole number from `low` to `high`; 3.0 counts as whole.
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
  std::string_view key_ = {};  // key of a member of an object; null data: an item of an array
  std::size_t index_ = 0;      // index of an item of an array
};

// The shortest decimal number that reads back as `value`; that of a float also reads back through a
// double. It has a point or an exponent, so that -0 keeps its sign. Requires a finite number.
std::string JsonFloat(float value);
std::string JsonDouble(double value);

// `text` in quotes, escaped as PrintableJson() escapes it. Error kUnsupported: bytes that are not
// UTF-8, which JSON cannot hold.
std::string JsonText(const std::string& text);

}  // namespace halftone
