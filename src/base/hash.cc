// XXH3-128 (xxhash.h, seed 0) over a byte stream in which every item is preceded by its length and
// integers are written as 8 little-endian bytes.
#include "src/base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <charconv>
#include <new>

#include "src/base/error.h"

namespace halftone {
namespace {

std::array<unsigned char, 8> LittleEndian(std::uint64_t value) {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  }
  return bytes;
}

std::optional<std::uint64_t> ParseHexWord(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::string Hash128::ToHex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

std::optional<Hash128> Hash128::FromHex(std::string_view text) {
  if (text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return std::nullopt;
  }
  const auto high = ParseHexWord(text.substr(0, 16));
  const auto low = ParseHexWord(text.substr(16));
  if (!high || !low) {
    return std::nullopt;
  }
  return Hash128{*high, *low};
}

struct Hasher::State {
  XXH3_state_t* xxh = XXH3_createState();

  State() {
    if (xxh == nullptr) {
      throw std::bad_alloc();
    }
    XXH3_128bits_reset(xxh);
  }

  ~State() { XXH3_freeState(xxh); }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void Update(const void* data, std::size_t size) { XXH3_128bits_update(xxh, data, size); }
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}

Hasher::~Hasher() = default;

Hasher& Hasher::AddBytes(std::span<const std::byte> bytes) {
  const auto prefix = LittleEndian(bytes.size());
  state_->Update(prefix.data(), prefix.size());
  state_->Update(bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::Add(std::string_view text) {
  return AddBytes(std::as_bytes(std::span(text)));
}

Hasher& Hasher::Add(std::int64_t value) {
  const auto bytes = LittleEndian(static_cast<std::uint64_t>(value));
  state_->Update(bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::Add(const Hash128& hash) {
  return Add(static_cast<std::int64_t>(hash.high)).Add(static_cast<std::int64_t>(hash.low));
}

Hash128 Hasher::Finish() const {
  const XXH128_hash_t digest = XXH3_128bits_digest(state_->xxh);
  return {digest.high64, digest.low64};
}

}  // namespace halftone
