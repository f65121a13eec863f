#include "src/ir/constant_pool.h"

#include <gtest/gtest.h>

#include <limits>

namespace halftone {
namespace {

Graph GraphOf(const std::vector<Tensor>& constants) {
  Graph graph;
  for (const Tensor& constant : constants) {
    graph.AddValue({.name = "c", .type = constant.type(), .constant = constant});
  }
  return graph;
}

Tensor Floats(Shape shape, const std::vector<float>& values) {
  return Tensor::From<float>(std::move(shape), values);
}

TEST(ConstantPoolTest, EqualConstantsBecomeOneTensor) {
  Graph one = GraphOf({Floats({2}, {1, 2}), Floats({2}, {1, 3}), Floats({1, 2}, {1, 2})});
  Graph two = GraphOf({Floats({2}, {1, 2}), Tensor(DType::kFloat32, {0})});
  ConstantPool pool;
  pool.Share(one);
  EXPECT_EQ(pool.size_bytes(), 24U);
  EXPECT_NE(one.values[0].constant->data(), one.values[1].constant->data());
  EXPECT_NE(one.values[0].constant->data(), one.values[2].constant->data());  // another shape
  pool.Share(two);
  EXPECT_EQ(two.values[0].constant->data(), one.values[0].constant->data());
  EXPECT_EQ(pool.size_bytes(), 24U);
}

// Bytes decide, not values: -0 is not 0, and NaN is itself.
TEST(ConstantPoolTest, BytesDecide) {
  Graph graph = GraphOf({Floats({1}, {0.0F}), Floats({1}, {-0.0F}),
                         Floats({1}, {std::numeric_limits<float>::quiet_NaN()}),
                         Floats({1}, {std::numeric_limits<float>::quiet_NaN()})});
  ConstantPool pool;
  pool.Share(graph);
  EXPECT_NE(graph.values[0].constant->data(), graph.values[1].constant->data());
  EXPECT_EQ(graph.values[2].constant->data(), graph.values[3].constant->data());
}

}  // namespace
}  // namespace halftone
