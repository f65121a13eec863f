// `halftone export` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string Written(const std::string& name) {
  std::filesystem::remove(::testing::TempDir() + name);
  return ::testing::TempDir() + name;
}

ProcessResult Export(const std::string& mode, const std::string& to, const std::string& output,
                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"export",
                                        "--model=" + Digits("model.onnx"),
                                        "--input_shape=pixels:1,1,8,8",
                                        "--precision_mode=" + mode,
                                        "--to=" + to,
                                        "--output=" + output};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Halftone(arguments);
}

TEST(ExportCommandTest, WritesTheFileAndItsRecord) {
  const std::string output = Written("halftone_export.onnx");
  const ProcessResult result = Export("allow_mix_precision_fp16", "onnx-mixed", output);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(output + ": "));
  const auto record = nlohmann::json::parse(ReadFile(output + ".export.json"));
  EXPECT_EQ(record.at("file"), "halftone_export.onnx");
  EXPECT_EQ(record.at("format"), "onnx-mixed");
  EXPECT_THAT(record.at("read_by").get<std::string>(), HasSubstr("TensorRT"));
  EXPECT_EQ(record.at("plan").get<std::string>().size(), 32U);
  // The file is a model: its types are its own precision.
  const ProcessResult read =
      Halftone({"explain", "--model=" + output, "--input_shape=pixels:1,1,8,8",
                "--precision_mode=must_keep_origin_dtype"});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_THAT(read.out, HasSubstr("f16,f16,f16 -> f16"));
}

TEST(ExportCommandTest, StrictWritesNothingThatLacksPartOfThePlan) {
  const std::string output = Written("halftone_export_strict.onnx");
  // Below opset 22 no Conv takes bfloat16.
  const ProcessResult result =
      Export("allow_mix_precision_bf16", "onnx-mixed", output, {"--strict"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("has no bfloat16 Conv and opset 22 has"));
  EXPECT_THAT(result.err, HasSubstr("error: --strict: the onnx-mixed file would not say all of the "
                                    "plan (notes above: "));
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_EQ(Export("allow_mix_precision_fp16", "onnx-rounded", output, {"--strict"}).exit_code, 0);
}

TEST(ExportCommandTest, OneSentenceForWhatItCannotDo) {
  const std::string output = Written("halftone_export_refused");
  const ProcessResult unknown = Export("force_fp16", "tflite", output);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(
      unknown.err,
      "error: --to=tflite is no format; expected all, onnx-qdq, onnx-qdq:flavour=ort, "
      "onnx-qdq:flavour=tensorrt, onnx-rounded, onnx-mixed, encodings, encodings:flavour=1.0.0, "
      "encodings:flavour=0.6.1, trtexec, mindspore-lite\n");
  const ProcessResult uniform = Export("must_keep_origin_dtype", "onnx-mixed", output);
  EXPECT_EQ(uniform.exit_code, 2);
  EXPECT_THAT(uniform.err,
              EndsWith("its file would be the model itself; name a point of a tuning\n"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

}  // namespace
}  // namespace halftone
