// The script of Polygraphy, run by Python on a made-up network.
#include "src/export/polygraphy_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/base/error.h"
#include "src/base/file.h"
#include "tests/export/named_net.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NamedNet;
using testing::NamedNetOf;
using testing::ProcessResult;

ProcessResult RunScript(const ExportedText& script, const std::vector<std::string>& layers) {
  const std::string path = ::testing::TempDir() + "halftone_add_constraints.py";
  WriteFileAtomically(path, script.text);
  std::vector<std::string> command = {
      "/usr/bin/python3", "-B", (testing::SourceDir() / "tests/export/run_postprocess.py").string(),
      path};
  command.insert(command.end(), layers.begin(), layers.end());
  return testing::RunProcess(command, {{"PYTHONUTF8", "1"}});
}

TEST(PolygraphyScript, SetsExactlyTheLayersThatDiffer) {
  if (!std::filesystem::exists("/usr/bin/python3")) {
    GTEST_SKIP() << "SKIPPED: the script is run with Debian's python3";
  }
  const std::vector<std::string> hostile = {"a,b",         "c:d*",        "it's",  "say \"hi\"",
                                            "back\\slash", "line\nbreak", "tab\t", "größe 網",
                                            "\U0001F600",  "#no",         "{x}",   "\"\"\" + 1"};
  std::vector<std::string> names = {"low", "other low", "brain"};
  names.insert(names.end(), hostile.begin(), hostile.end());
  const NamedNet net = NamedNetOf(
      names,
      {{"low", "float16"}, {"other low", "float16"}, {"brain", "bfloat16"}, {"#no", "float16"}});
  const ExportedText script = WritePolygraphyScript(net.graph, net.plan);
  EXPECT_EQ(script.flags, "--fp16 --bf16");
  EXPECT_THAT(script.losses, IsEmpty());
  names.emplace_back("a layer of the builder's own");
  const ProcessResult result = RunScript(script, names);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto layers = nlohmann::json::parse(result.out);
  ASSERT_EQ(layers.size(), names.size());
  for (const auto& layer : layers) {
    const auto name = layer.at(0).get<std::string>();
    const bool is_usual = name == "low" || name == "other low" || name == "#no" ||
                          name == "a layer of the builder's own";
    const nlohmann::json expected =
        is_usual ? nlohmann::json() : nlohmann::json(name == "brain" ? "bfloat16" : "float32");
    EXPECT_EQ(layer, nlohmann::json({name, expected, expected, nullptr}));
  }
}

TEST(PolygraphyScript, NamesLayersThatTheNetworkDoesNotHave) {
  NamedNet net = NamedNetOf({"low", "gone", "there"}, {{"low", "float16"}});
  net.graph.nodes[2].origins[0].name = "";
  const ProcessResult result =
      RunScript(WritePolygraphyScript(net.graph, net.plan), {"node_of_there_out"});
  EXPECT_EQ(result.out, "[[\"node_of_there_out\", \"float32\", \"float32\", null]]\n");
  EXPECT_EQ(result.err, "no layer 'gone' that can be float32\n");
}

TEST(PolygraphyScript, SaysWhatItCannot) {
  const NamedNet narrow = NamedNetOf({"a", "b"}, {{"a", "float16"}, {"b", "float32_m10"}});
  EXPECT_THAT(
      NotesOf(WritePolygraphyScript(narrow.graph, narrow.plan).losses),
      ElementsAre("operators in a format of float32 tensors, which stand in float32: 1, the "
                  "first is 'b'"));
  for (const char* format : {"qint8", "dint8", "float32"}) {
    const NamedNet net = NamedNetOf({"a"}, {{"a", format}});
    EXPECT_THROW(static_cast<void>(WritePolygraphyScript(net.graph, net.plan)), Error) << format;
  }
}

}  // namespace
}  // namespace halftone
