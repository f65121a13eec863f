// Loading libraries: versions, and those that are none, by a stand-in.
#include "src/runtimes/onnxruntime/ort_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/error.h"
#include "src/runtimes/onnxruntime/ort_provider.h"
#include "src/runtimes/onnxruntime/ort_runtime.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::function<void()>& body, ErrorKind kind) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(OrtApiTest, AnEnvironmentIsMadeOfAnyVersionFromTheEleventh) {
  for (const auto& [version, asked] : {std::pair("1.11.1", "API 11"), std::pair("1.17.0", "API 17"),
                                       std::pair("1.99.3", "API 29")}) {
    ::setenv("FAKE_ORT_VERSION", version, 1);
    ::testing::internal::CaptureStderr();
    const OrtApi api(FAKE_ORT);
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr(asked));
    EXPECT_EQ(api.version(), version);
    EXPECT_NE(api.environment(), nullptr);
  }
}

TEST(OrtApiTest, OlderAndOtherVersionsAreRefused) {
  for (const char* version : {"1.10.0", "0.5.0", "2.1.0", "next"}) {
    ::setenv("FAKE_ORT_VERSION", version, 1);
    EXPECT_THAT(ErrorOf([] { const OrtApi api(FAKE_ORT); }, ErrorKind::kIo),
                HasSubstr("expected version 1.11 or newer"));
  }
}

TEST(OrtApiTest, MissingLibrariesAndOthersAreRefused) {
  EXPECT_THAT(ErrorOf([] { const OrtApi api("/no/such/lib.so"); }, ErrorKind::kIo),
              HasSubstr("cannot load ONNX Runtime"));
  EXPECT_THAT(ErrorOf([] { const OrtApi api("libm.so.6"); }, ErrorKind::kIo),
              HasSubstr("'libm.so.6' is not ONNX Runtime"));
}

TEST(OrtApiTest, AProviderThatIsNotThereSaysSoInTheRuntimesWords) {
  ::setenv("FAKE_ORT_VERSION", "1.20.0", 1);
  const OrtApi api(FAKE_ORT);
  EXPECT_THAT(ErrorOf(
                  [&] {
                    AppendProvider(api, nullptr, {"openvino", {{"device_type", "CPU"}}});
                  },
                  ErrorKind::kUnsupported),
              HasSubstr("OpenVINO is not in this build (1 options)"));
}

TEST(OrtApiTest, ACallOfANewerVersionNamesIt) {
  ::setenv("FAKE_ORT_VERSION", "1.11.0", 1);
  const OrtApi api(FAKE_ORT);
  EXPECT_THAT(
      ErrorOf(
          [&] {
            AppendProvider(api, nullptr, {"XNNPACK", {}});
          },
          ErrorKind::kUnsupported),
      HasSubstr("ONNX Runtime 1.11.0 has no execution providers by name: version 1.12 has"));
  EXPECT_THAT(ErrorOf(
                  [&] {
                    AppendProvider(api, nullptr, {"cann", {}});
                  },
                  ErrorKind::kUnsupported),
              HasSubstr("version 1.13 has"));
  AppendProvider(api, nullptr, {"cpu", {}});  // always there
}

// A stop ends what a runtime would begin, whatever that is: here the plan of float32.
TEST(OrtRuntimeTest, AStopEndsBeforeAPlanIsBuilt) {
  ::setenv("FAKE_ORT_VERSION", "1.20.0", 1);
  const Graph network;
  std::size_t written = 0;
  const PlanFilesWriter writer = [&](const PrecisionPlan& /*plan*/,
                                     const std::filesystem::path& folder, bool /*all*/) {
    ++written;
    return PlanFiles{.model = folder / "model.onnx", .notes = {}};
  };
  OrtOptions options{.library = FAKE_ORT, .stop_requested = [] { return true; }};
  EXPECT_THROW(MakeOrtRuntime(network, Sample(), writer, options), StoppedByUser);
  EXPECT_EQ(written, 0U);
  // With time for the file and no more.
  options.stop_requested = [&] { return written > 0; };
  EXPECT_THROW(MakeOrtRuntime(network, Sample(), writer, options), StoppedByUser);
  EXPECT_EQ(written, 1U);
}

}  // namespace
}  // namespace halftone
