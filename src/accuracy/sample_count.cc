#include "src/accuracy/sample_count.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "src/base/error.h"

namespace halftone {
namespace {

// Advice for data of another shape: reshape it where the element count is the same, else write it
// anew, or read the network for it.
std::string ShapeAdvice(const Value& input, const Shape& found) {
  const Shape& expected = input.type.shape;
  const std::int64_t count = expected.ElementCount();
  if (expected.rank() == 0) {
    return "write it as a scalar";
  }
  if (found.rank() != expected.rank()) {
    Shape samples = expected;
    if (count > 0 && found.ElementCount() % count == 0) {
      samples[0] *= found.ElementCount() / count;
      return fmt::format("reshape it to {}", samples.ToString());
    }
    return fmt::format("write it with {} {}", expected.rank(),
                       expected.rank() == 1 ? "axis" : "axes");
  }
  Shape own = found;
  own[0] = expected[0] > 0 && found[0] % expected[0] == 0 ? expected[0] : found[0];
  return fmt::format(
      "write it in that shape, or where the network leaves it open give --input_shape \"{}:{}\"",
      input.name, fmt::join(own.dims(), ","));
}

[[noreturn]] void ThrowShape(const Value& input, const std::filesystem::path& path,
                             const TensorType& found) {
  throw Error(ErrorKind::kModel,
              fmt::format("'{}': input '{}' expects {} or several of them stacked along axis 0, "
                          "found {}: {}",
                          path.string(), input.name, input.type.ToString(), found.ToString(),
                          ShapeAdvice(input, found.shape)));
}

bool HasNewFirstAxis(const Shape& expected, const Shape& found) {
  if (expected.rank() == 0 || found.rank() != expected.rank() + 1) {
    return false;
  }
  for (int axis = 0; axis < expected.rank(); ++axis) {
    if (found[axis + 1] != expected[axis]) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::int64_t SampleCount(const Value& input, const std::filesystem::path& path,
                         const TensorType& found_type) {
  const Shape& expected = input.type.shape;
  const Shape& found = found_type.shape;
  if (HasNewFirstAxis(expected, found)) {
    return found[0];
  }
  if (found.rank() != expected.rank()) {
    ThrowShape(input, path, found_type);
  }
  for (int axis = 1; axis < expected.rank(); ++axis) {
    if (found[axis] != expected[axis]) {
      ThrowShape(input, path, found_type);
    }
  }
  if (expected.rank() == 0) {
    return 1;
  }
  if (expected[0] == 0 ? found[0] != 0 : found[0] % expected[0] != 0) {
    ThrowShape(input, path, found_type);
  }
  return expected[0] == 0 ? 1 : found[0] / expected[0];
}

}  // namespace halftone
