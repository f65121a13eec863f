// Parser of the JSON files of op libraries. They have three levels, operator type, item, field, and
// every value is a string.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/dtype.h"

namespace halftone {

// One operator type of a library file.
class LibraryEntry {
 public:
  struct Field {
    std::string text;
    // JSON type of a value that is no string, such as "number". Reading such a field is an error.
    std::string_view wrong_type;
  };

  using Item = std::map<std::string, Field, std::less<>>;

  LibraryEntry(std::string type, std::string where)
      : type_(std::move(type)), where_(std::move(where)) {}

  [[nodiscard]] const std::string& type() const { return type_; }

  // Items by their keys: "input0", "op", "precision_reduce".
  [[nodiscard]] const std::map<std::string, Item, std::less<>>& items() const { return items_; }

  // Returns the text of a field; null: there is no such item or field. Error kUsage: the value is
  // no string, or the item no object.
  [[nodiscard]] const std::string* Find(std::string_view item, std::string_view field) const;

  // True if the field is "true"; false if it is "false" or absent. Error kUsage for another value.
  [[nodiscard]] bool IsTrue(std::string_view item, std::string_view field) const;

  // Throws Error kUsage, "<file>: type 'Add': <key>: <what>".
  [[noreturn]] void Throw(std::string_view key, std::string_view what) const;

  void Add(std::string item, std::string field, Field value) {
    items_[std::move(item)].insert_or_assign(std::move(field), std::move(value));
  }

  void AddItem(std::string item) { items_.try_emplace(std::move(item)); }

 private:
  std::string type_;
  std::string where_;
  std::map<std::string, Item, std::less<>> items_;
};

// Parses a file of an op library. `where`: name of the file. Error kUsage: the text is no such
// JSON.
std::vector<LibraryEntry> ReadLibraryJson(std::string_view text, std::string_view where);

// Returns the keys "<prefix>0", "<prefix>1", ... of an entry in the order of their numbers. Error
// kUsage: a number is missing, or two prefixes have the same number.
std::vector<std::string> NumberedItems(const LibraryEntry& entry,
                                       const std::vector<std::string_view>& prefixes);

// True for an element type of op libraries that halftone does not have: "complex64", "int4",
// "string", ... Names are in lower case.
bool IsForeignDType(std::string_view name);

}  // namespace halftone
