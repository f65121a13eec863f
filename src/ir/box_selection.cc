#include "src/ir/box_selection.h"

namespace halftone {
namespace {

double ScalarOr(const Tensor* tensor, double absent) {
  return tensor == nullptr || tensor->ElementCount() == 0
             ? absent
             : DoubleAt(tensor->dtype(), tensor->data(), 0);
}

}  // namespace

Box BoxSelection::BoxAt(std::int64_t index) const {
  const float* v = boxes + index * 4;
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

std::vector<SelectedBox> SelectBoxes(const std::vector<const Tensor*>& operands, bool centered) {
  const Tensor boxes = Convert(*operands.at(0), DType::kFloat32);
  const Tensor scores = Convert(*operands.at(1), DType::kFloat32);
  BoxSelection call{.boxes = boxes.values<float>().data(),
                    .scores = scores.values<float>().data(),
                    .images = scores.shape()[0],
                    .classes = scores.shape()[1],
                    .count = boxes.shape()[1],
                    .most = static_cast<std::int64_t>(ScalarOr(operands.at(2), 0)),
                    .overlap = static_cast<float>(ScalarOr(operands.at(3), 0)),
                    .least = std::nullopt,
                    .centered = centered};
  if (operands.at(4) != nullptr && operands[4]->ElementCount() > 0) {
    call.least = static_cast<float>(ScalarOr(operands[4], 0));
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(call.count));
  std::vector<Box> kept(order.size());
  std::vector<SelectedBox> selected;
  ForEachSelectedBox(call, order.data(), kept.data(),
                     [&](std::int64_t image, std::int64_t type, std::int64_t box) {
                       selected.push_back({image, type, box});
                     });
  return selected;
}

}  // namespace halftone
