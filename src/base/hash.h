// Stable 128-bit content hashes: the keys of the knowledge base.
//
// A hash depends only on the items added and their order, not on the environment or the process.
// Length prefixes keep ("ab", "c") apart from ("a", "bc"). A golden test fixes the values: another
// algorithm would be another database format.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace halftone {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the generated 0 for a null pointer
  friend auto operator<=>(const Hash128&, const Hash128&) = default;

  // 32 lower-case hexadecimal digits, the high word first.
  [[nodiscard]] std::string ToHex() const;
  // Parses a text that ToHex() made; empty for any other text.
  [[nodiscard]] static std::optional<Hash128> FromHex(std::string_view text);
};

// Hashes a sequence of items into one Hash128. Not thread safe.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;

  Hasher& AddBytes(std::span<const std::byte> bytes);  // length-prefixed
  Hasher& Add(std::string_view text);                  // length-prefixed
  Hasher& Add(std::int64_t value);
  Hasher& Add(const Hash128& hash);
  [[nodiscard]] Hash128 Finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halftone

template <>
struct std::hash<halftone::Hash128> {
  std::size_t operator()(const halftone::Hash128& key) const noexcept { return key.low; }
};
