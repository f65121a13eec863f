// Source of the format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
#include "knowledge_base/write_ahead_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>

#include "src/base/error.h"

namespace halftone {
namespace {

constexpr std::size_t kLogHeadBytes = 32;
constexpr std::size_t kFrameHeadBytes = 24;
constexpr std::uint32_t kMagic = 0x377f0682;  // the last bit: words of checksums are big-endian
constexpr std::uint32_t kFormat = 3007000;
constexpr std::size_t kLeastPageBytes = 512;
constexpr std::size_t kMostPageBytes = 65536;
constexpr std::size_t kPageSizeAt = 16;  // in the database
constexpr std::size_t kDatabaseHeadBytes = 100;

std::uint32_t WordAt(std::string_view bytes, std::size_t at, bool big_endian = true) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  const bool other_order = big_endian != (std::endian::native == std::endian::big);
  return other_order ? __builtin_bswap32(word) : word;
}

// The running checksum of a log: of its head, then of every frame.
class Checksum {
 public:
  explicit Checksum(bool big_endian) : big_endian_(big_endian) {}

  // A multiple of eight bytes.
  void Add(std::string_view bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first_ += WordAt(bytes, at, big_endian_) + second_;
      second_ += WordAt(bytes, at + 4, big_endian_) + first_;
    }
  }

  [[nodiscard]] bool IsAt(std::string_view bytes, std::size_t at) const {
    return WordAt(bytes, at) == first_ && WordAt(bytes, at + 4) == second_;
  }

 private:
  bool big_endian_;
  std::uint32_t first_ = 0;
  std::uint32_t second_ = 0;
};

bool IsPageSize(std::size_t bytes) {
  return kLeastPageBytes <= bytes && bytes <= kMostPageBytes && std::has_single_bit(bytes);
}

// 0: the database has no head yet.
std::size_t PageBytesOf(std::string_view database) {
  if (database.size() < kDatabaseHeadBytes) {
    return 0;
  }
  const std::size_t bytes = WordAt(database, kPageSizeAt) >> 16U;
  return bytes == 1 ? kMostPageBytes : bytes;
}

// The pages that committed transactions wrote, each as the last of them left it.
struct CommittedPages {
  std::map<std::uint32_t, std::string_view> pages;  // by number, from 1
  std::uint32_t pages_of_database = 0;              // after the last commit; 0: there is none
};

CommittedPages PagesOf(std::string_view log, std::size_t page_bytes, Checksum checksum) {
  CommittedPages result;
  std::map<std::uint32_t, std::string_view> open;  // of the transaction that is being read
  const std::string_view salt = log.substr(16, 8);
  const std::size_t frame_bytes = kFrameHeadBytes + page_bytes;
  for (std::size_t at = kLogHeadBytes; at + frame_bytes <= log.size(); at += frame_bytes) {
    const std::string_view frame = log.substr(at, frame_bytes);
    const std::string_view page = frame.substr(kFrameHeadBytes);
    checksum.Add(frame.substr(0, 8));
    checksum.Add(page);
    const std::uint32_t number = WordAt(frame, 0);
    if (frame.substr(8, 8) != salt || number == 0 || !checksum.IsAt(frame, 16)) {
      break;
    }
    open.insert_or_assign(number, page);
    if (const std::uint32_t commit = WordAt(frame, 4); commit != 0) {
      open.merge(result.pages);  // those of `open` stay
      result.pages = std::move(open);
      open = {};
      result.pages_of_database = commit;
    }
  }
  return result;
}

}  // namespace

std::string WithWriteAheadLog(std::string database, std::string_view log) {
  if (log.size() < kLogHeadBytes || (WordAt(log, 0) & ~1U) != kMagic) {
    return database;
  }
  const std::size_t page_bytes = WordAt(log, 8);
  Checksum checksum((WordAt(log, 0) & 1U) != 0);
  checksum.Add(log.substr(0, 24));
  if (!IsPageSize(page_bytes) || !checksum.IsAt(log, 24)) {
    return database;
  }
  if (const std::uint32_t format = WordAt(log, 4); format != kFormat) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("its write-ahead log has format {}, expected {}: open it with a newer "
                            "SQLite where the folder can be written",
                            format, kFormat));
  }
  const CommittedPages committed = PagesOf(log, page_bytes, checksum);
  if (committed.pages_of_database == 0) {
    return database;
  }
  if (const std::size_t bytes = PageBytesOf(database); bytes != 0 && bytes != page_bytes) {
    throw Error(ErrorKind::kDatabase,
                fmt::format("it has pages of {} bytes and its write-ahead log pages of {}: the log "
                            "is of another file, restore both from a copy",
                            bytes, page_bytes));
  }
  const std::size_t pages = committed.pages_of_database;
  if (pages >
      std::max<std::size_t>(database.size() / page_bytes, committed.pages.rbegin()->first)) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("the file is cut short: its write-ahead log says that it has {} pages", pages));
  }
  database.resize(pages * page_bytes);
  for (const auto& [number, page] : committed.pages) {
    if (number <= pages) {
      database.replace((number - 1) * page_bytes, page_bytes, page);
    }
  }
  return database;
}

}  // namespace halftone
