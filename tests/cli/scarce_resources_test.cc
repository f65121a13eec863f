// The program with too little memory, and files that ask for more than there is: one sentence and
// an exit code of docs/reference/output.md, never a signal, never "a bug".
//
// Limits are those of the system: address space (ulimit -v) and time of the processor (ulimit -t),
// the latter ten times what is needed and more, because the time of a shared machine is anybody's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/support/model_writer.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::ModelWriter;
using testing::ProcessResult;
namespace fs = std::filesystem;

using Words = std::vector<std::string>;

constexpr std::int64_t kMiB = 1024;  // in the units of ulimit -v

struct Limits {
  std::int64_t address_kib = 0;  // 0: none
  int cpu_seconds = 60;
};

ProcessResult Halftone(const Words& words, const Limits& limits) {
  std::string script = "ulimit -c 0; ulimit -t " + std::to_string(limits.cpu_seconds) + "; ";
  if (limits.address_kib > 0) {
    script += "ulimit -v " + std::to_string(limits.address_kib) + "; ";
  }
  Words arguments = {"/bin/sh", "-c", script + "exec \"$0\" \"$@\"", HALFTONE_BINARY};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return testing::RunProcess(arguments, {{"TUNE_BANK_PATH", ""}, {"HOME", "/dev/null/home"}});
}

// What the program needs to be loaded and to say its version, in steps of 4 MiB.
std::int64_t StartKib() {
  std::int64_t low = 0;
  std::int64_t high = 4096;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    const bool starts = Halftone({"--version"}, {.address_kib = middle * 4 * kMiB}).exit_code == 0;
    (starts ? high : low) = middle;
  }
  return high * 4 * kMiB;
}

int ErrorLines(const std::string& text) {
  int count = 0;
  for (std::size_t at = 0; at != std::string::npos && at < text.size();) {
    count += text.compare(at, 7, "error: ") == 0 ? 1 : 0;
    at = text.find('\n', at);
    at = at == std::string::npos ? at : at + 1;
  }
  return count;
}

void ExpectDoneOrOneSentence(const ProcessResult& result, const std::string& what) {
  const std::set<int> expected = {0, 1, 3};
  EXPECT_TRUE(expected.contains(result.exit_code))
      << what << ": exit code " << result.exit_code << "\n"
      << result.err;
  EXPECT_EQ(ErrorLines(result.err), result.exit_code == 1 ? 1 : 0) << what << "\n" << result.err;
  EXPECT_EQ(result.err.find("internal error"), std::string::npos) << what << "\n" << result.err;
  EXPECT_EQ(result.err.find("terminate called"), std::string::npos) << what;
}

fs::path Folder(const std::string& name) {
  return fs::path(::testing::TempDir()) / ("halftone_scarce_" + name);
}

std::string Digits(const std::string& file) {
  return (testing::SourceDir() / "examples/digits" / file).string();
}

struct CommandCase {
  std::string name;
  Words words;
};

class ScarceMemoryTest : public ::testing::TestWithParam<CommandCase> {};

// From what just starts to plenty, in steps that fall into loading, compiling, threads and runs.
TEST_P(ScarceMemoryTest, EndsWithOneSentence) {
  const std::int64_t start = StartKib();
  const fs::path filled = Folder("filled");
  fs::remove_all(filled);
  if (GetParam().name == "bank") {  // one that is there
    EXPECT_EQ(Halftone({"tune", "--model", Digits("model.onnx"), "--op_bank_path", filled.string(),
                        "--max_trials=1", "--operator_tuning=off", "--threads=1"},
                       {})
                  .exit_code,
              0);
  }
  int failed = 0;
  for (const std::int64_t mib : {0, 1, 2, 3, 4, 5, 6, 8, 16, 24, 40, 64, 96, 160, 256}) {
    const fs::path bank = Folder(GetParam().name + std::to_string(mib));
    fs::remove_all(bank);
    if (fs::exists(filled)) {
      fs::copy(filled, bank, fs::copy_options::recursive);
    }
    Words words = GetParam().words;
    std::replace(words.begin(), words.end(), std::string("BANK"), bank.string());
    const ProcessResult result = Halftone(words, {.address_kib = start + mib * kMiB});
    ExpectDoneOrOneSentence(result, GetParam().name + " with " + std::to_string(mib) + " MiB");
    failed += result.exit_code == 1 ? 1 : 0;
    fs::remove_all(bank);
  }
  fs::remove_all(filled);
  std::printf("%s: start %lld MiB, %d of 15 without enough\n", GetParam().name.c_str(),
              static_cast<long long>(start / kMiB), failed);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, ScarceMemoryTest,
    ::testing::Values(CommandCase{"explain", {"explain", "--model", Digits("model.onnx")}},
                      CommandCase{"run", {"run", "--model", Digits("model.onnx"), "--threads=2"}},
                      CommandCase{"tune",
                                  {"tune", "--model", Digits("model.onnx"), "--op_bank_path",
                                   "BANK", "--max_trials=2", "--threads=2"}},
                      CommandCase{
                          "aoe",
                          {"aoe", "--model", Digits("model.onnx"), "--job_type=2", "--framework=5",
                           "--input_shape=pixels:1,1,8,8", "--output", "BANK"}},
                      CommandCase{"bank", {"bank", "list", "--op_bank_path", "BANK"}}),
    [](const auto& test) { return test.param.name; });

