// Every command that reads samples takes every format of them, for a network with free dimensions,
// and samples of several shapes alike.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/accuracy/tensor_file.h"
#include "src/base/file.h"
#include "src/base/text.h"
#include "tests/cli/halftone_program.h"
#include "tests/support/image_samples.h"
#include "tests/support/image_writer.h"
#include "tests/support/model_writer.h"
#include "tests/support/zip_writer.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ModelWriter;
using ::halftone::testing::ProcessResult;
using ::halftone::testing::RunProcess;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Convolutions over images of any width, and the mean over it.
fs::path SaveNetwork() {
  ModelWriter writer;
  Rng rng(3);
  writer.Input("x", {1, 3, 4, -1});
  writer.Floats("w1", {4, 3, 3, 3}, testing::SmallNumbers(108, rng));
  writer.Floats("w2", {5, 4, 1, 1}, testing::SmallNumbers(20, rng));
  auto& first = writer.Node("Conv", "first", {"x", "w1"}, {"a"});
  ModelWriter::SetInts(first, "pads", {1, 1, 1, 1});
  writer.Node("Relu", "relu", {"a"}, {"b"});
  writer.Node("Conv", "second", {"b", "w2"}, {"c"});
  writer.Node("GlobalAveragePool", "mean", {"c"}, {"y"});
  writer.Output("y");
  return writer.Save();
}

class SampleShapesTest : public ::testing::Test {
 protected:
  SampleShapesTest() {
    for (const char* folder : {"bank", "work", "home"}) {
      fs::remove_all(folder_ / folder);
      fs::create_directories(folder_ / folder);
    }
  }

  [[nodiscard]] ProcessResult Run(std::vector<std::string> words) const {
    words.insert(words.begin(), HALFTONE_BINARY);
    words.push_back("--model=" + model_.string());
    words.emplace_back("--threads=1");
    return RunProcess(words, {{"TUNE_BANK_PATH", folder_ / "bank"},
                              {"ASCEND_WORK_PATH", folder_ / "work"},
                              {"HOME", folder_ / "home"}});
  }

  [[nodiscard]] std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }

  fs::path model_ = SaveNetwork();
  fs::path folder_ = model_.parent_path();
};

std::vector<std::string> Joined(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// Four folders of width 5 and three of width 8.
std::string WriteSets(const fs::path& folder) {
  for (int i = 0; i < 7; ++i) {
    testing::WriteImageSample(folder, i, {1, 3, 4, i % 2 == 0 ? 5 : 8});
  }
  return "--inputs=" + folder.string();
}

TEST_F(SampleShapesTest, RunProfilesAndExplainsAndSavesEachShape) {
  const std::string inputs = WriteSets(folder_ / "sets");
  const auto both =
      AllOf(HasSubstr("input shape x:1,3,4,5\n"), HasSubstr("input shape x:1,3,4,8\n"));
  const ProcessResult profiled = Run({"run", inputs, "--profile_output=" + Path("profile")});
  EXPECT_EQ(profiled.exit_code, 0) << profiled.err;
  EXPECT_THAT(profiled.out, both);
  EXPECT_THAT(profiled.err, Not(HasSubstr("left out")));
  EXPECT_THAT(ReadFile(folder_ / "profile/profile.json"), HasSubstr("\"x:1,3,4,5\""));
  EXPECT_THAT(ReadFile(folder_ / "profile/profile_2.json"), HasSubstr("\"x:1,3,4,8\""));
  EXPECT_TRUE(fs::exists(folder_ / "profile/trace_2.json"));

  const ProcessResult explained = Run({"run", inputs, "--explain", "--no_latency"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, both);
  EXPECT_THAT(explained.err, Not(HasSubstr("left out")));

  const ProcessResult saved = Run({"run", inputs, "--no_latency", "--save=" + Path("saved")});
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_THAT(saved.err, HasSubstr("shape_2 holds the outputs of 3 samples of input shape "
                                   "x:1,3,4,8"));
  EXPECT_EQ(ParseNpy(ReadFile(folder_ / "saved/shape_1/0_y.npy"), "y").shape(),
            (Shape{4, 5, 1, 1}));
  EXPECT_EQ(ParseNpy(ReadFile(folder_ / "saved/shape_2/0_y.npy"), "y").shape(),
            (Shape{3, 5, 1, 1}));
  EXPECT_EQ(ReadFile(folder_ / "saved/shape_2/samples.txt"),
            "test_data_set_1\ntest_data_set_3\ntest_data_set_5\n");
}

// retune measures at the shapes of tune; a stored configuration runs at them.
TEST_F(SampleShapesTest, RetuneAndStoredConfigurationsTakeTheShapesOfTune) {
  const std::string inputs = WriteSets(folder_ / "sets");
  const std::string shapes = "x:1,3,4,5 | x:1,3,4,8";
  const ProcessResult tuned =
      Run({"tune", inputs, "--max_trials=3", "--operator_tuning=off", "--output=" + Path("out")});
  ASSERT_THAT(tuned.exit_code, ::testing::AnyOf(0, 3)) << tuned.err;
  for (const std::string& shipped :
       {"--front=" + Path("out"), "--point=" + Path("out/point_1"), std::string()}) {
    std::vector<std::string> words = {"retune", inputs, "--no_search", "--operator_tuning=off",
                                      "--output=" + Path("again")};
    if (!shipped.empty()) {
      words.push_back(shipped);
    }
    const ProcessResult retuned = Run(words);
    EXPECT_THAT(retuned.exit_code, ::testing::AnyOf(0, 3, 5)) << shipped << retuned.err;
    EXPECT_THAT(ReadFile(folder_ / "again/retune.json"), HasSubstr(shapes)) << shipped;
    EXPECT_THAT(retuned.err, Not(HasSubstr("left out")));
  }
  const ProcessResult stored =
      Run({"run", inputs, "--from_bank", "--select=fastest", "--no_latency"});
  EXPECT_EQ(stored.exit_code, 0) << stored.err;
  EXPECT_THAT(stored.out, HasSubstr("input shape x:1,3,4,8\n"));
}

TEST_F(SampleShapesTest, AoeTunesForEachShape) {
  const std::string inputs = WriteSets(folder_ / "sets");
  for (const char* type : {"--job_type=1", "--job_type=2"}) {
    const ProcessResult result = Run(
        {"aoe", type, inputs, "--max_trials=3", "--output=" + Path("aoe"), "--progress_bar=off"});
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 3)) << type << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("left out"))) << type;
    if (result.exit_code == 0) {
      EXPECT_THAT(ReadFile(folder_ / "aoe/arguments.txt"),
                  AllOf(HasSubstr("x:1,3,4,5"), HasSubstr("x:1,3,4,8")))
          << type;
    }
  }
  const ProcessResult dynamic =
      Run({"aoe", "--job_type=1", "--input_shape=x:1,3,4,-1", "--dynamic_dims=5;8", inputs,
           "--max_trials=3", "--output=" + Path("dynamic"), "--progress_bar=off"});
  EXPECT_THAT(dynamic.exit_code, ::testing::AnyOf(0, 3)) << dynamic.err;
}

