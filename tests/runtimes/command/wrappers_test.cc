// Wrappers of examples/measure/ with tools on PATH that play the real ones: they write recorded
// results, and note the words that they were called with. None of the real tools is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/base/file.h"
#include "src/base/run_program.h"
#include "src/base/temporary_folder.h"
#include "src/runtimes/command/command_answer.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WrappersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* folder : {"bin", "work", "outputs", "inputs", "inputs/0", "inputs/1"}) {
      CreateFolder(folder_.path() / folder);
    }
    folder_.Write("inputs/0/0.bin", "0000");
    folder_.Write("inputs/0/1.bin", "0001");
    folder_.Write("inputs/1/0.bin", "1000");
    folder_.Write("inputs/1/1.bin", "1001");
    folder_.Write("net x.onnx", "model");
  }

  // A tool that notes its words and then does what `script` says.
  void Tool(const std::string& name, const std::string& script) {
    folder_.Write("bin/" + name, "#!/bin/sh\necho \"" + name + " $*\" >> '" +
                                     (folder_.path() / "calls").string() + "'\n" + script + "\n");
    std::filesystem::permissions(folder_.path() / "bin" / name, std::filesystem::perms::owner_all);
  }

  ProgramResult Run(const std::string& wrapper, const std::string& role = "candidate") {
    const auto path_of = [&](const char* name) { return (folder_.path() / name).string(); };
    const std::string path = std::getenv("PATH");
    return RunProgram(
        {"sh", (testing::SourceDir() / "examples/measure" / wrapper).string()},
        {.environment = {"HALFTONE_MEASURE=1", "LC_ALL=C", "HALFTONE_ROLE=" + role,
                         "HALFTONE_MODEL=" + path_of("net x.onnx"),
                         "HALFTONE_WORK=" + path_of("work"),
                         "HALFTONE_OUTPUTS=" + path_of("outputs"),
                         "HALFTONE_INPUTS=" + path_of("inputs"),
                         "HALFTONE_RESULT=" + path_of("result"), "HALFTONE_RUNS=50",
                         "HALFTONE_WARMUP=5", "HALFTONE_SECONDS=1", "SOC_VERSION=Ascend310P3",
                         "PATH=" + path_of("bin") + ":" + path},
         .folder = folder_.path() / "work"});
  }

  CommandAnswer Answer(const std::string& wrapper) {
    const ProgramResult result = Run(wrapper);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return ParseCommandAnswer(ReadFile(folder_.path() / "result"), "result");
  }

  [[nodiscard]] std::string Calls() const { return ReadFile(folder_.path() / "calls"); }

  [[nodiscard]] static std::string Recorded(const char* name) {
    return (testing::SourceDir() / "tests/data/measure" / name).string();
  }

  TemporaryFolder folder_{"a test"};
};

// Plays the builds and the runs of trtexec 10.
std::string Trtexec(const std::string& times) {
  return R"(for word; do case "$word" in
--help) echo "  --stronglyTyped  ..."; exit 0;;
--saveEngine=*) echo engine > "${word#*=}";;
--exportTimes=*) cp ')" +
         times + R"(' "${word#*=}"; echo "[I] === Device ==="; echo "[I] Selected Device: NVIDIA L4"
echo "&&&& PASSED TensorRT.trtexec [TensorRT v101600] # trtexec";;
esac; done)";
}

TEST_F(WrappersTest, Trtexec) {
  Tool("trtexec", Trtexec(Recorded("trtexec_times.json")));
  const CommandAnswer answer = Answer("trtexec.sh");
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(1.20935e-3), DoubleEq(1.21139e-3), 1.2e-3));
  EXPECT_EQ(answer.runtime, "TensorRT 101600");
  EXPECT_EQ(answer.device, "NVIDIA L4");
  EXPECT_FALSE(answer.outputs);
  EXPECT_THAT(Calls(), HasSubstr("net x.onnx --stronglyTyped --noTF32 --saveEngine="));
  EXPECT_THAT(Calls(), HasSubstr("--iterations=50 --duration=1 "));
  // The engine is kept.
  Answer("trtexec.sh");
  const std::string calls = Calls();
  EXPECT_EQ(calls.find("--onnx"), calls.rfind("--onnx"));
}

TEST_F(WrappersTest, TrtexecThatCannotBuild) {
  Tool("trtexec",
       R"([ "$1" = --help ] && exit 0; echo '[E] Error[4]: no kernel for "conv"'; exit 1)");
  const ProgramResult candidate = Run("trtexec.sh");
  EXPECT_EQ(candidate.exit_code, 3);
  EXPECT_EQ(candidate.err, "[E] Error[4]: no kernel for \"conv\"\n");
  EXPECT_EQ(Run("trtexec.sh", "reference").exit_code, 1);
}

