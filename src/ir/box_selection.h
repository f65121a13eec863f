// Box selection of NonMaxSuppression. Shape rule and kernel share it, because the shape of the
// result depends on it.
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

// Indices: image, class, box.
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
  std::int64_t most = 0;       // boxes selected per class, at most
  float overlap = 0;           // intersection over union above it suppresses
  std::optional<float> least;  // scores that are not above it do not count
  bool centered = false;       // boxes are (x, y, width, height), else corners (y1, x1, y2, x2)

  [[nodiscard]] Box BoxAt(std::int64_t index) const;

  // Sort key of a score: NaN counts as -infinity.
  [[nodiscard]] static float Rank(float score) {
    return std::isnan(score) ? -std::numeric_limits<float>::infinity() : score;
  }
};

bool Suppresses(const Box& kept, const Box& other, float threshold);

// Calls found(image, class, box) for each selected box, highest score first within a class, of
// equal scores the lower index first. Comparisons in float32. `order` and `kept` are scratch of
// `count` elements; nothing is allocated.
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

// `operands` in the order of ONNX: boxes, scores, and, null where left out, the most boxes of a
// class, the threshold of intersection over union, the score threshold.
std::vector<SelectedBox> SelectBoxes(const std::vector<const Tensor*>& operands, bool centered);

}  // namespace halftone
