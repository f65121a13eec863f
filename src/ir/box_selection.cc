#include "src/ir/box_selection.h"

#include <algorithm>
#include <numeric>

namespace halftone {
namespace {

struct Box {
  float top = 0;
  float left = 0;
  float bottom = 0;
  float right = 0;

  [[nodiscard]] float Area() const { return (bottom - top) * (right - left); }
};

Box BoxAt(const Tensor& boxes, std::int64_t index, bool centered) {
  std::array<float, 4> v{};
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = static_cast<float>(
        DoubleAt(boxes.dtype(), boxes.data(), index * 4 + static_cast<std::int64_t>(i)));
  }
  if (centered) {
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  }
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}

bool Suppresses(const Box& kept, const Box& other, float threshold) {
  const float height = std::min(kept.bottom, other.bottom) - std::max(kept.top, other.top);
  const float width = std::min(kept.right, other.right) - std::max(kept.left, other.left);
  if (!(height > 0) || !(width > 0)) {
    return false;
  }
  const float both = height * width;
  return both / (kept.Area() + other.Area() - both) > threshold;
}

double ScalarOr(const Tensor* tensor, double absent) {
  return tensor == nullptr || tensor->ElementCount() == 0
             ? absent
             : DoubleAt(tensor->dtype(), tensor->data(), 0);
}

}  // namespace

std::vector<SelectedBox> SelectBoxes(const std::vector<const Tensor*>& operands, bool centered) {
  const Tensor& boxes = *operands.at(0);
  const Tensor& scores = *operands.at(1);
  const auto most = static_cast<std::int64_t>(ScalarOr(operands.at(2), 0));
  const auto overlap = static_cast<float>(ScalarOr(operands.at(3), 0));
  const bool has_least = operands.at(4) != nullptr && operands[4]->ElementCount() > 0;
  const auto least = static_cast<float>(ScalarOr(operands.at(4), 0));
  const std::int64_t count = boxes.shape()[1];
  std::vector<SelectedBox> selected;
  for (std::int64_t row = 0; row < scores.shape()[0] * scores.shape()[1]; ++row) {
    const std::int64_t image = row / scores.shape()[1];
    const auto score = [&](std::int64_t box) {
      return static_cast<float>(DoubleAt(scores.dtype(), scores.data(), row * count + box));
    };
    std::vector<std::int64_t> order;
    for (std::int64_t box = 0; box < count; ++box) {
      if (!has_least || score(box) > least) {
        order.push_back(box);
      }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return score(a) > score(b); });
    std::vector<Box> kept;
    for (const std::int64_t candidate : order) {
      if (static_cast<std::int64_t>(kept.size()) >= most) {
        break;
      }
      const Box box = BoxAt(boxes, image * count + candidate, centered);
      if (std::none_of(kept.begin(), kept.end(),
                       [&](const Box& other) { return Suppresses(other, box, overlap); })) {
        kept.push_back(box);
        selected.push_back({image, row % scores.shape()[1], candidate});
      }
    }
  }
  return selected;
}

}  // namespace halftone
