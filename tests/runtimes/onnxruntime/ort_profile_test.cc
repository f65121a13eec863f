// Profiles of ONNX Runtime: kernels, their types and times, from events as version 1.30.0 writes
// them (fields and values written by hand after a profile of it).
#include "src/runtimes/onnxruntime/ort_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/error.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kProfile = R"([
{"cat":"Session","pid":1,"tid":1,"dur":900,"ts":1,"ph":"X","name":"model_run","args":{}},
{"cat":"Node","pid":1,"tid":1,"dur":5,"ts":1,"ph":"X","name":"conv1_fence_before","args":{"op_name":"QLinearConv"}},
{"cat":"Node","pid":1,"tid":1,"dur":40,"ts":2,"ph":"X","name":"conv1_kernel_time","args":{"op_name":"QLinearConv","provider":"CPUExecutionProvider","node_index":"3","input_type_shape":[{"uint8":[1,3,8,8]},{"float":[]}],"output_type_shape":[{"uint8":[1,4,8,8]}]}},
{"cat":"Node","pid":1,"tid":1,"dur":2.5,"ts":3,"ph":"X","name":"x_QuantizeLinear_kernel_time","args":{"op_name":"QuantizeLinear","provider":"CPUExecutionProvider","input_type_shape":[{"float":[1,3,8,8]}],"output_type_shape":[{"uint8":[1,3,8,8]}]}},
{"cat":"Node","pid":1,"tid":1,"dur":10,"ts":4,"ph":"X","name":"conv1_kernel_time","args":{"op_name":"QLinearConv"}},
{"cat":"Node","pid":1,"tid":1,"dur":20,"ts":5,"ph":"X","name":"conv1_kernel_time","args":{"op_name":"QLinearConv"}}
])";

TEST(OrtProfileTest, AKernelHasItsTypesAndTheMedianOfItsRuns) {
  const std::vector<OrtKernel> kernels = ReadOrtProfile(kProfile);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].node, "conv1");
  EXPECT_EQ(kernels[0].op, "QLinearConv");
  EXPECT_EQ(kernels[0].provider, "CPUExecutionProvider");
  EXPECT_THAT(kernels[0].input_types, ElementsAre("uint8", "float"));
  EXPECT_THAT(kernels[0].output_types, ElementsAre("uint8"));
  EXPECT_EQ(kernels[0].elements, 4 * 8 * 8);
  EXPECT_DOUBLE_EQ(kernels[0].seconds, 20e-6);
  EXPECT_EQ(kernels[1].node, "x_QuantizeLinear");
  EXPECT_DOUBLE_EQ(kernels[1].seconds, 2.5e-6);
}

TEST(OrtProfileTest, WhatIsNoProfileIsRefused) {
  for (const std::string_view text :
       {"", "{", "{}", "null", "[]", "[1, \"a\", null, [], {}]", R"([{"cat":1,"name":2}])",
        R"([{"cat":"Node","name":"a_kernel_time","dur":"x","args":{}}])",
        R"([{"cat":"Node","name":"a_kernel_time","dur":1,"args":[]}])"}) {
    try {
      ReadOrtProfile(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUnsupported) << text;
      EXPECT_THAT(error.what(), HasSubstr("profile of ONNX Runtime")) << text;
    }
  }
}

TEST(OrtProfileTest, OddShapesAreRead) {
  const auto kernels = ReadOrtProfile(
      R"([{"cat":"Node","name":"a_kernel_time","dur":1,"args":{"input_type_shape":[{},1,{"float":3}],
          "output_type_shape":[{"float":["x",4]}]}}])");
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].elements, 4);
  EXPECT_THAT(kernels[0].input_types, ElementsAre("float"));
}

}  // namespace
}  // namespace halftone
