// Small networks and files for command lines of the Cloud AI compiler, and what they say.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/api/qaic/session.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/qaic/compile_options.h"
#include "tests/support/model_writer.h"

namespace halftone::testing {

// The plan that the program says, or all that it says where there is none.
inline std::string PlanOf(const std::string& said) {
  const auto at = said.find("\nplan ");
  return at == said.npos ? said : said.substr(at + 6, 32);
}

// Small networks in a folder, with the files that the rows name. "@" in words and expectations
// stands for the folder.
class Statements {
 public:
  Statements() : folder_(MakeNetworks()) {
    WriteRaw("a.raw", 1 * 4 * 4 * 4, 1);
    WriteRaw("b.raw", 1 * 4 * 4 * 4, 2);
    WriteRaw("batch2.raw", 2 * 4 * 4 * 4, 3);
    Write("short.raw", "1234");
    Write("list.txt", "@/a.raw\n\n@/b.raw\n");
    Write("list2.txt", "@/batch2.raw\n");
    Write("short.txt", "@/short.raw\n");
    Write("two.txt", "@/a.raw,@/b.raw\n");
    Write("none.txt", "@/none.raw\n");
    Write("fp16.yaml", "FP16NodeInstanceNames: [conv_out, bn_out]\n");
    Write("conv.yaml", "FP16NodeInstanceNames: [conv_out]\n");
    Write("fp32.yaml", "FP32NodeInstanceNames:\n  - \"mul_out\"\n  - mul_out\n");
    Write("block.yaml", "FP16NodeInstanceNames:\n  - conv_out\n  - bn_out\n");
    Write("numbers.yaml", "FP16NodeInstanceNames: [1234]\n");
    Write("text.yaml", "FP16NodeInstanceNames: [\"1234\"]\n");
    Write("key.yaml", "BF16NodeInstanceNames: [conv_out]\n");
    Write("scalar.yaml", "FP16NodeInstanceNames: conv_out\n");
    Write("null.yaml", "FP16NodeInstanceNames:\n");
    Write("list.yaml", "[conv_out]\n");
    Write("both.yaml", "FP16NodeInstanceNames: [mul_out]\nFP32NodeInstanceNames: [mul_out]\n");
    Write("second.yaml", "FP16NodeInstanceNames: [half2_out]\n");
    Write("node.yaml", "FP16NodeInstanceNames: [conv]\n");
    Write("absent.yaml", "FP16NodeInstanceNames: [mul_oot]\n");
    Write("io.yaml",
          "- IOName: x\n  Layout: NHWC\n  Precision: int8\n  Scale: 0.05\n  Offset: 0\n");
    Write("io_name.yaml", "- IOName: z\n  Precision: float\n");
    Write("io_scale.yaml", "- IOName: x\n  Precision: int8\n  Scale: 0.05\n");
    Write("io_float.yaml", "- IOName: x\n  Precision: float\n  Scale: 0.05\n  Offset: 0\n");
    Write("io_rank.yaml", "- IOName: y\n  Layout: NCHW\n");
    Write("io_layout.yaml", "- IOName: x\n  Layout: NWHC\n");
    Write("io_f16.yaml", "- IOName: x\n  Layout: NCHW\n  Precision: float16\n");
    Write("vendor.yaml", Profile("GlowToolsVersion: 2020-01-01\n...\n---\n"));
    Write("old.yaml", Profile(""));
    Write("other.yaml",
          "---\nGraphPreLowerHash: 0x1\n...\n---\n- NodeOutputName: q:0\n  Min: 0\n"
          "  Max: 1\n  Histogram: [ 1 ]\n...\n");
    Write("broken.yaml",
          "---\nGraphPreLowerHash: 0x1\n...\n---\n- NodeOutputName: x:0\n  Min: 0\n...\n");
    Write(
        "aimet.json",
        R"({"version": "0.6.1", "activation_encodings": {)"
        R"("x": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": -1.0, "max": 1.0,)"
        R"( "offset": -128, "scale": 0.0078431}],)"
        R"("conv_out": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "min": -4.0,)"
        R"( "max": 4.0, "offset": -128, "scale": 0.03137}],)"
        R"("mul_out": [{"bitwidth": 16, "dtype": "float"}]}, "param_encodings": {}})");
  }

  // Output of the program for the words; errors stand behind "error: ".
  [[nodiscard]] std::string Run(std::string words, QaicTool tool = QaicTool::kCompile) const {
    std::string said;
    const auto line = [&](const char* prefix) {
      return
          [&said, prefix](std::string_view text) { said += fmt::format("{}{}\n", prefix, text); };
    };
    const QaicHooks hooks{
        .print = line(""), .note = line("note: "), .warn = line("warning: "), .columns = 200};
    try {
      RunQaicCompile(ParseQaicOptions(ShellWords(Placed(std::move(words))), tool), hooks);
    } catch (const Error& error) {
      said += fmt::format("error: {}\n", error.what());
    }
    return said;
  }

