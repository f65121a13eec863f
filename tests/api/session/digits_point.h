// The digits network of examples/, and folders of its points.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "src/accuracy/input_file.h"
#include "src/api/halftone.h"
#include "tests/support/paths.h"

namespace halftone::testing {

inline std::filesystem::path DigitsModel() {
  return SourceDir() / "examples/digits/model.onnx";
}

// A folder of the test that is removed with this object, and points in it.
class DigitsPoint {
 public:
  DigitsPoint() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              (std::string("halftone_session_") + test->test_suite_name() + test->name());
    std::filesystem::remove_all(folder_);
  }

  ~DigitsPoint() { std::filesystem::remove_all(folder_); }

  DigitsPoint(const DigitsPoint&) = delete;
  DigitsPoint& operator=(const DigitsPoint&) = delete;

  // Folder of the configuration at these input shapes.
  [[nodiscard]] std::filesystem::path Write(const PrecisionOptions& options,
                                            const std::vector<Model>& models = {}) const {
    const std::vector<Model> own = {LoadModel({.path = DigitsModel()})};
    WriteSmallestOptions(models.empty() ? own : models, {}, options, folder_);
    return folder_;
  }

 private:
  std::filesystem::path folder_;
};

// Sample `index` of the held-out digits: float32 1x1x8x8.
inline Tensor Digit(std::size_t index) {
  static const Tensor kAll = ReadTensorFile(SourceDir() / "examples/digits/heldout_inputs.npy");
  constexpr std::size_t kPixels = 64;
  return Tensor::From<float>({1, 1, 8, 8}, kAll.values<float>().subspan(index * kPixels, kPixels));
}

}  // namespace halftone::testing
