// `halftone export` as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "src/base/file.h"
#include "tests/cli/halftone_program.h"

namespace halftone {
namespace {

using ::halftone::testing::Digits;
using ::halftone::testing::Halftone;
using ::halftone::testing::ProcessResult;
using ::testing::ElementsAre;
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

// A .param of ncnn with a layer of the network.
std::string Param() {
  const std::string path = ::testing::TempDir() + "halftone net.param";
  WriteFileAtomically(path,
                      "7767517\n2 2\nInput pixels 0 1 pixels\nSoftmax head/softmax 1 1 pixels "
                      "probabilities 0=0 31=16\n");
  return path;
}

TEST(ExportCommandTest, PatchesAFileAndLeavesIt) {
  const std::string output = Written("halftone_patched.param");
  const std::string before = ReadFile(Param());
  const ProcessResult result =
      Export("allow_mix_precision_fp16", "ncnn", output, {"--file=" + Param()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(ReadFile(output), HasSubstr("probabilities 0=0 31=23\n"));
  EXPECT_EQ(ReadFile(Param()), before);
  const auto record = nlohmann::json::parse(ReadFile(output + ".export.json"));
  EXPECT_EQ(record.at("losses").at(0).at("node"), "head/average");
  EXPECT_EQ(record.at("losses").at(0).at("asked"), "float32");
  EXPECT_TRUE(record.at("losses").at(0).at("written").is_null());
  EXPECT_EQ(Export("allow_mix_precision_fp16", "ncnn", Written("strict.param"),
                   {"--file=" + Param(), "--strict"})
                .exit_code,
            1);
}

TEST(ExportCommandTest, OneSentenceForFilesThatArePatched) {
  const std::string output = Written("halftone_export_refused");
  const auto error = [&](const std::string& to, const std::vector<std::string>& more) {
    const ProcessResult result = Export("allow_mix_precision_fp16", to, output, more);
    EXPECT_NE(result.exit_code, 0) << to;
    return result.err;
  };
  EXPECT_EQ(error("ncnn", {"--quiet"}),
            "error: --to=ncnn patches the network in text, net.param: name it with --file\n");
  EXPECT_THAT(error("ncnn", {"--file=/nonexistent"}), HasSubstr("/nonexistent"));
  EXPECT_THAT(error("trtexec", {"--file=" + Param()}),
              HasSubstr("is patched by none of the formats of --to=trtexec; leave it out"));
  EXPECT_THAT(error("ncnn,openvino-ir", {"--file=" + Param()}),
              HasSubstr("--to names 2 formats that patch --file, which is one file"));
  EXPECT_THAT(error("openvino-ir", {"--file=" + Param()}),
              HasSubstr("net.param:5: expected XML, an IR of OpenVINO"));
  EXPECT_THAT(Export("allow_mix_precision_fp16", "ncnn", Param(), {"--file=" + Param()}).err,
              HasSubstr("is the file that is patched, and stays as it is; name another --output"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(ExportCommandTest, WritesSeveralFormatsIntoAFolder) {
  const std::string folder = ::testing::TempDir() + "halftone export's folder";
  std::filesystem::remove_all(folder);
  // 16 bits alone: amct says why it is not there, and the others are.
  const ProcessResult result = Export("allow_mix_precision_fp16", "onnx-mixed,ncnn,amct", folder,
                                      {"--to=trtexec,onnx-mixed", "--file=" + Param()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("digits.quant.cfg is not written: the plan has no operator in 8 "
                        "bits, and AMCT quantises those alone\n"));
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_THAT(names, ElementsAre("digits.mixed.onnx", "digits.mixed.onnx.export.json",
                                 "halftone net.param", "halftone net.param.export.json",
                                 "trtexec.args", "trtexec.args.export.json"));
  const auto record = nlohmann::json::parse(ReadFile(folder + "/halftone net.param.export.json"));
  EXPECT_EQ(record.at("command"), "benchncnn 8 1 0 -1 0 'param=halftone net.param'");
  const ProcessResult none = Export("must_keep_origin_dtype", "onnx-mixed,trtexec", folder);
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, EndsWith("error: 2 of 2 files were not written (warnings above)\n"));
}

TEST(ExportCommandTest, OneSentenceForWhatItCannotDo) {
  const std::string output = Written("halftone_export_refused");
  const ProcessResult unknown = Export("force_fp16", "tflite", output);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(
      unknown.err,
      "error: --to=tflite is no format; expected all, onnx-qdq, onnx-qdq:flavour=ort, "
      "onnx-qdq:flavour=tensorrt, onnx-rounded, onnx-mixed, encodings, encodings:flavour=1.0.0, "
      "encodings:flavour=0.6.1, encodings:flavour=2.0.0, trtexec, polygraphy, openvino, "
      "openvino-ir, "
      "ncnn, rknn, mnn, amct, mindspore-lite\n");
  EXPECT_THAT(Export("allow_mix_precision_fp16", "polygraphy", output + ".net.py").err,
              EndsWith("expected a name that ends in .py and has no other dot\n"));
  const ProcessResult uniform = Export("must_keep_origin_dtype", "onnx-mixed", output);
  EXPECT_EQ(uniform.exit_code, 2);
  EXPECT_THAT(uniform.err,
              EndsWith("its file would be the model itself; name a point of a tuning\n"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

}  // namespace
}  // namespace halftone
