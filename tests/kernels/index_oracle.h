// The oracle of data-movement tests: the output built element by element from a formula for the
// source position. Knows nothing of the kernels' own index code.
#pragma once

#include <cstring>
#include <optional>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone::testing {

using Position = std::vector<std::int64_t>;

inline std::int64_t LinearIndex(const Shape& shape, const Position& position) {
  std::int64_t index = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    index = index * shape[axis] + position[static_cast<std::size_t>(axis)];
  }
  return index;
}

inline Position PositionAt(const Shape& shape, std::int64_t index) {
  Position position(static_cast<std::size_t>(shape.rank()));
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    position[static_cast<std::size_t>(axis)] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

inline void CopyElement(const Tensor& source, std::int64_t from, Tensor& target, std::int64_t to) {
  const auto size = static_cast<std::int64_t>(SizeOf(source.dtype()));
  std::memcpy(target.mutable_data() + to * size, source.data() + from * size,
              static_cast<std::size_t>(size));
}

// output[p] = source[source_position(p)]; zero, or `fill` where it is given, for an empty position.
template <typename SourcePosition>
Tensor ByIndex(const Tensor& source, const Shape& output, const SourcePosition& source_position,
               const Tensor* fill = nullptr) {
  Tensor result(source.dtype(), output);
  for (std::int64_t i = 0; i < result.ElementCount(); ++i) {
    const std::optional<Position> from = source_position(PositionAt(output, i));
    if (from) {
      CopyElement(source, LinearIndex(source.shape(), *from), result, i);
    } else if (fill != nullptr) {
      CopyElement(*fill, 0, result, i);
    }
  }
  return result;
}

// The source of every element of `output` under the formula, by linear index: what ByIndex() moves,
// for tensors of several dtypes.
template <typename SourcePosition>
std::vector<std::int64_t> SourcesOf(const Shape& source, const Shape& output,
                                    const SourcePosition& source_position) {
  std::vector<std::int64_t> sources(static_cast<std::size_t>(output.ElementCount()));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    sources[i] =
        LinearIndex(source, source_position(PositionAt(output, static_cast<std::int64_t>(i))));
  }
  return sources;
}

// output[i] = source[sources[i]].
inline Tensor Gathered(const Tensor& source, const Shape& output,
                       const std::vector<std::int64_t>& sources) {
  Tensor result(source.dtype(), output);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CopyElement(source, sources[i], result, static_cast<std::int64_t>(i));
  }
  return result;
}

}  // namespace halftone::testing
