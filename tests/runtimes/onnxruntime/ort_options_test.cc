// What stands behind --measure=ort: libraries, providers and their options, versions.
#include "src/runtimes/onnxruntime/ort_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/error.h"
#include "src/runtimes/onnxruntime/ort_provider.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(OrtOptionsTest, ProvidersAndEntriesFollowTheLibrary) {
  const OrtOptions options = ParseOrtOptions(
      "/opt/ort/libonnxruntime.so.1,provider=cuda:device_id=1:use_tf32=0,provider=cpu,"
      "config=session.set_denormal_as_zero=1");
  EXPECT_EQ(options.library, "/opt/ort/libonnxruntime.so.1");
  ASSERT_EQ(options.providers.size(), 2U);
  EXPECT_EQ(options.providers[0].name, "cuda");
  EXPECT_THAT(options.providers[0].options,
              ElementsAre(Pair("device_id", "1"), Pair("use_tf32", "0")));
  EXPECT_EQ(TextOf(options.providers[0]), "cuda:device_id=1:use_tf32=0");
  EXPECT_THAT(options.providers[1].options, IsEmpty());
  EXPECT_THAT(options.config, ElementsAre(Pair("session.set_denormal_as_zero", "1")));
}

TEST(OrtOptionsTest, WithoutALibraryTheLoaderFindsIt) {
  ::unsetenv("HALFTONE_ORT");
  EXPECT_EQ(ParseOrtOptions("").library, "libonnxruntime.so.1");
  ::setenv("HALFTONE_ORT", "/opt/lib.so", 1);
  EXPECT_EQ(ParseOrtOptions(",provider=cpu").library, "/opt/lib.so");
  ::unsetenv("HALFTONE_ORT");
}

TEST(OrtOptionsTest, MalformedOptionsAreNamed) {
  for (const auto& [text, found] :
       {std::pair("lib,providers=cuda", "found providers=cuda"), std::pair("lib,", "found "),
        std::pair("lib,provider=", "expected NAME"),
        std::pair("lib,provider=a=b", "provider=a=b: expected NAME"),
        std::pair("lib,provider=cuda:device", "found device"),
        std::pair("lib,provider=cuda:=1", "found =1"),
        std::pair("lib,config=key", "found config=key"),
        std::pair("lib,config==1", "found config==1")}) {
    try {
      ParseOrtOptions(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage) << text;
      EXPECT_THAT(error.what(), HasSubstr(found)) << text;
    }
  }
}

// A float32 reference in TF32 or float16 would be another network than the user's.
TEST(OrtOptionsTest, ProvidersKeepFloat32Exact) {
  EXPECT_THAT(WithExactFloat32({"CUDA", {}}).options, ElementsAre(Pair("use_tf32", "0")));
  EXPECT_THAT(WithExactFloat32({"CUDAExecutionProvider", {{"use_tf32", "1"}}}).options,
              ElementsAre(Pair("use_tf32", "1")));
  EXPECT_THAT(WithExactFloat32({"qnn", {{"backend_type", "htp"}}}).options,
              ElementsAre(Pair("backend_type", "htp"), Pair("enable_htp_fp16_precision", "0")));
  EXPECT_THAT(WithExactFloat32({"Unheard", {}}).options, IsEmpty());
}

TEST(OrtOptionsTest, ResultsStayOnTheDevice) {
  EXPECT_EQ(MemoryOf({"tensorrt", {}}), "Cuda");
  EXPECT_EQ(MemoryOf({"cpu", {}}), "");
  EXPECT_EQ(MemoryOf({"Unheard", {}}), "");
  EXPECT_TRUE(WantsSymmetricInt8({"TensorRT", {}}));
  EXPECT_FALSE(WantsSymmetricInt8({"cuda", {}}));
}

TEST(OrtOptionsTest, VersionsHaveTheNumberOfTheirApi) {
  EXPECT_EQ(OrtMinorOf("1.30.0"), 30);
  EXPECT_EQ(OrtMinorOf("1.11"), 11);
  EXPECT_EQ(OrtMinorOf("1.9.0-rc1"), 9);
  for (const char* other : {"", "1", "1.", "1.x", "2.1.0", "1.30x"}) {
    EXPECT_EQ(OrtMinorOf(other), 0) << other;
  }
}

}  // namespace
}  // namespace halftone
