#include "search/operators/profile_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "src/ir/network_builder.h"

namespace halftone {
namespace {

// A convolution of square images in one batch, padded to keep their size.
struct ConvCall {
  std::int64_t size;  // of an edge, before the stride
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t group = 1;
};

// What convolutional networks are made of: 1x1 from 1 pixel to 160x160, 3x3 from 7x7 to 160x160,
// first layers, depthwise and grouped ones. Neighbours differ by a factor of about 4 in pixels and
// in channels; at most 65 million multiply-adds a call, most far below.
constexpr ConvCall kConvCalls[] = {
    // 1x1
    {1, 96, 24},
    {1, 512, 512},
    {1, 1024, 1024},
    {4, 64, 64},
    {4, 512, 512},
    {7, 96, 576},
    {7, 960, 160},
    {7, 320, 1280},
    {14, 64, 64},
    {14, 64, 384},
    {14, 384, 64},
    {14, 256, 256},
    {14, 576, 160},
    {28, 16, 64},
    {28, 32, 192},
    {28, 192, 32},
    {28, 128, 128},
    {28, 256, 96},
    {56, 16, 16},
    {56, 24, 144},
    {56, 144, 24},
    {56, 64, 64},
    {56, 32, 128},
    {56, 128, 32},
    {112, 16, 16},
    {112, 16, 96},
    {112, 32, 16},
    {112, 32, 32},
    {160, 16, 32},
    {56, 128, 96, 1, 2},
    // 3x3
    {4, 96, 96, 3},
    {7, 128, 128, 3},
    {7, 256, 256, 3},
    {14, 32, 32, 3},
    {14, 96, 96, 3},
    {14, 160, 160, 3},
    {28, 16, 64, 3},
    {28, 32, 128, 3},
    {28, 96, 96, 3},
    {56, 16, 16, 3},
    {56, 16, 64, 3},
    {56, 48, 48, 3},
    {112, 8, 8, 3},
    {80, 32, 32, 3},
    {160, 8, 12, 3},
    {28, 128, 128, 3, 2},
    {56, 32, 64, 3, 2},
    {112, 16, 32, 3, 2},
    {224, 3, 16, 3, 2},
    {224, 3, 32, 3, 2},
    // wider windows
    {112, 3, 64, 7, 2},
    {28, 16, 32, 5},
    {40, 32, 32, 5},
    // depthwise
    {2, 480, 480, 5, 1, 480},
    {4, 96, 96, 3, 1, 96},
    {7, 576, 576, 3, 1, 576},
    {7, 576, 576, 5, 1, 576},
    {14, 384, 384, 3, 1, 384},
    {14, 240, 240, 5, 1, 240},
    {28, 192, 192, 3, 1, 192},
    {28, 120, 120, 5, 1, 120},
    {28, 192, 192, 3, 2, 192},
    {56, 32, 32, 3, 1, 32},
    {56, 128, 128, 3, 1, 128},
    {56, 72, 72, 5, 2, 72},
    {112, 16, 16, 3, 1, 16},
    {112, 64, 64, 3, 2, 64},
    {160, 32, 32, 3, 1, 32},
    // grouped
    {7, 544, 136, 1, 1, 4},
    {14, 272, 68, 1, 1, 4},
    {28, 136, 136, 1, 1, 4},
    {56, 24, 112, 1, 1, 4},
    {7, 768, 768, 1, 1, 8},
    {14, 400, 400, 1, 1, 8},
    {28, 64, 64, 1, 1, 2},
    {56, 64, 64, 3, 1, 4},
    {28, 256, 256, 3, 1, 8},
    {14, 512, 512, 3, 1, 32},
    {56, 128, 128, 3, 1, 32},
};

// A product [rows, terms] x [terms, columns]; `products` above 1: of so many pairs of matrices.
struct ProductCall {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t terms;
  std::int64_t products = 1;
};

// Classifiers and decoders with one row, encoders with 16 to 512 rows of 64 to 3072 terms, and the
// two products of attention.
constexpr ProductCall kProductCalls[] = {
    {1, 64, 64},        {1, 256, 256},     {1, 1000, 1024},   {1, 4096, 768},  {1, 512, 2048},
    {4, 256, 256},      {4, 1024, 1024},   {16, 64, 64},      {16, 288, 288},  {16, 768, 768},
    {49, 512, 512},     {64, 64, 256},     {64, 192, 64},     {128, 128, 128}, {128, 768, 768},
    {128, 1024, 256},   {128, 256, 1024},  {361, 96, 96},     {361, 384, 192}, {512, 64, 64},
    {512, 512, 128},    {1024, 32, 32},    {1024, 128, 256},  {64, 64, 32, 8}, {128, 128, 64, 12},
    {128, 64, 128, 12}, {361, 361, 32, 4}, {361, 32, 361, 4},
};

Attributes ConvAttributes(const ConvCall& call) {
  const std::int64_t before = (call.kernel - 1) / 2;
  Attributes attributes;
  attributes.Set("kernel_shape", std::vector<std::int64_t>{call.kernel, call.kernel});
  attributes.Set("pads", std::vector<std::int64_t>(4, before));
  attributes.Set("strides", std::vector<std::int64_t>{call.stride, call.stride});
  attributes.Set("group", call.group);
  return attributes;
}

// Element `i` of constants, from -1 to 1: times do not depend on values, and random numbers take
// longer than the calls.
double ValueAt(std::int64_t i) {
  return static_cast<double>(i * 37 % 201 - 100) / 100;
}

class Grid {
 public:
  explicit Grid(OpKind op) : op_(op) {}

