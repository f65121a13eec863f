// Fixture of a CommandRuntime whose command is a script that copies inputs to outputs: y = Relu(x)
// on samples that are not negative. A candidate's file holds the word "other", by which the script
// knows it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/runtimes/command/command_runtime.h"
#include "tests/support/model_writer.h"

namespace halftone::testing {

// Steps of the script, in order; each may be left out or replaced.
struct Script {
  std::string check = R"(grep -q Relu "$HALFTONE_MODEL" || exit 3)";
  std::string run = R"(for d in "$HALFTONE_INPUTS"/*/; do
      s=$(basename "$d"); mkdir -p "$HALFTONE_OUTPUTS/$s"
      if grep -q _damaged "$HALFTONE_MODEL"; then head -c 8 /dev/zero > "$HALFTONE_OUTPUTS/$s/0.bin"
      else cp "$d/0.bin" "$HALFTONE_OUTPUTS/$s/0.bin"; fi; done)";
  std::string time = R"(t=2; if grep -q other "$HALFTONE_MODEL"; then t=1.5; fi)";
  std::string more = R"("outputs":".","runtime":"Fake 1","device":"D")";

  [[nodiscard]] std::string Text(const std::filesystem::path& calls) const {
    std::string text = check + "\n" + run + "\n" + time + "\n";
    text += "echo \"$HALFTONE_ROLE $(ls \"$HALFTONE_INPUTS\" | grep -c '^[0-9]')\" >> " +
            ShellWord(calls.string()) + "\n";
    text += R"(echo '{"halftone_measure":1,"status":"ok","latency_ms":['$t'],)" + more + "}'";
    std::string braces;
    for (const char c : text) {
      braces += c == '{' ? "{{" : std::string(1, c);
    }
    return "sh -c " + ShellWord(braces);
  }
};

class ScriptedRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    ModelWriter writer;
    writer.Input("x", {1, 2});
    writer.Node("Relu", "r", {"x"}, {"y"});
    writer.Output("y");
    model_ = writer.model;
    folder_.Write("net.onnx", model_.SerializeAsString());
    network_ = ReadOnnx(folder_.path() / "net.onnx");
    samples_ = Samples({1, 2, 3});
  }

  static Dataset Samples(const std::vector<float>& values) {
    std::vector<Sample> samples;
    for (const float value : values) {
      samples.push_back(
          {.name = "s", .inputs = {Tensor::From<float>({1, 2}, std::vector<float>{value, 5})}});
    }
    return Dataset(std::move(samples));
  }

  PlanFilesWriter Writer() {
    return [this](const PrecisionPlan& plan, const std::filesystem::path& folder, bool all) {
      if (plan == ReferencePlan(network_)) {
        return PlanFiles{.model = folder_.path() / "net.onnx", .notes = {}};
      }
      if (plan.nodes[0].compute_dtype() == DType::kBFloat16) {
        throw Error(ErrorKind::kUnsupported, "no file says bfloat16");
      }
      all_ = all;
      onnx::ModelProto other = model_;
      other.set_doc_string("other");
      WriteFileAtomically(folder / "model.onnx", other.SerializeAsString());
      return PlanFiles{.model = folder / "model.onnx", .notes = {}};
    };
  }

  std::unique_ptr<CommandRuntime> Make(const std::string& command,
                                       const std::string& format = "halftone") {
    CommandOptions options = ParseCommandOptions(command, format);
    options.cache = cache_;
    return MakeCommandRuntime(network_, Writer(), samples_, options);
  }

  std::unique_ptr<CommandRuntime> Make(const Script& script) { return Make(script.Text(Calls())); }

  [[nodiscard]] PrecisionPlan Plan(DType dtype) const {
    PrecisionPlan plan = ReferencePlan(network_);
    plan.nodes[0].inputs = {dtype};
    plan.nodes[0].outputs = {dtype};
    return plan;
  }

  static std::shared_ptr<BuiltPlan> Built(CommandRuntime& runtime, const PrecisionPlan& plan) {
    auto built = runtime.Build(plan);
    EXPECT_TRUE(std::holds_alternative<std::shared_ptr<BuiltPlan>>(built));
    return std::get<std::shared_ptr<BuiltPlan>>(built);
  }

  // First elements of the outputs, by sample.
  static std::vector<float> Outputs(CommandRuntime& runtime, BuiltPlan& plan, const Dataset& data) {
    std::vector<float> firsts;
    const auto outcome = runtime.Run(plan, data, [&](std::size_t sample, std::vector<Tensor> o) {
      EXPECT_EQ(sample, firsts.size());
      firsts.push_back(o.at(0).values<float>()[0]);
      return true;
    });
    EXPECT_EQ(std::get<RuntimeOutputs>(outcome), RuntimeOutputs::kTaken);
    return firsts;
  }

  [[nodiscard]] std::filesystem::path Calls() const { return folder_.path() / "calls"; }

  // Lines "role samples" since the last time.
  std::vector<std::string> NewCalls() {
    std::vector<std::string> lines;
    if (std::filesystem::exists(Calls())) {
      std::string text = ReadFile(Calls());
      std::filesystem::remove(Calls());
      for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
        lines.push_back(text.substr(0, end));
        text.erase(0, end + 1);
      }
    }
    return lines;
  }

  template <typename Action>
  static std::string MessageOf(ErrorKind kind, Action&& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "no error";
  }

  std::string SelfTestError(const Script& script) {
    return MessageOf(ErrorKind::kUsage, [&] { Make(script)->SelfTest(); });
  }

  TemporaryFolder folder_{"a test"};
  std::filesystem::path cache_;
  onnx::ModelProto model_;
  Graph network_;
  Dataset samples_;
  bool all_ = false;
};

}  // namespace halftone::testing