// y = conv(x) of 2^31 images, and a data set of one.
fs::path HugeBatch() {
  ModelWriter writer;
  writer.Input("x", {std::int64_t{1} << 31, 1, 16, 16});
  writer.Floats("w", {4, 1, 3, 3}, std::vector<float>(36, 1));
  writer.Node("Conv", "conv", {"x", "w"}, {"y"});
  writer.Output("y");
  const fs::path folder = writer.Save().parent_path();
  onnx::TensorProto sample;
  sample.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : {1, 1, 16, 16}) {
    sample.add_dims(extent);
  }
  sample.set_raw_data(std::string(1024, '\0'));
  WriteFileAtomically(folder / "test_data_set_0" / "input_0.pb", sample.SerializeAsString());
  WriteFileAtomically(folder / "test_data_set_0" / "output_0.pb", sample.SerializeAsString());
  return folder;
}

// It divided by zero in the library.
TEST(ScarceResources, ABatchOf2To31IsASentenceOfCheck) {
  const fs::path folder = HugeBatch();
  const ProcessResult result =
      Halftone({"run", "--check", folder.string()}, {.address_kib = 16384 * kMiB});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("FAIL " + folder.string() + ": test_data_set_0: "));
  EXPECT_THAT(result.out, HasSubstr("needs at least 8.12 TiB of memory around node 'conv'"));
  EXPECT_THAT(result.out, HasSubstr("0 passed, 1 failed"));
}

TEST(ScarceResources, CheckRefusesAsEarlyAsRun) {
  const fs::path folder = HugeBatch();
  const ProcessResult run =
      Halftone({"run", "--model", (folder / "model.onnx").string(), "--max_memory=1G"}, {});
  const ProcessResult check = Halftone({"run", "--check", folder.string(), "--max_memory=1G"}, {});
  EXPECT_EQ(run.exit_code, 1) << run.out;
  EXPECT_EQ(check.exit_code, 1) << check.err;
  const std::string sentence = run.err.substr(0, run.err.find('\n'));
  ASSERT_THAT(sentence, HasSubstr("--max_memory allows 1.00 GiB"));
  EXPECT_THAT(check.out, HasSubstr(sentence.substr(std::string("error: ").size())));
}

// 2^31 times 1 KiB of input and 3 of result; the control group or the machine may allow less.
TEST(ScarceResources, RunRefusesWhatTheMachineHasNotBeforeItTries) {
  const fs::path folder = HugeBatch();
  const ProcessResult run = Halftone({"run", "--model", (folder / "model.onnx").string()},
                                     {.address_kib = 16384 * kMiB, .cpu_seconds = 10});
  EXPECT_EQ(run.exit_code, 1) << run.out;
  EXPECT_THAT(run.err, HasSubstr("error: the network needs at least 8.12 TiB of memory around "
                                 "node 'conv' (Conv) (8933531975680 bytes), there is "));
}