  // Runs the command of the script of a point, on the samples of list.txt.
  [[nodiscard]] std::string RunScript(const std::string& folder) const {
    const std::string script = ReadFile(Placed(folder + "/qaic_compile.sh"));
    const std::string_view command = "exec qaic-compile ";
    std::string words;
    for (std::string word : ShellWords(script.substr(script.find(command) + command.size()))) {
      for (const auto& [variable, value] :
           {std::pair("$folder", folder.c_str()), std::pair("${MODEL:-$model}", "@/model.onnx")}) {
        if (const auto at = word.find(variable); at != word.npos) {
          word.replace(at, std::string_view(variable).size(), value);
        }
      }
      words += word == "$@" || word == "\\" ? "" : ShellWord(word) + " ";
    }
    return Run(words + "-input-list-file=@/list.txt");
  }

  [[nodiscard]] std::string Placed(std::string text) const {
    for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@', at + 1)) {
      text.replace(at, 1, folder_.string());
    }
    return text;
  }

 private:
  static std::string Profile(const std::string& version) {
    std::string text = "---\n" + version + "GraphPreLowerHash: 0x00000000deadbeef\n...\n---\n";
    for (const char* name : {"x", "conv", "bn", "half", "mul", "soft", "flat"}) {
      for (int result = 0; result < (std::string_view(name) == "half" ? 2 : 1); ++result) {
        text += fmt::format(
            "- NodeOutputName: {}:{}\n  Min: -1.5\n  Max: 2.25\n  Histogram: [ 0, 3, 10, 4 ]\n  "
            "Vendor: 7\n",
            name, result);
      }
    }
    return text + "...\n";
  }

  void Write(const std::string& name, const std::string& content) const {
    WriteFileAtomically(folder_ / name, Placed(content));
  }

  void WriteRaw(const std::string& name, std::size_t count, int seed) const {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(
          static_cast<float>((i * 37 + static_cast<std::size_t>(seed) * 11) % 21) / 10 - 1);
    }
    WriteFileAtomically(folder_ / name, {reinterpret_cast<const char*>(values.data()),
                                         values.size() * sizeof(float)});
  }

  // x [batch, 4, 4, 4] -> conv -> bn -> split into halves -> mul -> softmax -> flat -> product y;
  // "big" multiplies x by 1e4 twice and clips; "numbers" has a value named 1234.
  static std::filesystem::path MakeNetworks() {
    ModelWriter model;
    model.Input("x", {-1, 4, 4, 4});
    model.graph()
        .mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param("batch");
    std::vector<float> weights;
    for (int i = 0; i < 16; ++i) {
      weights.push_back(static_cast<float>(i % 7) / 4 - 0.6F);
    }
    model.Floats("w", {4, 4, 1, 1}, weights);
    model.Floats("b", {4}, {0.5F, -1, 0, 0.25F});
    model.Floats("one", {4}, {1, 0.5F, 2, 1});
    model.Floats("zero", {4}, {0.1F, 0, 0, 0});
    model.Node("Conv", "conv", {"x", "w", "b"}, {"conv_out"});
    model.Node("BatchNormalization", "bn", {"conv_out", "one", "zero", "zero", "one"}, {"bn_out"});
    auto& split = model.Node("Split", "half", {"bn_out"}, {"half_out", "half2_out"});
    ModelWriter::SetInt(split, "axis", 1);
    model.Node("Mul", "mul", {"half_out", "half2_out"}, {"mul_out"});
    auto& softmax = model.Node("Softmax", "soft", {"mul_out"}, {"soft_out"});
    ModelWriter::SetInt(softmax, "axis", 1);
    model.Node("Flatten", "flat", {"soft_out"}, {"y"});
    model.Output("y");
    const std::filesystem::path file = model.Save();

    ModelWriter big;
    big.Input("x", {1, 4, 4, 4});
    big.Floats("factor", {}, {1e4F});
    big.Floats("low", {}, {-1});
    big.Floats("high", {}, {1});
    big.Node("Mul", "first", {"x", "factor"}, {"first_out"});
    big.Node("Mul", "second", {"first_out", "factor"}, {"second_out"});
    big.Node("Clip", "clip", {"second_out", "low", "high"}, {"clip_out"});
    big.Output("clip_out");
    WriteFileAtomically(file.parent_path() / "big.onnx", big.model.SerializeAsString());

    ModelWriter numbers;
    numbers.Input("x", {1, 4, 4, 4});
    numbers.Node("Relu", "relu", {"x"}, {"1234"});
    numbers.Output("1234");
    WriteFileAtomically(file.parent_path() / "numbers.onnx", numbers.model.SerializeAsString());
    return file.parent_path();
  }

  std::filesystem::path folder_;
};

}  // namespace halftone::testing
