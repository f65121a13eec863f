#include "src/accuracy/tensor_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "src/base/error.h"
#include "src/base/text.h"

namespace halftone {
namespace {

// Format: "NumPy Enhancement Proposal 1, a simple file format for NumPy arrays", versions 1 to 3.
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kHeaderAlignment = 64;

struct DescrRow {
  std::string_view descr;
  DType dtype;
};

constexpr DescrRow kDescrs[] = {
    {"<f4", DType::kFloat32}, {"<f2", DType::kFloat16}, {"<f8", DType::kFloat64},
    {"|i1", DType::kInt8},    {"|u1", DType::kUInt8},   {"<i2", DType::kInt16},
    {"<u2", DType::kUInt16},  {"<i4", DType::kInt32},   {"<u4", DType::kUInt32},
    {"<i8", DType::kInt64},   {"<u8", DType::kUInt64},  {"|b1", DType::kBool},
};

// The three facts of a header, each given exactly once.
struct Header {
  std::optional<DType> dtype;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

// Reads the one form of Python literal that a header has:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view source_name)
      : text_(text), source_(source_name) {}

  Header Parse() {
    Header header;
    Expect('{');
    while (!Take('}')) {
      const std::string_view key = Quoted();
      Expect(':');
      if (key == "descr" && !header.dtype) {
        header.dtype = Descr();
      } else if (key == "fortran_order" && !header.fortran_order) {
        header.fortran_order = TrueOrFalse();
      } else if (key == "shape" && !header.shape) {
        header.shape = Extents();
      } else {
        Fail(fmt::format("has the unexpected or repeated header key '{}'", Shown(key)));
      }
      if (!Take(',')) {
        Expect('}');
        break;
      }
    }
    if (!header.dtype || !header.fortran_order || !header.shape) {
      Fail("has a header without descr, fortran_order or shape");
    }
    if (!Trim(text_).empty() && Trim(text_) != "\n") {
      Fail("has text behind its header");
    }
    return header;
  }

 private:
  [[noreturn]] void Fail(std::string_view what) const {
    throw Error(ErrorKind::kIo,
                fmt::format("'{}' {}: it is not a .npy file halftone reads", source_, what));
  }

  void SkipBlanks() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t')) {
      text_.remove_prefix(1);
    }
  }

  bool Take(char c) {
    SkipBlanks();
    if (text_.empty() || text_.front() != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }

  void Expect(char c) {
    if (!Take(c)) {
      Fail(fmt::format("has a malformed header (expected '{}')", c));
    }
  }

  std::string_view Quoted() {
    SkipBlanks();
    const char quote = Take('"') ? '"' : '\'';
    if (quote == '\'') {
      Expect('\'');
    }
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) {
      Fail("has a malformed header (a text without end)");
    }
    const std::string_view inside = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return inside;
  }

  DType Descr() {
    SkipBlanks();
    if (text_.starts_with('[')) {
      Fail("holds records");
    }
    const std::string_view descr = Quoted();
    for (const DescrRow& row : kDescrs) {
      const bool one_byte = row.descr.front() == '|';
      if (row.descr == descr ||
          (one_byte && descr.size() == 3 && row.descr.substr(1) == descr.substr(1))) {
        return row.dtype;
      }
    }
    Fail(fmt::format("has elements of type '{}' (expected little-endian bool, integers or floats)",
                     Shown(descr)));
  }

  bool TrueOrFalse() {
    SkipBlanks();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return word == "True";
      }
    }
    Fail("has a malformed header (fortran_order is neither True nor False)");
  }

  Shape Extents() {
    std::vector<std::int64_t> dims;
    Expect('(');
    while (!Take(')')) {
      SkipBlanks();
      std::int64_t extent = -1;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (error != std::errc() || extent < 0) {
        Fail("has a malformed header (an extent is not a number from 0)");
      }
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      dims.push_back(extent);
      if (!Take(',')) {
        Expect(')');
        break;
      }
    }
    return Shape(std::move(dims));
  }

  std::string_view text_;
  std::string_view source_;
};

std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// The shape's bytes; empty when they cannot be counted.
std::optional<std::int64_t> SizeBytes(DType dtype, const Shape& shape) {
  std::int64_t bytes = static_cast<std::int64_t>(SizeOf(dtype));
  for (const std::int64_t extent : shape.dims()) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

}  // namespace

NpyHeader ParseNpyHeader(std::string_view front, std::int64_t file_bytes,
                         std::string_view source_name) {
  const auto fail = [&](std::string_view what) -> Error {
    return {ErrorKind::kIo,
            fmt::format("'{}' {}: it is not a .npy file halftone reads", source_name, what)};
  };
  if (!front.starts_with(kMagic) || front.size() < 10) {
    throw fail("does not begin as a .npy file does");
  }
  const int version = static_cast<unsigned char>(front[6]);
  if (version < 1 || version > 3) {
    throw fail(fmt::format("has format version {} (expected 1, 2 or 3)", version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  if (front.size() < 8 + length_bytes) {
    throw fail("ends within its header");
  }
  const std::int64_t header_bytes = LittleEndian(front.substr(8, length_bytes));
  const auto before = static_cast<std::int64_t>(8 + length_bytes);
  if (header_bytes > file_bytes - before) {
    throw fail(fmt::format("announces a header of {} bytes and has {}", header_bytes,
                           file_bytes - before));
  }
  if (before + header_bytes > kMostNpyHeaderBytes) {
    throw fail(fmt::format("has a header of {} bytes (expected at most {})", header_bytes,
                           kMostNpyHeaderBytes - before));
  }
  const Header header =
      HeaderParser(front.substr(8 + length_bytes, static_cast<std::size_t>(header_bytes)),
                   source_name)
          .Parse();
  if (*header.fortran_order) {
    throw fail("is in Fortran order (write it with numpy.ascontiguousarray)");
  }
  const std::int64_t data_bytes = file_bytes - before - header_bytes;
  const std::optional<std::int64_t> expected = SizeBytes(*header.dtype, *header.shape);
  if (!expected || *expected != data_bytes) {
    throw fail(fmt::format("has {} bytes of data, {} {} has {}", data_bytes, NameOf(*header.dtype),
                           header.shape->ToString(),
                           expected ? std::to_string(*expected) : "too many"));
  }
  return {.type = {*header.dtype, *header.shape}, .data_offset = before + header_bytes};
}

Tensor ParseNpy(std::string_view bytes, std::string_view source_name) {
  NpyHeader header = ParseNpyHeader(bytes, std::ssize(bytes), source_name);
  Tensor tensor(std::move(header.type));
  const std::string_view data = bytes.substr(static_cast<std::size_t>(header.data_offset));
  if (!data.empty()) {
    std::memcpy(tensor.mutable_data(), data.data(), data.size());
  }
  return tensor;
}

std::string FormatNpy(const Tensor& tensor) {
  const Tensor stored =
      tensor.dtype() == DType::kBFloat16 ? Convert(tensor, DType::kFloat32) : tensor;
  std::string_view descr;
  for (const DescrRow& row : kDescrs) {
    descr = row.dtype == stored.dtype() ? row.descr : descr;
  }
  std::string extents;
  for (const std::int64_t extent : stored.shape().dims()) {
    extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  }
  // A tuple of one has a comma behind it.
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descr, extents, stored.shape().rank() == 1 ? "," : "");
  const std::size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((kHeaderAlignment - unpadded % kHeaderAlignment) % kHeaderAlignment, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff),
            static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(stored.data()), stored.size_bytes());
  return bytes;
}

}  // namespace halftone