// 48 MiB that are made while the network is loaded.
TEST(ScarceResources, AFoldedConstantWithoutMemoryIsASentenceWithItsSize) {
  ModelWriter writer;
  writer.Input("x", {1});
  writer.Floats("w", {1}, {1});
  writer.Integers("dims", {12 << 20});
  writer.Node("Expand", "expand", {"w", "dims"}, {"wide"});
  writer.Node("Add", "add", {"x", "wide"}, {"y"});
  writer.Output("y");
  const std::string file = writer.Save().string();
  const std::int64_t start = StartKib();
  const ProcessResult little =
      Halftone({"explain", "--model", file}, {.address_kib = start + 24 * kMiB});
  EXPECT_EQ(little.exit_code, 1) << little.out;
  EXPECT_EQ(ErrorLines(little.err), 1) << little.err;
  EXPECT_THAT(little.err, ContainsRegex("[0-9]{8,} (more )?bytes of memory, the system refused "
                                        "them: make the input or the batch"));
  EXPECT_EQ(Halftone({"explain", "--model", file}, {.address_kib = start + 256 * kMiB}).exit_code,
            0);
}

onnx::GraphProto& AddBody(onnx::NodeProto& node) {
  auto* attribute = node.add_attribute();
  attribute->set_name("body");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  return *attribute->mutable_g();
}

// A Loop that negates x `trips` times, or, with 0, as long as a condition that is always computed
// as true.
fs::path LoopModel(std::int64_t trips) {
  ModelWriter writer;
  writer.Input("x", {2});
  writer.Integers("trips1", {trips});
  writer.Integers("axes", {0});
  writer.Node("Squeeze", "squeeze", {"trips1", "axes"}, {"trips"});
  writer.Integers("one", {1});
  writer.Node("Equal", "equal", {"one", "one"}, {"yes1"});
  writer.Node("Squeeze", "squeeze_yes", {"yes1", "axes"}, {"yes"});
  onnx::GraphProto& body =
      AddBody(writer.Node("Loop", "loop", {trips > 0 ? "trips" : "", "yes", "x"}, {"y"}));
  ModelWriter::Describe(*body.add_input(), "i", {}, onnx::TensorProto::INT64);
  ModelWriter::Describe(*body.add_input(), "going", {}, onnx::TensorProto::BOOL);
  ModelWriter::Describe(*body.add_input(), "z", {2}, onnx::TensorProto::FLOAT);
  ModelWriter::AddNode(body, "Neg", "neg", {"z"}, {"next"});
  ModelWriter::AddNode(body, "Not", "a", {"going"}, {"b"});
  ModelWriter::AddNode(body, "Not", "c", {"b"}, {"again"});
  body.add_output()->set_name(trips > 0 ? "going" : "again");
  body.add_output()->set_name("next");
  writer.Output("y");
  return writer.Save();
}

// Hours of work in a file of 300 bytes.
TEST(ScarceResources, LongAndEndlessLoopsAreRefusedInLittleTimeAndMemory) {
  const Limits limits{.address_kib = StartKib() + 192 * kMiB, .cpu_seconds = 10};
  for (const std::int64_t trips : {std::int64_t{200'000}, std::int64_t{1} << 62, std::int64_t{0}}) {
    const ProcessResult result =
        Halftone({"explain", "--model", LoopModel(trips).string()}, limits);
    EXPECT_EQ(result.exit_code, 1) << trips << "\n" << result.err;
    EXPECT_EQ(ErrorLines(result.err), 1);
    EXPECT_THAT(result.err, HasSubstr("node 'loop' (Loop): "));
    EXPECT_THAT(result.err, HasSubstr("nodes and values"));
  }
}

// 40 GiB of constants in a file of 3 KiB: loaded in little, and run only where there is enough.
TEST(ScarceResources, FortyFillsOf1GiBLoadInLittleMemory) {
  ModelWriter writer;
  writer.Input("x", {1});
  writer.Integers("dims", {1 << 28});
  std::string sum = "x";
  for (int i = 0; i < 40; ++i) {
    const std::string filled = "c" + std::to_string(i);
    const std::string next = "s" + std::to_string(i);
    writer.Node("ConstantOfShape", "fill" + std::to_string(i), {"dims"}, {filled.c_str()});
    writer.Node("Add", "add" + std::to_string(i), {sum.c_str(), filled.c_str()}, {next.c_str()});
    sum = next;
  }
  writer.Output(sum);
  const std::string file = writer.Save().string();
  const Limits limits{.address_kib = StartKib() + 192 * kMiB, .cpu_seconds = 10};
  const ProcessResult explain = Halftone({"explain", "--model", file}, limits);
  EXPECT_EQ(explain.exit_code, 0) << explain.err;
  const ProcessResult run = Halftone({"run", "--model", file}, limits);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("error: the network needs at least 3.00 GiB of memory around"));
}

}  // namespace
}  // namespace halftone
