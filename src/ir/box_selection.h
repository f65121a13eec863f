// Box selection of NonMaxSuppression, for the shape rule and the kernel: the shape of the result
// depends on the number of selected boxes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "src/ir/tensor.h"

namespace halftone {

// Indices of image, class and box.
using SelectedBox = std::array<std::int64_t, 3>;

struct Box {
  float top = 0;
  float left = 0;
  float bottom = 0;
  float right = 0;

  [[nodiscard]] float Area() const { return (bottom - top) * (right - left); }
};

// Operands and attributes of one NonMaxSuppression call.
struct BoxSelection {
  const float* boxes = nullptr;   // [images, count, 4]
  const float* scores = nullptr;  // [images, classes, count]
  std::int64_t images = 0;
  std::int64_t classes = 0;
  std::int64_t count = 0;
  std::int64_t most = 0;       // most boxes to select for each image and class
  float overlap = 0;           // a box with a greater intersection over union is suppressed
  std::optional<float> least;  // only boxes with a greater score count; empty: all count
  // true: a box is (x, y, width, height) with its centre; false: two corners, (y1, x1, y2, x2).
  bool centered = false;

  [[nodiscard]] Box BoxAt(std::int64_t index) const;

  // Sort key of a score: NaN counts as -infinity.
  [[nodiscard]] static float Rank(float score) {
    return std::isnan(score) ? -std::numeric_limits<float>::infinity() : score;
  }
};

// True if intersection over union of the two boxes is above `threshold`.
bool Suppresses(const Box& kept, const Box& other, float threshold);

// Calls found(image, class, box) for each selected box: image by image, class by class, by falling
// score. Of equal scores, the lower index comes first. Comparisons are in float32. `order` and
// `kept` are scratch of `count` elements each; nothing is allocated.
template <typename Found>
void ForEachSelectedBox(const BoxSelection& call, std::int64_t* order, Box* kept,
                        const Found& found) {
  for (std::int64_t row = 0; row < call.images * call.classes; ++row) {
    const std::int64_t image = row / call.classes;
    const float* scores = call.scores + row * call.count;
    std::int64_t candidates = 0;
    for (std::int64_t box = 0; box < call.count; ++box) {
      if (!call.least || scores[box] > *call.least) {
        order[candidates++] = box;
      }
    }
    std::sort(order, order + candidates, [&](std::int64_t a, std::int64_t b) {
      const float of_a = BoxSelection::Rank(scores[a]);
      const float of_b = BoxSelection::Rank(scores[b]);
      return of_a > of_b || (of_a == of_b && a < b);
    });
    std::int64_t selected = 0;
    for (std::int64_t i = 0; i < candidates && selected < call.most; ++i) {
      const Box box = call.BoxAt(image * call.count + order[i]);
      const bool suppressed = std::any_of(kept, kept + selected, [&](const Box& other) {
        return Suppresses(other, box, call.overlap);
      });
      if (!suppressed) {
        kept[selected++] = box;
        found(image, row % call.classes, order[i]);
      }
    }
  }
}

// Returns the selected boxes. `operands` are the five of ONNX: boxes, scores, most boxes of a
// class, threshold of intersection over union, score threshold. The last three may be null.
std::vector<SelectedBox> SelectBoxes(const std::vector<const Tensor*>& operands, bool centered);

}  // namespace halftone
