#include "src/export/weight_file.h"

#include <algorithm>
#include <utility>

namespace halftone {
namespace {

constexpr std::size_t kMostAtOnce = 16 << 20;

}  // namespace

std::string_view WeightFile::ViewOf(const Bytes& bytes) {
  if (const auto* text = std::get_if<std::string>(&bytes)) {
    return *text;
  }
  const auto& tensor = std::get<Tensor>(bytes);
  return {reinterpret_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

std::int64_t WeightFile::AddBytes(Bytes bytes) {
  const std::int64_t offset = (size_ + kWeightAlignment - 1) / kWeightAlignment * kWeightAlignment;
  size_ = offset + static_cast<std::int64_t>(ViewOf(bytes).size());
  pieces_.push_back({offset, std::move(bytes)});
  return offset;
}

std::int64_t WeightFile::Add(std::string bytes) {
  return AddBytes(std::move(bytes));
}

std::int64_t WeightFile::Add(Tensor tensor) {
  return AddBytes(std::move(tensor));
}

void WeightFile::Write(const ByteSink& sink) const {
  std::int64_t written = 0;
  for (const Piece& piece : pieces_) {
    sink(std::string(static_cast<std::size_t>(piece.offset - written), '\0'));
    const std::string_view bytes = ViewOf(piece.bytes);
    for (std::size_t at = 0; at < bytes.size(); at += kMostAtOnce) {
      sink(bytes.substr(at, kMostAtOnce));
    }
    written = piece.offset + static_cast<std::int64_t>(bytes.size());
  }
}

}  // namespace halftone
