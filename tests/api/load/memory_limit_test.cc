// --max_memory: sizes as they are typed, and networks that need more.
#include "src/api/load/memory_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/api/halftone.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::halftone::testing::ModelWriter;
using ::testing::HasSubstr;

std::string ErrorOf(const std::function<void()>& body, ErrorKind kind) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

TEST(MemoryLimit, SizesAreParsed) {
  EXPECT_EQ(ParseMemorySize("1500000"), 1'500'000);
  EXPECT_EQ(ParseMemorySize("3K"), 3 << 10);
  EXPECT_EQ(ParseMemorySize("512M"), 512 << 20);
  EXPECT_EQ(ParseMemorySize("2G"), std::int64_t{2} << 30);
  EXPECT_EQ(ParseMemorySize("1T"), std::int64_t{1} << 40);
}

TEST(MemoryLimit, OtherSizesAreNamed) {
  for (const char* text : {"", "0", "-1", "M", "1.5G", "12MB", "1g", " 1G", "99999999T"}) {
    EXPECT_EQ(ErrorOf([&] { static_cast<void>(ParseMemorySize(text)); }, ErrorKind::kUsage),
              "E10001: --max_memory=" + std::string(text) +
                  ": expected a number of bytes above 0, as 512M or 2G");
  }
}

// y = relu(x + w): 4 KiB each.
ModelWriter Small() {
  ModelWriter writer;
  writer.Input("x", {1024});
  writer.Floats("w", {1024}, std::vector<float>(1024, 1));
  writer.Node("Add", "add", {"x", "w"}, {"s"});
  writer.Node("Relu", "relu", {"s"}, {"y"});
  writer.Output("y");
  return writer;
}

TEST(MemoryLimit, WeightsAndTheLargestNodeCount) {
  const auto file = Small().Save();
  const auto load = [&](std::int64_t limit) {
    return [&file, limit] { static_cast<void>(LoadModel({.path = file, .max_memory = limit})); };
  };
  EXPECT_EQ(ErrorOf(load(3 * 4096), ErrorKind::kInternal), "no error");
  EXPECT_EQ(ErrorOf(load(3 * 4096 - 1), ErrorKind::kUnsupported),
            "the network needs at least 12.0 KiB of memory (4.00 KiB of weights, 8.00 KiB around "
            "node 'add' (Add)), --max_memory allows 12.0 KiB: raise it, or make the input smaller");
  EXPECT_THAT(ErrorOf(load(4095), ErrorKind::kUnsupported),
              HasSubstr("float32 1024 needs 4.00 KiB of memory with what stands before it, "
                        "--max_memory allows 4.00 KiB"));
}

// Operands and results of a node without constants, which are there already.
TEST(MemoryLimit, WhatTheMachineHasNotIsRefusedBeforeARun) {
  const Model model = LoadModel({.path = Small().Save()});
  EXPECT_EQ(ErrorOf([&] { RequireMachineMemory(model.graph, 8192); }, ErrorKind::kInternal),
            "no error");
  EXPECT_EQ(ErrorOf([&] { RequireMachineMemory(model.graph, 0); }, ErrorKind::kInternal),
            "no error");
  EXPECT_THAT(ErrorOf([&] { RequireMachineMemory(model.graph, 8191); }, ErrorKind::kUnsupported),
              HasSubstr("the network needs at least 8.00 KiB of memory around node 'add' (Add) "
                        "(8192 bytes), there is 8.00 KiB for it: make the input"));
}

// 4 TiB that a file of some bytes asks for.
TEST(MemoryLimit, FoldedConstantsAreRefusedBeforeTheyAreMade) {
  ModelWriter writer;
  writer.Input("x", {1});
  writer.Integers("dims", {1 << 20, 1 << 20});
  writer.Node("ConstantOfShape", "fill", {"dims"}, {"c"});
  writer.Node("Add", "add", {"x", "c"}, {"y"});
  writer.Output("y");
  const auto file = writer.Save();
  EXPECT_THAT(ErrorOf([&] { static_cast<void>(LoadModel({.path = file, .max_memory = 1 << 30})); },
                      ErrorKind::kUnsupported),
              HasSubstr("node 'fill' (ConstantOfShape): float32 1048576x1048576 needs 4.00 TiB"));
}

}  // namespace
}  // namespace halftone
