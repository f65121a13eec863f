// JSON syntax of op library files: three levels, operator type -> item -> field, where every scalar
// is a string.
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
    std::string_view wrong_type;  // "number": not a string, an error only for code that reads it
  };

  using Item = std::map<std::string, Field, std::less<>>;

  LibraryEntry(std::string type, std::string where)
      : type_(std::move(type)), where_(std::move(where)) {}

  [[nodiscard]] const std::string& type() const { return type_; }

  // Keys of items: "input0", "op", "precision_reduce".
  [[nodiscard]] const std::map<std::string, Item, std::less<>>& items() const { return items_; }

  // The text of a field; null when there is no such item or field. Error kUsage when it is not a
  // string.
  [[nodiscard]] const std::string* Find(std::string_view item, std::string_view field) const;

  // True if the field is "true" ("false" when it is absent). Error kUsage for another text.
  [[nodiscard]] bool IsTrue(std::string_view item, std::string_view field) const;

  // Throws kUsage "<file>: type 'Add': <key>: <what>".
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

// Parses an op library file. Error kUsage for text that is not such JSON. `where` is the file's
// name.
std::vector<LibraryEntry> ReadLibraryJson(std::string_view text, std::string_view where);

// The keys "<prefix>0", "<prefix>1", ... of an entry in numeric order ("input10" sorts before
// "input2" as text). Error kUsage when a number is missing.
std::vector<std::string> NumberedItems(const LibraryEntry& entry,
                                       const std::vector<std::string_view>& prefixes);

// True if it is an element type of op libraries without tensors in halftone: complex64, int4,
// string, ...; lower case.
bool IsForeignDType(std::string_view name);

}  // namespace halftone
