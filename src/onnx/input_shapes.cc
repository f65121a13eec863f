// Parser of --input_shape.
#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/limits.h"
#include "src/base/text.h"
#include "src/onnx/reader.h"

namespace halftone {
namespace {

[[noreturn]] void ThrowUsage(std::string_view item, std::string_view reason) {
  throw Error(
      ErrorKind::kUsage,
      fmt::format(
          "E10001: --input_shape: input shape '{}': {}; expected \"name:1,3,224,224;other:1,10\"",
          Shown(item), reason));
}

std::int64_t ParseExtent(std::string_view text, std::string_view item) {
  const std::string_view digits = Trim(text);
  if (digits.find('~') != std::string_view::npos) {
    ThrowUsage(item, fmt::format("'{}' is a range, and a model is compiled for single shapes: give "
                                 "--input_shape once for each",
                                 Shown(digits)));
  }
  const auto extent = NumberIn(digits, limits::kExtentRange);
  if (!extent) {
    ThrowUsage(item, fmt::format("'{}' is no extent; expected {}", Shown(digits),
                                 RangeText(limits::kExtentRange)));
  }
  return *extent;
}

}  // namespace

InputShapes ParseInputShapes(std::string_view text) {
  InputShapes shapes;
  for (const std::string_view part : Split(text, ';')) {
    const std::string_view item = Trim(part);
    if (item.empty()) {
      continue;  // also the end of "a:1;"
    }
    const std::size_t colon = item.rfind(':');
    if (colon == std::string_view::npos || Trim(item.substr(0, colon)).empty()) {
      ThrowUsage(item, "the input's name and a colon are missing");
    }
    std::vector<std::int64_t> extents;
    const std::string_view list = Trim(item.substr(colon + 1));
    if (!list.empty()) {  // "x:" is a scalar
      for (const std::string_view extent : Split(list, ',')) {
        extents.push_back(ParseExtent(extent, item));
      }
    }
    const std::string name(Trim(item.substr(0, colon)));
    if (!shapes.emplace(name, std::move(extents)).second) {
      ThrowUsage(item, "the input is named twice");
    }
  }
  return shapes;
}

}  // namespace halftone
