// calibration.flatbuffers of ONNX Runtime: TrtTable {dict: [KeyValue {key: string; value:
// string}]}, values as Python prints them. Reads this one schema, with a check of every offset.
// Format: the FlatBuffers documentation, "Internals".
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/text.h"
#include "src/quantization/files/table_readers.h"

namespace halftone {
namespace {

constexpr std::size_t kOffsetBytes = 4;
constexpr std::size_t kSlotBytes = 2;
constexpr std::size_t kFirstSlot = 4;  // of a vtable, behind its size and that of the table

// Positions in a buffer. Numbers are little endian.
class Buffer {
 public:
  explicit Buffer(const TableText& table) : bytes_(table.text), where_(table.where) {}

  [[noreturn]] void Refuse(std::size_t at, std::string_view what) const {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: byte {}: expected {} of a calibration table in flatbuffers, found "
                            "an offset that leads out of the file or into another part of it",
                            where_, at, what));
  }

  // The number of `count` bytes at a position.
  [[nodiscard]] std::uint32_t Number(std::size_t at, std::size_t count,
                                     std::string_view what) const {
    if (at > bytes_.size() || bytes_.size() - at < count) {
      Refuse(at, what);
    }
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      number |= std::uint32_t{static_cast<unsigned char>(bytes_[at + i])} << (8 * i);
    }
    return number;
  }

  // Where the offset at a position leads: forward.
  [[nodiscard]] std::size_t Target(std::size_t at, std::string_view what) const {
    return at + Number(at, kOffsetBytes, what);
  }

  // Where a field of the table at a position stands; empty: the table does not have it.
  [[nodiscard]] std::optional<std::size_t> Field(std::size_t table, std::size_t field,
                                                 std::string_view what) const {
    const auto back = static_cast<std::int32_t>(Number(table, kOffsetBytes, what));
    const std::int64_t vtable = static_cast<std::int64_t>(table) - back;
    if (vtable < 0) {
      Refuse(table, what);
    }
    const auto start = static_cast<std::size_t>(vtable);
    const std::size_t slot = kFirstSlot + field * kSlotBytes;
    if (slot + kSlotBytes > Number(start, kSlotBytes, what)) {
      return std::nullopt;
    }
    const std::uint32_t offset = Number(start + slot, kSlotBytes, what);
    return offset == 0 ? std::nullopt : std::optional(table + offset);
  }

  // The text that a field of the table at a position refers to. All texts together are no longer
  // than the file: in an honest one they do not overlap.
  [[nodiscard]] std::string_view Text(std::size_t table, std::size_t field, std::string_view what) {
    const auto place = Field(table, field, what);
    if (!place) {
      Refuse(table, what);
    }
    const std::size_t start = Target(*place, what);
    const std::uint32_t size = Number(start, kOffsetBytes, what);
    if (bytes_.size() - start - kOffsetBytes < size || texts_ + size > bytes_.size()) {
      Refuse(start, what);
    }
    texts_ += size;
    return bytes_.substr(start + kOffsetBytes, size);
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::string_view where_;
  std::size_t texts_ = 0;  // bytes of the texts so far
};

}  // namespace

bool IsOrtFlatbuffers(const TableText& table) {
  return table.text.size() >= 2 * kOffsetBytes && table.text.find('\0') != std::string_view::npos;
}

RangeTable ReadOrtFlatbuffers(const TableText& table) {
  Buffer buffer(table);
  RangeTable read;
  const std::size_t root = buffer.Target(0, "the root");
  const auto dict = buffer.Field(root, 0, "the root");
  if (!dict) {
    read.notes.emplace_back("the table is empty");
    return read;
  }
  const std::size_t list = buffer.Target(*dict, "the list of tensors");
  const std::uint32_t count = buffer.Number(list, kOffsetBytes, "the list of tensors");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t item = list + kOffsetBytes * (1 + std::size_t{i});
    const std::size_t pair = buffer.Target(item, "a tensor");
    const std::string_view name = buffer.Text(pair, 0, "the name of a tensor");
    const std::string_view text = buffer.Text(pair, 1, "the value of a tensor");
    const auto value = NumberOf(text);
    const std::string place = fmt::format("{}: tensor {}", table.where, i + 1);
    if (!value) {
      throw Error(ErrorKind::kUsage, fmt::format("{}, '{}': expected a number, found '{}'", place,
                                                 Shown(name), Shown(text)));
    }
    AddEntry(read, name, EntryOfMagnitude(*value), place);
  }
  read.notes.emplace_back(kOrtMagnitudeNote);
  return read;
}

}  // namespace halftone
