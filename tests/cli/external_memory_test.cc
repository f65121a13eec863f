// A model of 2 GiB of external data: how much memory the program takes at most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "tests/support/model_writer.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using testing::ModelWriter;
using testing::RunProcess;
namespace fs = std::filesystem;

constexpr std::int64_t kExtent = 8192;
constexpr std::int64_t kWeightBytes = kExtent * kExtent * 4;
constexpr int kWeights = 8;
constexpr double kModelBytes = static_cast<double>(kWeightBytes) * kWeights;

// The most that any child so far had in memory at once, mapped files included.
double MostBytesOfChildren() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// x [1,8192] times eight matrices, whose zeros take no room on the disk.
fs::path SaveModel() {
  ModelWriter writer;
  writer.Input("x", {1, kExtent});
  std::string value = "x";
  for (int i = 0; i < kWeights; ++i) {
    const std::string weight = "w" + std::to_string(i);
    writer.Floats(weight, {kExtent, kExtent}, {});
    auto* tensor = writer.graph().mutable_initializer(i);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, text] : {std::pair<std::string, std::string>{"location", "weights.bin"},
                                    {"offset", std::to_string(i * kWeightBytes)},
                                    {"length", std::to_string(kWeightBytes)}}) {
      auto* entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(text);
    }
    const std::string result = "y" + std::to_string(i);
    writer.Node("MatMul", "mm" + std::to_string(i), {value.c_str(), weight.c_str()},
                {result.c_str()});
    value = result;
  }
  writer.Output(value);
  const fs::path file = writer.Save();
  const fs::path data = file.parent_path() / "weights.bin";
  WriteFileAtomically(data, "");
  fs::resize_file(data, static_cast<std::uintmax_t>(kWeightBytes) * kWeights);
  return file;
}

// In this order: the largest child counts.
TEST(ExternalMemoryTest, AModelOf2GiBLoadsInLittleMoreThanItsSize) {
  const fs::path file = SaveModel();
  const auto loaded = RunProcess({HALFTONE_BINARY, "explain", "--model", file.string()});
  EXPECT_EQ(loaded.exit_code, 0) << loaded.err;
  const double after_load = MostBytesOfChildren();
  std::printf("load: %.2f of the model's size\n", after_load / kModelBytes);
  EXPECT_LE(after_load, 1.1 * kModelBytes);
  const auto run =
      RunProcess({HALFTONE_BINARY, "run", "--model", file.string(), "--profile", "--threads=1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const double after_run = MostBytesOfChildren();
  std::printf("run in float32: %.2f of the model's size\n", after_run / kModelBytes);
  // The file's pages, which the system may take back, and the packed weights.
  EXPECT_LE(after_run, 2.1 * kModelBytes);
  fs::remove_all(file.parent_path());
}

}  // namespace
}  // namespace halftone