  void Add(const ConvCall& call) {
    const std::int64_t terms = call.in / call.group * call.kernel * call.kernel;
    const Shape weights{call.out, call.in / call.group, call.kernel, call.kernel};
    const ValueId x = Operand({1, call.in, call.size, call.size});
    Finish(op_ == OpKind::kConv
               ? builder_.Add(
                     op_, {x, Weights(weights, terms), builder_.Random(Name("b"), {call.out}, 1)},
                     ConvAttributes(call), Name("call"))
               : builder_.Add(op_, Quantized(x, weights), ConvAttributes(call), Name("call")));
  }

  void Add(const ProductCall& call) {
    const bool many = call.products > 1;
    if (many && op_ != OpKind::kMatMul) {
      return;  // one matrix of weights only
    }
    const auto of = [&](std::int64_t rows, std::int64_t columns) {
      return many ? Shape{call.products, rows, columns} : Shape{rows, columns};
    };
    const ValueId a = Operand(of(call.rows, call.terms));
    const Shape weights = of(call.terms, call.columns);
    std::vector<ValueId> operands;
    if (op_ == OpKind::kQLinearMatMul) {
      operands = Quantized(a, weights);
    } else {
      operands = {a, many ? Operand(weights) : Weights(weights, call.terms)};
    }
    if (op_ == OpKind::kGemm) {
      operands.push_back(builder_.Random(Name("b"), {call.columns}, 1));
    }
    Finish(builder_.Add(op_, std::move(operands), {}, Name("call")));
  }

  Graph Take() { return builder_.Finish(std::move(outputs_)); }

 private:
  [[nodiscard]] bool quantized() const {
    return op_ == OpKind::kQLinearConv || op_ == OpKind::kQLinearMatMul;
  }

  [[nodiscard]] std::string Name(std::string_view part) const {
    return fmt::format("{}{}", part, outputs_.size());
  }

  // A value that a step of the network makes, from an input.
  ValueId Operand(const Shape& shape) {
    const ValueId input = builder_.Input(fmt::format("x{}", inputs_++), {DType::kFloat32, shape});
    if (!quantized()) {
      return builder_.Add(OpKind::kRelu, {input}, {}, fmt::format("made{}", inputs_));
    }
    return builder_.Add(OpKind::kQuantizeLinear, {input, builder_.Number(1.0 / 64), Zero()}, {},
                        fmt::format("made{}", inputs_));
  }

  // Constants whose sums of so many products stay near 1.
  ValueId Weights(const Shape& shape, std::int64_t terms) {
    Tensor weights(DType::kFloat32, shape);
    const double scale = 1 / std::sqrt(static_cast<double>(terms));
    std::int64_t i = 0;
    for (float& value : weights.mutable_values<float>()) {
      value = static_cast<float>(scale * ValueAt(i++));
    }
    return builder_.Constant(Name("w"), std::move(weights));
  }

  ValueId Zero() { return builder_.Number(0, DType::kInt8); }

  // Operands of a call of int8: data, weights and result with a scale and a zero point each.
  std::vector<ValueId> Quantized(ValueId data, const Shape& shape) {
    Tensor weights(DType::kInt8, shape);
    std::int64_t i = 0;
    for (std::int8_t& value : weights.mutable_values<std::int8_t>()) {
      value = static_cast<std::int8_t>(100 * ValueAt(i++));
    }
    return {data,
            builder_.Number(1.0 / 64),
            Zero(),
            builder_.Constant(Name("w"), std::move(weights)),
            builder_.Number(1.0 / 128),
            Zero(),
            builder_.Number(1.0 / 8),
            Zero()};
  }

  // The result is reduced to a number: nothing large is copied out.
  void Finish(ValueId result) {
    if (quantized()) {
      result = builder_.Add(OpKind::kDequantizeLinear, {result, builder_.Number(1.0 / 8), Zero()},
                            {}, Name("float"));
    }
    outputs_.push_back(builder_.Add(OpKind::kReduceMax, {result}, {}, Name("reduced")));
  }

  OpKind op_;
  NetworkBuilder builder_;
  int inputs_ = 0;
  std::vector<ValueId> outputs_;
};

template <const auto& kCalls>
Graph GridOf(OpKind op) {
  Grid grid(op);
  for (const auto& call : kCalls) {
    grid.Add(call);
  }
  return grid.Take();
}

struct GridRow {
  OpKind op;
  Graph (*make)(OpKind op);
};

constexpr GridRow kGrids[] = {
    {OpKind::kConv, GridOf<kConvCalls>},
    {OpKind::kQLinearConv, GridOf<kConvCalls>},
    {OpKind::kGemm, GridOf<kProductCalls>},
    {OpKind::kMatMul, GridOf<kProductCalls>},
    {OpKind::kQLinearMatMul, GridOf<kProductCalls>},
};

}  // namespace

std::optional<Graph> ProfileNetwork(OpKind op) {
  const auto* const row = std::ranges::find(kGrids, op, &GridRow::op);
  return row == std::end(kGrids) ? std::nullopt : std::optional(row->make(op));
}

}  // namespace halftone
