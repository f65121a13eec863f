#include "labs/fusions/chain_networks.h"

#include <fmt/format.h>

#include <utility>

#include "src/ir/network_builder.h"

namespace halftone {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr std::int64_t kSizes[] = {64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB};
constexpr std::int64_t kChannels = 64;

TensorType TypeOf(DType dtype, std::int64_t bytes) {
  return {dtype, Shape{bytes / static_cast<std::int64_t>(SizeOf(dtype)) / kChannels, kChannels}};
}

// A constant with `value` for each channel.
ValueId PerChannel(NetworkBuilder& net, const char* name, DType dtype, double value) {
  Tensor tensor(dtype, Shape{kChannels});
  for (std::int64_t i = 0; i < kChannels; ++i) {
    StoreDouble(dtype, tensor.mutable_data(), i, value);
  }
  return net.Constant(name, std::move(tensor));
}

// x a + b by channels.
Graph ScaleAndShift(DType dtype, std::int64_t bytes) {
  const TensorType type = TypeOf(dtype, bytes);
  NetworkBuilder net;
  const ValueId scaled =
      net.Add(OpKind::kMul, {net.Input("x", type), PerChannel(net, "a", dtype, 0.5)});
  return net.Finish({net.Add(OpKind::kAdd, {scaled, PerChannel(net, "b", dtype, 0.25)})});
}

// max(x a + z, 0) - 1, then its magnitude.
Graph FiveSteps(DType dtype, std::int64_t bytes) {
  const TensorType type = TypeOf(dtype, bytes);
  NetworkBuilder net;
  ValueId y = net.Add(OpKind::kMul, {net.Input("x", type), net.Number(0.5, dtype)});
  y = net.Add(OpKind::kAdd, {y, net.Input("z", type)});
  y = net.Add(OpKind::kRelu, {y});
  y = net.Add(OpKind::kSub, {y, net.Number(1, dtype)});
  return net.Finish({net.Add(OpKind::kAbs, {y})});
}

// tanh(x) sigmoid(z), the gate of recurrent and convolutional networks: two branches that meet.
Graph Gate(DType dtype, std::int64_t bytes) {
  const TensorType type = TypeOf(dtype, bytes);
  NetworkBuilder net;
  const ValueId value = net.Add(OpKind::kTanh, {net.Input("x", type)});
  const ValueId gate = net.Add(OpKind::kSigmoid, {net.Input("z", type)});
  return net.Finish({net.Add(OpKind::kMul, {value, gate})});
}

struct Form {
  const char* name;
  Graph (*make)(DType dtype, std::int64_t bytes);
};

constexpr Form kForms[] = {{"2 steps", ScaleAndShift}, {"5 steps", FiveSteps}, {"gate", Gate}};

}  // namespace

std::vector<GeneratedNetwork> ChainNetworks() {
  std::vector<GeneratedNetwork> networks;
  for (const Form& form : kForms) {
    for (const DType dtype : {DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
      for (const std::int64_t bytes : kSizes) {
        networks.push_back({fmt::format("{}, {} KiB, {}", form.name, bytes / kKiB, NameOf(dtype)),
                            form.make(dtype, bytes)});
      }
    }
  }
  return networks;
}

}  // namespace halftone
