#include "kernels/conv/winograd_filters.h"

#include <vector>

#include "kernels/conv/winograd_transforms.h"
#include "kernels/tile/half_rows.h"
#include "src/ir/half.h"

namespace halftone {
namespace {

// G g G^T of one filter.
void TransformFilter(const float* g, double (&u)[kWinogradProducts]) {
  double half[kWinogradInput][3];  // G g
  for (int column = 0; column < 3; ++column) {
    const double outer = double{g[column]} + g[6 + column];
    half[0][column] = g[column];
    half[1][column] = (outer + g[3 + column]) / 2;
    half[2][column] = (outer - g[3 + column]) / 2;
    half[3][column] = g[6 + column];
  }
  for (std::int64_t row = 0; row < kWinogradInput; ++row) {
    const double outer = half[row][0] + half[row][2];
    double* to = u + row * kWinogradInput;
    to[0] = half[row][0];
    to[1] = (outer + half[row][1]) / 2;
    to[2] = (outer - half[row][1]) / 2;
    to[3] = half[row][2];
  }
}

// [O, C, 3, 3] as products of [O, C].
std::vector<Tensor> TransformFilters(const Tensor& weights) {
  std::vector<float> widened(static_cast<std::size_t>(weights.shape().ElementCount()));
  WidenRow(weights.dtype(), weights.data(), widened.data(), weights.shape().ElementCount());
  std::vector<Tensor> products;
  BFloat16* elements[kWinogradProducts];
  for (BFloat16*& first : elements) {
    products.emplace_back(DType::kBFloat16, Shape{weights.shape()[0], weights.shape()[1]});
    first = products.back().mutable_values<BFloat16>().data();
  }
  for (std::int64_t filter = 0; filter < weights.shape()[0] * weights.shape()[1]; ++filter) {
    double u[kWinogradProducts];
    TransformFilter(widened.data() + filter * 9, u);
    for (int product = 0; product < kWinogradProducts; ++product) {
      elements[product][filter] = BFloat16::FromDouble(u[product]);
    }
  }
  return products;
}

}  // namespace

Tensor PackWinogradFilters(const Tensor& weights, const PanelLayout& layout) {
  const std::int64_t panel_bytes = layout.panel_bytes();
  Tensor packed(DType::kUInt8, Shape{kWinogradProducts * layout.size_bytes()});
  const std::vector<Tensor> products = TransformFilters(weights);
  for (std::int64_t product = 0; product < kWinogradProducts; ++product) {
    const StridedMatrix source{.dtype = DType::kBFloat16,
                               .data = products[static_cast<std::size_t>(product)].data(),
                               .step_stride = 1,
                               .column_stride = layout.k};
    for (std::int64_t panel = 0; panel < layout.panels(); ++panel) {
      // PackPanels() puts a panel behind those before it.
      std::byte* to = packed.mutable_data() + (panel * kWinogradProducts + product) * panel_bytes;
      PackPanels(source, layout, panel, panel + 1, to - panel * panel_bytes);
    }
  }
  return packed;
}

}  // namespace halftone
