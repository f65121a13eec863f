#include "src/api/report/atc_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "src/base/text.h"

namespace halftone {
namespace {

struct InputExtents {
  std::string_view name;
  std::vector<std::string_view> extents;
};

// Names may hold colons: extents do not.
std::vector<InputExtents> Parsed(std::string_view shape) {
  std::vector<InputExtents> inputs;
  for (const std::string_view part : Split(shape, ';')) {
    const std::size_t colon = part.rfind(':');
    inputs.push_back({part.substr(0, colon), Split(part.substr(colon + 1), ',')});
  }
  return inputs;
}

// An extent that is not the same in every shape.
struct Free {
  std::size_t input = 0;
  std::size_t axis = 0;
};

std::vector<Free> FreeExtents(const std::vector<std::vector<InputExtents>>& shapes) {
  std::vector<Free> free;
  const std::vector<InputExtents>& first = shapes.front();
  for (std::size_t input = 0; input < first.size(); ++input) {
    for (std::size_t axis = 0; axis < first[input].extents.size(); ++axis) {
      const bool same = std::ranges::all_of(shapes, [&](const auto& other) {
        return other[input].extents[axis] == first[input].extents[axis];
      });
      if (!same) {
        free.push_back({input, axis});
      }
    }
  }
  return free;
}

// A batch: the first axis of inputs, as large for each of them.
bool IsBatch(const std::vector<Free>& free, const std::vector<std::vector<InputExtents>>& shapes) {
  return std::ranges::all_of(free, [&](const Free& at) {
    return at.axis == 0 && std::ranges::all_of(shapes, [&](const auto& shape) {
             return shape[at.input].extents[0] == shape[free.front().input].extents[0];
           });
  });
}

// Height and width of one input of four axes.
bool IsImage(const std::vector<Free>& free, const std::vector<std::vector<InputExtents>>& shapes) {
  constexpr std::size_t kImageAxes = 4;
  return free.size() == 2 && free[0].input == free[1].input && free[0].axis > 0 &&
         free[1].axis == free[0].axis + 1 &&
         shapes.front()[free[0].input].extents.size() == kImageAxes;
}

}  // namespace

std::vector<std::string> AtcShapeArguments(std::span<const std::string> shapes) {
  if (shapes.empty()) {
    return {};
  }
  if (shapes.size() == 1) {
    return {"--input_shape=" + shapes.front()};
  }
  std::vector<std::vector<InputExtents>> parsed;
  parsed.reserve(shapes.size());
  for (const std::string& shape : shapes) {
    parsed.push_back(Parsed(shape));
  }
  const std::vector<Free> free = FreeExtents(parsed);
  const bool batch = IsBatch(free, parsed);
  std::vector<std::string> sizes;
  for (const std::vector<InputExtents>& shape : parsed) {
    std::vector<std::string> extents;
    extents.reserve(free.size());
    for (const Free& at : free) {
      extents.emplace_back(shape[at.input].extents[at.axis]);
    }
    sizes.push_back(batch ? extents.front() : Join(extents, ","));
  }
  std::vector<InputExtents> with_free = parsed.front();
  for (const Free& at : free) {
    with_free[at.input].extents[at.axis] = "-1";
  }
  std::vector<std::string> inputs;
  inputs.reserve(with_free.size());
  for (const InputExtents& input : with_free) {
    inputs.push_back(fmt::format(
        "{}:{}", input.name,
        Join(std::vector<std::string>(input.extents.begin(), input.extents.end()), ",")));
  }
  std::vector<std::string> arguments = {"--input_shape=" + Join(inputs, ";")};
  if (batch) {
    arguments.push_back("--dynamic_batch_size=" + Join(sizes, ","));
  } else if (IsImage(free, parsed)) {
    arguments.push_back("--dynamic_image_size=" + Join(sizes, ";"));
  } else {
    arguments.emplace_back("--input_format=ND");
    arguments.push_back("--dynamic_dims=" + Join(sizes, ";"));
  }
  return arguments;
}

}  // namespace halftone
