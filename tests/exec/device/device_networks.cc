#include "tests/exec/device/device_networks.h"

#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/net.h"

namespace halftone::testing {
namespace {

constexpr std::int64_t kRows = 6;
constexpr std::int64_t kWidth = 16;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kChannels = 4;
constexpr std::int64_t kSide = 6;

// A network that grows by patterns. Names count up, so that weights of equal nodes differ.
class Growing : public Net {
 public:
  explicit Growing(Rng& rng) : rng_(rng) {}

  ValueId Of(OpKind op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    return Add(op, "n" + std::to_string(nodes_++), std::move(inputs), std::move(attributes));
  }

  ValueId Made(Shape shape, double low = -1, double high = 1) {
    return Weights("w" + std::to_string(nodes_++), std::move(shape), low, high);
  }

  ValueId List(const std::vector<std::int64_t>& values) {
    return Integers("i" + std::to_string(nodes_++), values);
  }

  ValueId Mean(ValueId x) { return Of(OpKind::kReduceMean, {x, List({-1})}); }

  ValueId Deviation(ValueId x) {
    const ValueId square = Of(OpKind::kPow, {x, Number(2)});
    return Of(OpKind::kSqrt, {Of(OpKind::kAdd, {Mean(square), Number(0x1p-10)})});
  }

  ValueId LayerNorm(ValueId x) {
    const ValueId d = Of(OpKind::kSub, {x, Mean(x)});
    const ValueId y = Of(OpKind::kDiv, {d, Deviation(d)});
    return Of(OpKind::kAdd, {Of(OpKind::kMul, {y, Made({kWidth})}), Made({kWidth})});
  }

  ValueId RmsNorm(ValueId x) {
    return Of(OpKind::kMul, {Of(OpKind::kDiv, {x, Deviation(x)}), Made({kWidth})});
  }

  ValueId GeluByErf(ValueId x) {
    const ValueId t = Of(OpKind::kDiv, {x, Number(std::numbers::sqrt2)});
    const ValueId s = Of(OpKind::kAdd, {Of(OpKind::kErf, {t}), Number(1)});
    return Of(OpKind::kMul, {Of(OpKind::kMul, {x, s}), Number(0.5)});
  }

  ValueId GeluByTanh(ValueId x) {
    const ValueId cube = Of(OpKind::kPow, {x, Number(3)});
    const ValueId inner = Of(OpKind::kAdd, {x, Of(OpKind::kMul, {cube, Number(0.044715)})});
    const ValueId t = Of(OpKind::kMul, {inner, Number(std::sqrt(2 / std::numbers::pi))});
    const ValueId s = Of(OpKind::kAdd, {Of(OpKind::kTanh, {t}), Number(1)});
    return Of(OpKind::kMul, {Of(OpKind::kMul, {x, Number(0.5)}), s});
  }

  ValueId Swish(ValueId x) { return Of(OpKind::kMul, {x, Of(OpKind::kSigmoid, {x})}); }

  ValueId HardSwish(ValueId x) {
    const ValueId sum = Of(OpKind::kAdd, {x, Number(3)});
    const ValueId gate = Of(OpKind::kClip, {sum, Number(0), Number(6)});
    return Of(OpKind::kDiv, {Of(OpKind::kMul, {x, gate}), Number(6)});
  }

  ValueId Activation(ValueId x) {
    switch (rng_.Below(6)) {
      case 0:
        return Of(OpKind::kRelu, {x});
      case 1:
        return Of(OpKind::kSigmoid, {x});
      case 2:
        return Of(OpKind::kTanh, {x});
      case 3:
        return Of(OpKind::kClip, {x, Number(0), Number(6)});
      case 4:
        return Swish(x);
      default:
        return HardSwish(x);
    }
  }

  // A product with what may be fused behind it.
  ValueId Linear(ValueId x) {
    ValueId y = Of(OpKind::kMatMul, {x, Made({kWidth, kWidth})});
    y = Of(OpKind::kAdd, {y, Made({kWidth})});
    y = rng_.Below(2) == 0 ? Activation(y) : y;
    return rng_.Below(2) == 0 ? Of(OpKind::kAdd, {y, x}) : y;
  }

  ValueId HeadsOf(ValueId x, std::vector<std::int64_t> perm) {
    const ValueId rows = Of(OpKind::kMatMul, {x, Made({kWidth, kWidth})});
    const ValueId split = Of(OpKind::kReshape, {rows, List({1, kRows, kHeads, kWidth / kHeads})});
    return Of(OpKind::kTranspose, {split}, With("perm", std::move(perm)));
  }

