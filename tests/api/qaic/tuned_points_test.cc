// Points of a search for the device are command lines of its compiler that give the same plans.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "src/api/halftone.h"
#include "src/api/qaic/session.h"
#include "src/base/file.h"
#include "src/base/shell_words.h"
#include "src/base/temporary_folder.h"
#include "src/qaic/compile_options.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using ::testing::HasSubstr;

// What the command of a point's script prints, on `list`.
std::string RunScript(const std::filesystem::path& folder, const std::filesystem::path& model,
                      const std::filesystem::path& list) {
  const std::string script = ReadFile(folder / "qaic_compile.sh");
  const std::string_view command = "exec qaic-compile ";
  std::vector<std::string> words;
  for (std::string word : ShellWords(script.substr(script.find(command) + command.size()))) {
    for (const auto& [variable, value] :
         {std::pair("$folder", folder.string()), std::pair("${MODEL:-$model}", model.string())}) {
      if (const auto at = word.find(variable); at != word.npos) {
        word.replace(at, std::strlen(variable), value);
      }
    }
    if (word != "\\" && word != "$@") {
      words.push_back(word);
    }
  }
  words.push_back("-input-list-file=" + list.string());
  std::string said;
  const auto add = [&](std::string_view text) { said += fmt::format("{}\n", text); };
  RunQaicCompile(ParseQaicOptions(words), {.print = add, .note = add, .warn = add, .columns = 200});
  return said;
}

TEST(TunedPointsTest, ReadBackThroughTheCompilersCommandLine) {
  const auto digits = testing::SourceDir() / "examples/digits";
  const TemporaryFolder folder("points");
  const Model model =
      LoadModel({.path = digits / "model.onnx", .inputs = digits / "search_inputs.npy"});
  TuneOptions options;
  options.target.soc_version = "cloud_ai_100";
  options.data.inputs = digits / "search_inputs.npy";
  options.max_trials = 16;
  options.output = folder.path() / "out";
  options.quantize.mode = QuantizeMode::kOn;
  const TuneSummary summary = Tune(model, options);
  ASSERT_GT(summary.front.points.size(), 2U);
  // The first image, as a raw file.
  const Dataset samples = LoadDataset(model.graph, options.data);
  const Tensor image = samples.Read(0).inputs[0];
  folder.Write("image.raw", {reinterpret_cast<const char*>(image.data()), image.size_bytes()});
  folder.Write("list.txt", (folder.path() / "image.raw").string() + "\n");
  std::size_t quantized = 0;
  for (const FrontPoint& point : summary.front.points) {
    const std::string said =
        RunScript(options.output / point.folder, digits / "model.onnx", folder.path() / "list.txt");
    EXPECT_THAT(said, HasSubstr("\nplan " + point.trial.plan_digest.ToHex())) << point.folder;
    quantized += said.find("using PGQ.") != said.npos ? 1 : 0;
  }
  EXPECT_GT(quantized, 0U) << "8 bits are the fastest by the roofline";
}

}  // namespace
}  // namespace halftone
