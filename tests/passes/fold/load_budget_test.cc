// What folding may cost: counted before it is done, kept unfolded beyond it.
#include "src/passes/fold/load_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/passes/fold/fold_constants.h"

namespace halftone {
namespace {

TEST(LoadBudget, TakesUntilNothingIsLeft) {
  LoadBudget budget;
  EXPECT_TRUE(budget.Take({.operations = LoadBudget::kOperations / 2}));
  EXPECT_FALSE(budget.Affords({.operations = LoadBudget::kOperations}));
  EXPECT_FALSE(budget.Take({.operations = LoadBudget::kOperations}));
  EXPECT_TRUE(budget.Take({.operations = 1000, .bytes = 1000}));  // nothing was taken by a refusal
  EXPECT_FALSE(budget.Take({.bytes = LoadBudget::kBytes}));
}

TEST(LoadBudget, WhatIsLargeLeavesRoomForShapes) {
  LoadBudget budget;
  EXPECT_FALSE(budget.Take({.bytes = LoadBudget::kBytes}));
  EXPECT_TRUE(budget.Take({.bytes = LoadBudget::kBytes / 4 * 3}));
  EXPECT_FALSE(budget.Take({.bytes = LoadBudget::kBytes / 8}));
  EXPECT_TRUE(budget.Take({.operations = 8, .bytes = 64}));
}

TEST(LoadBudget, GrowsWithTheConstantsOfTheModel) {
  LoadBudget budget;
  budget.Allow(LoadBudget::kBytes);
  EXPECT_TRUE(
      budget.Take({.operations = LoadBudget::kOperations * 8, .bytes = LoadBudget::kBytes * 8}));
}

TEST(LoadBudget, TheRefusalNamesNeedAndWhatIsLeft) {
  EXPECT_EQ(LoadBudget().Refusal({.operations = 1e12, .bytes = 0x1p40}),
            "needs 1e+12 operations and 1.00 TiB of memory, 6.71e+07 and 64.0 MiB are left of what "
            "loading a model of this size may take");
}

struct CostCase {
  std::string name;
  OpKind op;
  std::vector<std::vector<std::int64_t>> inputs;
  std::vector<std::int64_t> output;
  double operations;
  std::vector<std::int64_t> kernel_shape = {};
};

class CostOfFoldingTest : public ::testing::TestWithParam<CostCase> {};

TEST_P(CostOfFoldingTest, CountsWhatTheReferenceDoes) {
  const CostCase& c = GetParam();
  std::vector<TensorType> types;
  for (const auto& dims : c.inputs) {
    types.push_back({DType::kFloat32, Shape(dims)});
  }
  const TensorType output{DType::kFloat32, Shape(c.output)};
  Attributes attributes;
  if (!c.kernel_shape.empty()) {
    attributes.Set("kernel_shape", c.kernel_shape);
  }
  if (c.op == OpKind::kEinsum) {
    attributes.Set("equation", std::string("ij,jk->ik"));
  }
  KernelQuery query{.op = c.op, .attributes = &attributes, .outputs = {&output}};
  for (const TensorType& type : types) {
    query.inputs.push_back(&type);
  }
  const LoadCost cost = CostOfFolding(query);
  EXPECT_EQ(cost.operations, c.operations);
  EXPECT_EQ(cost.bytes,
            c.op == OpKind::kReshape ? 0 : 4.0 * static_cast<double>(output.shape.ElementCount()));
}

INSTANTIATE_TEST_SUITE_P(
    Operators, CostOfFoldingTest,
    ::testing::Values(
        CostCase{"Add", OpKind::kAdd, {{8, 8}, {8, 8}}, {8, 8}, 3 * 64},
        CostCase{"View", OpKind::kReshape, {{8, 8}, {1}}, {64}, 0},
        CostCase{"Fill", OpKind::kConstantOfShape, {{1}}, {1 << 28}, (1 << 28) + 1},
        CostCase{"MatMul", OpKind::kMatMul, {{100, 200}, {200, 300}}, {100, 300}, 100 * 200 * 300},
        CostCase{"Gemm", OpKind::kGemm, {{100, 200}, {200, 300}}, {100, 300}, 100 * 200 * 300},
        CostCase{"Einsum", OpKind::kEinsum, {{100, 200}, {200, 300}}, {100, 300}, 100 * 200 * 300},
        CostCase{"Conv",
                 OpKind::kConv,
                 {{1, 8, 16, 16}, {4, 8, 3, 3}},
                 {1, 4, 14, 14},
                 4 * 14 * 14 * 8 * 9},
        CostCase{"ConvTranspose",
                 OpKind::kConvTranspose,
                 {{1, 8, 16, 16}, {8, 4, 3, 3}},
                 {1, 4, 18, 18},
                 8 * 16 * 16 * 4 * 9},
        CostCase{"MaxPool",
                 OpKind::kMaxPool,
                 {{1, 1, 64, 64}},
                 {1, 1, 33, 33},
                 33 * 33 * 32 * 32,
                 {32, 32}},
        CostCase{"Det", OpKind::kDet, {{10, 64, 64}}, {10}, 10 * 64 * 64 * 64},
        CostCase{"Lstm",
                 OpKind::kLstm,
                 {{10, 2, 8}, {1, 32, 8}, {1, 32, 8}},
                 {10, 1, 2, 8},
                 10 * 2 * 2 * 256}),
    [](const auto& test) { return test.param.name; });

// 40 results of 1 GiB would be 40 GiB before anything runs.
TEST(FoldConstants, ResultsBeyondTheBudgetStayNodes) {
  Graph graph;
  const ValueId dims = graph.AddValue(
      {.name = "dims",
       .type = {DType::kInt64, Shape({1})},
       .constant = Tensor::From<std::int64_t>({1}, std::vector<std::int64_t>{1 << 28})});
  for (int i = 0; i < 40; ++i) {
    const ValueId filled = graph.AddValue({.name = "c" + std::to_string(i),
                                           .type = {DType::kFloat32, Shape({1 << 28})},
                                           .constant = {}});
    Node node{.op = OpKind::kConstantOfShape, .name = "fill" + std::to_string(i)};
    node.inputs = {dims};
    node.outputs = {filled};
    graph.nodes.push_back(std::move(node));
    graph.outputs.push_back(filled);
  }
  FoldConstants(graph);
  EXPECT_EQ(graph.nodes.size(), 40U);
}

}  // namespace
}  // namespace halftone
