// Fusions switched off, from the file to the identity of the workload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "src/base/file.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

Model Digits(std::set<std::string, std::less<>> off) {
  return LoadModel(
      {.path = testing::SourceDir() / "examples/digits/model.onnx", .fusions_off = std::move(off)});
}

TEST(FusionSwitches, OtherStepsOfTheSameNodesAreAnotherWorkload) {
  const Model fused = Digits({});
  const Model plain = Digits({"fuse_activation"});
  EXPECT_EQ(plain.graph.nodes.size(), fused.graph.nodes.size());
  EXPECT_NE(plain.hash, fused.hash);
  EXPECT_EQ(plain.hash, Digits({"fuse_activation"}).hash);
}

TEST(FusionSwitches, WhatChangesNothingKeepsTheWorkload) {
  // The model has a Gemm already.
  EXPECT_EQ(Digits({"matmul_to_gemm"}).hash, Digits({}).hash);
}

TEST(FusionSwitches, NamesAreChecked) {
  try {
    Digits({"fold_constants"});
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("there is no fusion 'fold_constants'"));
  }
}

TEST(LoadFusionSwitches, NamesTheFileOnce) {
  const std::string path = ::testing::TempDir() + "halftone_fusion_switches_test.json";
  WriteFileAtomically(path, R"({"Switch": {"UBFusion": {"ALL": "off"}}})");
  EXPECT_THAT(
      LoadFusionSwitches(path).off,
      ::testing::ElementsAre("chain_elementwise", "fuse_activation", "fuse_activation_function",
                             "fuse_residual", "fuse_residual_after_activation"));
  EXPECT_THAT(LoadFusionSwitches("").off, ::testing::IsEmpty());
  WriteFileAtomically(path, "[]");
  try {
    LoadFusionSwitches(path);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.what(), "E10001: --fusion_switch_file=" + path +
                                ": expected {\"Switch\": {\"GraphFusion\": {...}, \"UBFusion\": "
                                "{...}}}, found array");
  }
}

TEST(LoadFusionSwitches, NamesOfNoFusionAreOneWarning) {
  const std::string path = ::testing::TempDir() + "halftone_fusion_switches_test_unknown.json";
  WriteFileAtomically(path,
                      R"({"Switch": {"GraphFusion": {"A": "on", "fold_batch_norm": "off"}}})");
  const FusionSwitches one = LoadFusionSwitches(path);
  EXPECT_THAT(one.off, ::testing::ElementsAre("fold_batch_norm"));
  EXPECT_THAT(one.warnings,
              ::testing::ElementsAre("--fusion_switch_file=" + path +
                                     ": 1 name is of no fusion here and changes nothing: 'A'; "
                                     "docs/internals/passes.md lists those there are"));
  WriteFileAtomically(path, R"({"Switch": {"GraphFusion": {"A": "on", "B": "off"},
                                           "UBFusion": {"C": "off", "D": "off"}}})");
  EXPECT_THAT(LoadFusionSwitches(path).warnings,
              ::testing::ElementsAre(
                  "--fusion_switch_file=" + path +
                  ": 4 names are of no fusion here and change nothing: 'A', 'B', 'C', ...; "
                  "docs/internals/passes.md lists those there are"));
}

}  // namespace
}  // namespace halftone