TEST_F(WrappersTest, BenchmarkApp) {
  Tool(
      "benchmark_app",
      R"(while [ $# -gt 0 ]; do [ "$1" = -report_folder ] && cp ')" +
          Recorded("benchmark_report.json") +
          R"(' "$2/benchmark_report.json"; shift; done; echo "[ INFO ] Build ................................. 2026.1.0-123")");
  const CommandAnswer answer = Answer("benchmark_app.sh");
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(2.41e-3)));
  EXPECT_EQ(answer.runtime, "OpenVINO 2026.1.0-123");
  EXPECT_EQ(answer.device, "CPU");
  Tool("benchmark_app", "echo '[ ERROR ] Exception from src/core: \"x\"'; exit 3");
  EXPECT_EQ(Run("benchmark_app.sh").err, "[ ERROR ] Exception from src/core: \"x\"\n");
  EXPECT_EQ(Run("benchmark_app.sh", "reference").exit_code, 1);
}

TEST_F(WrappersTest, Ascend) {
  Tool("atc", R"(for word; do case "$word" in --output=*) echo om > "${word#*=}.om";; esac; done)");
  // ais_bench names outputs after the first input.
  Tool("python3", R"(folder=; name=; input=
while [ $# -gt 0 ]; do case "$1" in --output) folder=$2;; --output_dirname) name=$2;; --input) input=$2;; esac; shift; done
if [ -z "$input" ]; then cp ')" +
                      Recorded("ais_bench_summary.json") +
                      R"(' "$folder/${name}_summary.json"; exit 0; fi
mkdir -p "$folder/$name"; cp "${input%%,*}" "$folder/$name/0_0.bin"; cp "${input#*,}" "$folder/$name/0_1.bin")");
  const CommandAnswer answer = Answer("ascend.sh");
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(2.47e-3)));
  EXPECT_EQ(answer.outputs, (folder_.path() / "outputs").string());
  EXPECT_EQ(ReadFile(folder_.path() / "outputs/0/1.bin"), "0001");
  EXPECT_EQ(ReadFile(folder_.path() / "outputs/1/0.bin"), "1000");
  EXPECT_THAT(Calls(), HasSubstr("--soc_version=Ascend310P3 "
                                 "--precision_mode=must_keep_origin_dtype"));
  EXPECT_THAT(Calls(), HasSubstr("--loop 50 --warmup_count 5"));
}

TEST_F(WrappersTest, AscendThatCannotBuild) {
  Tool("atc", "echo 'EZ3003: No supported Ops kernel for [conv]'; exit 255");
  const ProgramResult result = Run("ascend.sh");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "EZ3003: No supported Ops kernel for [conv]\n");
}

TEST_F(WrappersTest, CloudAi) {
  Tool(
      "qaic-compile",
      R"(for word; do case "$word" in -aic-binary-dir=*) mkdir -p "${word#*=}"; echo q > "${word#*=}/programqpc.bin";; esac; done)");
  Tool("qaic-runner", R"(folder=; n=0
while [ $# -gt 0 ]; do case "$1" in --write-output-dir) folder=$2;; -i) cp "$2" "$folder/y$n-activation-0-inf-0.bin"; n=$((n + 1));; esac; shift; done
echo "InfRate 1200.1 ExecTimeUs 812.5")");
  const CommandAnswer answer = Answer("qaic.sh");
  EXPECT_THAT(answer.latencies_s, ElementsAre(DoubleEq(0.8125e-3)));
  EXPECT_EQ(ReadFile(folder_.path() / "outputs/0/1.bin"), "0001");
  EXPECT_EQ(ReadFile(folder_.path() / "outputs/1/0.bin"), "1000");
  EXPECT_THAT(Calls(), HasSubstr("-n 50 "));
  Answer("qaic.sh");
  EXPECT_EQ(Calls().find("qaic-compile"), Calls().rfind("qaic-compile"));
}

TEST_F(WrappersTest, OnnxRuntimePerfTest) {
  Tool("onnxruntime_perf_test",
       R"(for word; do last=$word; done
printf 'net x,0.00121,1048576,99,0\nnet x,0.00119,1048576,99,1\n' >> "$last")");
  EXPECT_THAT(Answer("onnxruntime_perf_test.sh").latencies_s,
              ElementsAre(DoubleEq(1.21e-3), DoubleEq(1.19e-3)));
  EXPECT_EQ(Answer("onnxruntime_perf_test.sh").latencies_s.size(), 2U);  // not those of before
  EXPECT_THAT(Calls(), HasSubstr("-I -e cpu -m times -r 50 -o 99 "));
}

TEST_F(WrappersTest, ShellcheckHasNothingToSay) {
  if (RunProgram({"sh", "-c", "command -v shellcheck"}, 600).exit_code != 0) {
    GTEST_SKIP() << "SKIPPED: shellcheck is not installed";
  }
  for (const auto& file :
       std::filesystem::directory_iterator(testing::SourceDir() / "examples/measure")) {
    const ProgramResult result =
        RunProgram({"shellcheck", "--shell=sh", "--exclude=SC1091", file.path().string()}, 600);
    EXPECT_EQ(result.exit_code, 0) << result.out;
  }
}

}  // namespace
}  // namespace halftone
