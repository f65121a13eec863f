#include "src/onnx/upgrade_pool.h"

#include <fmt/format.h>

#include "src/base/error.h"
#include "src/base/limits.h"

namespace halftone {
namespace {

ValueId Integers(GraphBuilder& builder, const std::vector<std::int64_t>& values,
                 const std::string& name) {
  return builder.AddHelperConstant(
      Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values), name);
}

// Attribute `name`: `count` numbers, `absent` where it is left out.
std::vector<std::int64_t> NumbersOf(const FileNode& node, std::string_view name, std::size_t count,
                                    std::int64_t absent) {
  std::vector<std::int64_t> values = node.attributes.Ints(name);
  if (values.empty()) {
    values.assign(count, absent);
  }
  if (values.size() != count) {
    throw Error(ErrorKind::kModel, fmt::format("attribute '{}': expected {} numbers, got {}", name,
                                               count, values.size()));
  }
  return values;
}

// Shape of the operand of the MaxPool with the same window, strides and padding.
Shape UnpooledShape(const FileNode& node, const Shape& x) {
  const auto axes = static_cast<std::size_t>(std::max(x.rank() - 2, 0));
  const auto window = NumbersOf(node, "kernel_shape", axes, 1);
  const auto strides = NumbersOf(node, "strides", axes, 1);
  const auto pads = NumbersOf(node, "pads", 2 * axes, 0);
  std::vector<std::int64_t> dims = x.dims();
  for (std::size_t i = 0; i < axes; ++i) {
    // In double: a file may hold any numbers.
    const double extent = static_cast<double>(dims[i + 2] - 1) * static_cast<double>(strides[i]) +
                          static_cast<double>(window[i]) - static_cast<double>(pads[i]) -
                          static_cast<double>(pads[i + axes]);
    if (!(extent >= 1 && extent <= static_cast<double>(limits::kMostExtent))) {
      throw Error(ErrorKind::kModel,
                  fmt::format("axis {} of the result would have {:g} elements", i + 2, extent));
    }
    dims[i + 2] = static_cast<std::int64_t>(extent);
  }
  return Shape(std::move(dims));
}

void RequireOutputShape(const FileNode& node, GraphBuilder& builder, const Shape& unpooled) {
  if (InputOr(node, 2) == kNoValue) {
    return;
  }
  const std::vector<std::int64_t> stated =
      IntegersOf(builder.ConstantOf(node.inputs[2], "output_shape"));
  if (stated != unpooled.dims()) {
    ThrowUnsupported(fmt::format("output_shape {} is not what window, strides and padding give, {}",
                                 Shape(stated).ToString(), unpooled.ToString()));
  }
}

}  // namespace

void UpgradeGlobalLpPool(FileNode& node, GraphBuilder& builder) {
  const Shape& x = InputType(node, builder).shape;
  if (x.rank() < 3) {
    throw Error(ErrorKind::kModel, fmt::format("expected 3 axes or more, got {}",
                                               InputType(node, builder).ToString()));
  }
  node.attributes.Set("kernel_shape",
                      std::vector<std::int64_t>(x.dims().begin() + 2, x.dims().end()));
  node.type = "LpPool";
}

void UpgradeMaxUnpool(FileNode& node, GraphBuilder& builder) {
  if (InputOr(node, 0) == kNoValue || InputOr(node, 1) == kNoValue) {
    throw Error(ErrorKind::kModel, "expected 2 or 3 inputs, got fewer");
  }
  const TensorType x = InputType(node, builder);
  const Shape unpooled = UnpooledShape(node, x.shape);
  RequireOutputShape(node, builder, unpooled);
  const ValueId flat = Integers(builder, {-1}, node.name + "/flat");
  Node values = HelperNode(node, builder, OpKind::kReshape, 1);
  values.inputs = {node.inputs[0], flat};
  Node indices = HelperNode(node, builder, OpKind::kReshape, 2);
  indices.inputs = {node.inputs[1], flat};
  Node scatter = HelperNode(node, builder, OpKind::kScatterElements, 3);
  RequireMakeable(unpooled.ElementCount());
  builder.Reserve({x.dtype, {unpooled.ElementCount()}});
  const Tensor zeros(x.dtype, Shape{unpooled.ElementCount()});
  scatter.inputs = {builder.AddHelperConstant(zeros, node.name + "/zeros"),
                    builder.AddHelperNode(std::move(indices)),
                    builder.AddHelperNode(std::move(values))};
  scatter.attributes.Set("axis", std::int64_t{0});
  node.inputs = {builder.AddHelperNode(std::move(scatter)),
                 Integers(builder, unpooled.dims(), node.name + "/shape")};
  node.attributes = {};
  node.type = "Reshape";
}

}  // namespace halftone