  ValueId Attention(ValueId x) {
    const ValueId scores =
        Of(OpKind::kMatMul, {HeadsOf(x, {0, 2, 1, 3}), HeadsOf(x, {0, 2, 3, 1})});
    ValueId scaled = Of(OpKind::kMul, {scores, Number(std::sqrt(1.0 * kHeads / kWidth))});
    if (rng_.Below(2) == 0) {
      scaled = Of(OpKind::kAdd, {scaled, Made({1, 1, 1, kRows}, -4, 0)});
    }
    const ValueId moved = Of(OpKind::kSoftmax, {scaled}, With("axis", std::int64_t{-1}));
    const ValueId values = Of(OpKind::kMatMul, {moved, HeadsOf(x, {0, 2, 1, 3})});
    const ValueId rows =
        Of(OpKind::kTranspose, {values}, With("perm", std::vector<std::int64_t>{0, 2, 1, 3}));
    return Of(OpKind::kReshape, {rows, List({1, kRows, kWidth})});
  }

  ValueId MaskedSoftmax(ValueId x) {
    const ValueId scaled = Of(OpKind::kMul, {x, Number(0.35)});
    const ValueId masked = Of(OpKind::kAdd, {scaled, Made({kRows, kWidth}, -4, 4)});
    return Of(OpKind::kSoftmax, {masked}, With("axis", std::int64_t{-1}));
  }

  ValueId RowPattern(ValueId x) {
    switch (rng_.Below(8)) {
      case 0:
        return LayerNorm(x);
      case 1:
        return RmsNorm(x);
      case 2:
        return GeluByErf(x);
      case 3:
        return GeluByTanh(x);
      case 4:
        return Attention(x);
      case 5:
        return MaskedSoftmax(x);
      case 6:
        return Of(OpKind::kMul, {x, Of(OpKind::kTanh, {Of(OpKind::kSoftplus, {x})})});
      default:
        return Linear(x);
    }
  }

  ValueId Norm(ValueId x) {
    return Of(OpKind::kBatchNormalization, {x, Made({kChannels}), Made({kChannels}),
                                            Made({kChannels}), Made({kChannels}, 0.25, 2)});
  }

  ValueId Convolution(ValueId x) {
    const auto same = [](std::int64_t group) {
      Attributes attributes;
      attributes.Set("pads", std::vector<std::int64_t>{1, 1, 1, 1});
      attributes.Set("group", group);
      return attributes;
    };
    switch (rng_.Below(4)) {
      case 0:
        return Of(OpKind::kConv, {x, Made({kChannels, kChannels, 1, 1})});
      case 1:
        return Of(OpKind::kConv, {x, Made({kChannels, 1, 3, 3})}, same(kChannels));
      case 2:
        return Of(OpKind::kConvTranspose, {x, Made({kChannels, kChannels, 3, 3})}, same(1));
      default:
        return Of(OpKind::kConv, {x, Made({kChannels, kChannels, 3, 3}), Made({kChannels})},
                  same(1));
    }
  }

  ValueId ImagePattern(ValueId x) {
    ValueId y = rng_.Below(6) == 0 ? x : Convolution(x);
    switch (rng_.Below(4)) {
      case 0:
        break;
      case 1:
        y = Of(OpKind::kMul, {y, Made({1, kChannels, 1, 1})});
        y = Of(OpKind::kAdd, {y, Made({1, kChannels, 1, 1})});
        break;
      default:
        y = Norm(y);
        break;
    }
    if (rng_.Below(3) == 0) {
      y = Of(OpKind::kAdd, {y, x});
    }
    return rng_.Below(3) != 0 ? Activation(y) : y;
  }

 private:
  Rng& rng_;
  int nodes_ = 0;
};

}  // namespace

DeviceNetwork RandomDeviceNetwork(Rng& rng) {
  Growing net(rng);
  const bool rows = rng.Below(2) == 0;
  const Shape shape = rows ? Shape{1, kRows, kWidth} : Shape{1, kChannels, kSide, kSide};
  ValueId x = net.Input("x", shape);
  const double most = rng.Below(3) == 0 ? 1000 : 2;
  for (std::size_t patterns = 2 + rng.Below(4); patterns > 0; --patterns) {
    x = rows ? net.RowPattern(x) : net.ImagePattern(x);
  }
  DeviceNetwork network;
  network.graph = net.Finish({x});
  network.sample.push_back(RandomTensor({DType::kFloat32, shape}, rng, -most, most));
  return network;
}

}  // namespace halftone::testing
