#include "src/onnx/upgrade_positions.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/error.h"

namespace halftone {
namespace {

ValueId Integers(GraphBuilder& builder, const std::vector<std::int64_t>& values,
                 const std::string& name) {
  return builder.AddHelperConstant(
      Tensor::From<std::int64_t>({static_cast<std::int64_t>(values.size())}, values), name);
}

// The normalised coordinate of pixel `i` of `extent`: its centre, or with align_corners from -1 at
// the first pixel to 1 at the last one.
double Normalised(std::int64_t i, std::int64_t extent, bool align_corners) {
  const auto at = static_cast<double>(i);
  const auto length = static_cast<double>(extent);
  if (align_corners) {
    return extent > 1 ? 2 * at / (length - 1) - 1 : -1;
  }
  return (2 * at + 1) / length - 1;
}

// [pixels, axes + 1]: x, y (, z) and 1 of every pixel of an image of these extents, last axis
// first.
Tensor PixelGrid(DType dtype, const std::vector<std::int64_t>& extents, bool align_corners) {
  const auto axes = static_cast<std::int64_t>(extents.size());
  Tensor grid(dtype, {Shape(extents).ElementCount(), axes + 1});
  for (std::int64_t pixel = 0; pixel < grid.type().shape[0]; ++pixel) {
    std::int64_t rest = pixel;
    for (std::int64_t k = 0; k < axes; ++k) {
      const std::int64_t extent = extents[static_cast<std::size_t>(axes - 1 - k)];
      StoreDouble(dtype, grid.mutable_data(), pixel * (axes + 1) + k,
                  Normalised(rest % extent, extent, align_corners));
      rest /= extent;
    }
    StoreDouble(dtype, grid.mutable_data(), pixel * (axes + 1) + axes, 1);
  }
  return grid;
}

}  // namespace

void UpgradeAffineGrid(FileNode& node, GraphBuilder& builder) {
  const TensorType theta = InputType(node, builder);
  if (InputOr(node, 1) == kNoValue) {
    throw Error(ErrorKind::kModel, fmt::format("expected 2 inputs, got {}", node.inputs.size()));
  }
  const std::vector<std::int64_t> size =
      IntegersOf(builder.ConstantOf(node.inputs[1], "input 'size'"));
  const auto axes = static_cast<std::int64_t>(size.size()) - 2;
  const bool known = axes == 2 || axes == 3;
  if (!known || !IsFloating(theta.dtype) || theta.shape != Shape{size[0], axes, axes + 1}) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected matrices [N, 2, 3] and a size [N, C, H, W], or [N, 3, 4] and "
                            "[N, C, D, H, W], got {} and {}",
                            theta.ToString(), Shape(size).ToString()));
  }
  for (const std::int64_t extent : size) {
    if (extent < 1) {
      throw Error(ErrorKind::kModel,
                  fmt::format("input 'size': expected extents of at least 1, got {}", extent));
    }
  }
  const std::vector<std::int64_t> image(size.begin() + 2, size.end());
  RequireMakeable(Shape{Shape(image).ElementCount(), axes + 1}.ElementCount());
  builder.Reserve({theta.dtype, {Shape(image).ElementCount(), axes + 1}});
  const Tensor grid = PixelGrid(theta.dtype, image, node.attributes.Int("align_corners", 0) != 0);
  Node turned = HelperNode(node, builder, OpKind::kTranspose, 1);
  turned.inputs = {node.inputs[0]};
  turned.attributes.Set("perm", std::vector<std::int64_t>{0, 2, 1});
  Node product = HelperNode(node, builder, OpKind::kMatMul, 2);
  product.inputs = {builder.AddHelperConstant(grid, node.name + "/grid"),
                    builder.AddHelperNode(std::move(turned))};
  std::vector<std::int64_t> dims = {size[0]};
  dims.insert(dims.end(), image.begin(), image.end());
  dims.push_back(axes);
  node.inputs = {builder.AddHelperNode(std::move(product)),
                 Integers(builder, dims, node.name + "/shape")};
  node.attributes = {};
  node.type = "Reshape";
}

void UpgradeUnique(FileNode& node, GraphBuilder& builder) {
  const bool flat = !node.attributes.Has("axis");
  const std::int64_t axis = node.attributes.Int("axis", 0);
  static_cast<void>(InputType(node, builder));  // throws where there is no operand
  if (node.output_count > 4) {
    throw Error(ErrorKind::kModel,
                fmt::format("expected 1 to 4 outputs, got {}", node.output_count));
  }
  if (flat) {
    Node values = HelperNode(node, builder, OpKind::kReshape, 2);
    values.inputs = {node.inputs[0], Integers(builder, {-1}, node.name + "/flat")};
    node.inputs[0] = builder.AddHelperNode(std::move(values));
  }
  Node unique = HelperNode(node, builder, OpKind::kUnique, 1);
  unique.attributes = node.attributes;
  unique.inputs = node.inputs;
  const std::size_t made = std::max<std::size_t>(node.output_count, 2) - 1;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < made; ++i) {
    names.push_back(builder.value_names.Make(fmt::format("{}:{}", unique.name, i)));
  }
  node.made_outputs = builder.AddNode(std::move(unique), names);
  node.inputs.push_back(node.made_outputs.at(0));
  node.made_outputs.insert(node.made_outputs.begin(), kNoValue);
  node.output_count = 1;
  node.attributes = {};
  node.attributes.Set("axis", axis);
  node.type = "Gather";
}

}  // namespace halftone