// A format: writes two images of width 5 into a folder and says what --inputs is.
struct Format {
  const char* name;
  bool has_shape;  // else --input_shape says it
  std::string (*write)(const fs::path& folder);
};

Tensor Stack() {
  Tensor stack(DType::kFloat32, {2, 3, 4, 5});
  float next = 0;
  for (float& value : stack.mutable_values<float>()) {
    value = next++ / 255;
  }
  return stack;
}

std::string BytesOf(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

std::vector<std::uint8_t> Pixels(std::uint8_t first) {
  std::vector<std::uint8_t> rgb(3 * 4 * 5);
  for (std::uint8_t& value : rgb) {
    value = first++;
  }
  return rgb;
}

constexpr Format kFormats[] = {
    {"Npy", true,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.npy", FormatNpy(Stack()));
       return (folder / "x.npy").string();
     }},
    {"Npz", true,
     [](const fs::path& folder) {
       testing::WriteZip(folder / "x.npz", {{"x.npy", FormatNpy(Stack())}});
       return (folder / "x.npz").string();
     }},
    {"Bin", false,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.bin", BytesOf(Stack()));
       return (folder / "x.bin").string();
     }},
    {"Raw", false,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.raw", BytesOf(Stack()));
       return "x:" + (folder / "x.raw").string();
     }},
    {"Pb", true,
     [](const fs::path& folder) {
       WriteTensorProto(folder / "x.pb", Stack(), "x");
       return (folder / "x.pb").string();
     }},
    {"Png", true,
     [](const fs::path& folder) {
       testing::WritePng(folder / "x.png", 4, 5, 3, Pixels(0));
       return (folder / "x.png").string();
     }},
    {"Jpeg", true,
     [](const fs::path& folder) {
       testing::WriteJpeg(folder / "x.jpg", 4, 5, Pixels(0));
       return (folder / "x.jpg").string();
     }},
    {"Images", true,
     [](const fs::path& folder) {
       CreateFolder(folder / "images");
       testing::WritePng(folder / "images/0.png", 4, 5, 3, Pixels(0));
       testing::WritePng(folder / "images/1.png", 4, 5, 3, Pixels(60));
       return (folder / "images").string();
     }},
    {"Sets", true,
     [](const fs::path& folder) {
       WriteSets(folder / "sets");
       return (folder / "sets").string();
     }},
};

class FormatsAndCommandsTest : public SampleShapesTest,
                               public ::testing::WithParamInterface<Format> {};

TEST_P(FormatsAndCommandsTest, EveryCommandReadsThem) {
  const Format& format = GetParam();
  const std::string samples = format.write(folder_);
  const std::string inputs = "--inputs=" + samples;
  const std::vector<std::string> shape = format.has_shape
                                             ? std::vector<std::string>()
                                             : std::vector<std::string>{"--input_shape=x:1,3,4,5"};
  const std::vector<std::string> fast = {"--max_trials=2", "--operator_tuning=off"};
  const std::string out = "--output=" + Path("out");
  const std::vector<std::vector<std::string>> commands = {
      {"run", inputs, "--no_latency"},
      {"run", inputs, "--profile"},
      {"run", inputs, "--no_latency", "--explain"},
      {"run", inputs, "--no_latency", "--save=" + Path("saved")},
      Joined({"tune", inputs, out}, fast),
      {"retune", inputs, "--no_search", "--operator_tuning=off", "--front=" + Path("out")},
      {"aoe", inputs, "--job_type=1", "--max_trials=2", "--progress_bar=off"},
  };
  for (const std::vector<std::string>& command : commands) {
    if (!format.has_shape) {  // the message says what to do
      const ProcessResult refused = Run(command);
      EXPECT_EQ(refused.exit_code, 2) << Join(command, " ");
      EXPECT_THAT(refused.err, HasSubstr("has no header, and the model leaves the shape 1,3,4,"))
          << Join(command, " ");
      EXPECT_THAT(refused.err, HasSubstr("--input_shape=")) << Join(command, " ");
    }
    const ProcessResult result = Run(Joined(command, shape));
    EXPECT_THAT(result.exit_code, ::testing::AnyOf(0, 3, 5)) << Join(command, " ") << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("error"))) << Join(command, " ");
  }
}

INSTANTIATE_TEST_SUITE_P(Table, FormatsAndCommandsTest, ::testing::ValuesIn(kFormats),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halftone
