#include "src/accuracy/sample_count.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace halftone {
namespace {

// "2,3,0,1", the order of the axes of `found` that gives `expected` and that differs from the
// present order behind the first axis; empty: there is none.
std::string AxesInOrder(const Shape& expected, const Shape& found) {
  std::vector<int> order(static_cast<std::size_t>(found.rank()));
  std::iota(order.begin(), order.end(), 0);
  do {
    bool fits = order[0] == 0;
    for (int axis = 1; fits && axis < expected.rank(); ++axis) {
      fits = found[order[static_cast<std::size_t>(axis)]] == expected[axis];
    }
    if (fits) {
      return fmt::format("{}", fmt::join(order, ","));
    }
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return {};
}

constexpr int kMostPermutedAxes = 6;  // 120 orders

// Whether a shape can be given in which the data fit; empty: it is not known what is free.
std::optional<bool> MayBeGiven(const Shape& expected, const Shape& found,
                               const std::vector<std::int64_t>& declared) {
  if (declared.size() != static_cast<std::size_t>(found.rank())) {
    return std::nullopt;
  }
  for (int axis = 0; axis < found.rank(); ++axis) {
    const std::int64_t fixed = declared[static_cast<std::size_t>(axis)];
    const bool stacked = axis == 0 && expected[0] > 0 && found[0] % expected[0] == 0;
    if (fixed >= 0 && fixed != found[axis] && !stacked) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void ThrowShape(const Value& input, const std::filesystem::path& path,
                             const TensorType& found) {
  throw ShapeMismatch(
      fmt::format("'{}': input '{}' expects {} or several of them stacked along "
                  "axis 0, found {}",
                  path.string(), input.name, input.type.ToString(), found.ToString()),
      input, found.shape);
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

std::string AdviceFor(const ShapeMismatch& mismatch, const std::vector<std::int64_t>& declared) {
  const Shape& expected = mismatch.input().type.shape;
  const Shape& found = mismatch.found();
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
  const std::optional<bool> may_be_given = MayBeGiven(expected, found, declared);
  const std::string order = found.rank() > kMostPermutedAxes ? "" : AxesInOrder(expected, found);
  if (!order.empty() && !may_be_given.value_or(false)) {
    return fmt::format("its axes are in another order: transpose it by {}", order);
  }
  if (!may_be_given.value_or(true)) {
    return "the model fixes these extents: write it in that shape";
  }
  Shape own = found;
  own[0] = expected[0] > 0 && found[0] % expected[0] == 0 ? expected[0] : found[0];
  return fmt::format("write it in that shape, or {}give --input_shape \"{}:{}\"",
                     may_be_given ? "" : "where the network leaves it open ", mismatch.input().name,
                     fmt::join(own.dims(), ","));
}

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
