// Files of text that name operators and their types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/export/mindspore_plan.h"
#include "src/export/ncnn_param.h"
#include "src/export/polygraphy_script.h"
#include "src/export/tensorrt_arguments.h"
#include "src/onnx/reader.h"
#include "tests/export/named_net.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::NamedNet;
using testing::NamedNetOf;

TEST(TensorRtArguments, ListsWhatDiffersFromTheUsualType) {
  NamedNet net =
      NamedNetOf({"a", "b", "c", "d"}, {{"a", "float16"}, {"b", "float16"}, {"c", "bfloat16"}});
  const ExportedText file = WriteTensorRtArguments("net.onnx", net.graph, net.plan);
  EXPECT_EQ(file.text,
            "# TensorRT 8.6 to 10.x; 11 takes types from the model alone: --to=onnx-mixed\n"
            "# grep -v '^#' FILE | { mapfile -t words; trtexec \"${words[@]}\"; }\n"
            "--onnx=net.onnx\n--fp16\n--bf16\n--precisionConstraints=obey\n--noTF32\n"
            "--layerPrecisions=c:bf16,d:fp32\n--layerOutputTypes=c:bf16,d:fp32\n");
  EXPECT_THAT(file.losses, IsEmpty());
  // A node without a name is called by its result.
  net.graph.nodes[3].origins[0].name = "";
  EXPECT_THAT(WriteTensorRtArguments("net.onnx", net.graph, net.plan).text,
              HasSubstr("node_of_d_out:fp32"));
}

// The importer calls nodes without a name, and the second of one name, as no other tool does.
TEST(FileNodes, NamesAreThoseOfTheFile) {
  testing::ModelWriter model;
  model.Input("x", {2, 4});
  model.Node("Relu", "", {"x"}, {"a"});
  model.Node("Relu", "act", {"a"}, {"b"});
  model.Node("Neg", "", {"b"}, {"c"});
  model.Node("Relu", "act", {"c"}, {"d"});
  model.Node("Relu", "alone", {"d"}, {"y"});
  model.Output("y");
  const std::filesystem::path path = model.Save();
  NamedNet net{.graph = ReadOnnx(path), .plan = {}};
  net.plan = ReferencePlan(net.graph);
  net.plan.nodes[4].inputs.assign(1, NumericFormat(DType::kFloat16));
  net.plan.nodes[4].outputs.assign(1, NumericFormat(DType::kFloat16));
  EXPECT_EQ(net.graph.nodes[2].name, "Neg_1");
  net.graph = WithNamesOfFile(net.graph, path);
  std::string names;
  for (const PlannedNode& node : net.nodes()) {
    names += node.name + (node.shares_name ? "* " : " ");
  }
  EXPECT_EQ(names, " act*  act* alone ");
  const ExportedText arguments = WriteTensorRtArguments("net.onnx", net.graph, net.plan);
  EXPECT_THAT(arguments.text, HasSubstr("--layerPrecisions=node_of_a:fp32,node_of_c:fp32\n"));
  EXPECT_THAT(NotesOf(arguments.losses),
              ElementsAre("layers whose names several operators of the model have, which TensorRT "
                          "numbers by itself; give each operator a name of its own: 2, the first "
                          "is 'act'"));
  const ExportedText script = WritePolygraphyScript(net.graph, net.plan);
  EXPECT_THAT(script.text, HasSubstr("    \"node_of_c\": \"float32\",\n}"));
  EXPECT_EQ(script.losses.size(), 2U);
  const ExportedText plan = WriteMindSporePlan(net.graph, net.plan);
  EXPECT_EQ(plan.text, "[execution_plan]\nalone=data_type:float16\n");
  EXPECT_EQ(plan.losses.size(), 4U);
  for (const NcnnMask& mask : NcnnMasksOf(net.graph, net.plan)) {
    EXPECT_EQ(mask.name, "") << mask.output;
  }
}

TEST(TensorRtArguments, SaysWhichNamesItCannotWrite) {
  const NamedNet net = NamedNetOf({"a", "b,c", "d*"}, {{"a", "float16"}});
  const ExportedText file = WriteTensorRtArguments("net.onnx", net.graph, net.plan);
  EXPECT_THAT(file.text, Not(HasSubstr("--layerPrecisions")));
  EXPECT_THAT(NotesOf(file.losses),
              ElementsAre("layers whose names have ',', '*' or a line break, which trtexec cannot "
                          "read: 2, the first is 'b,c'"));
}

std::string ErrorOf(const NamedNet& net) {
  try {
    static_cast<void>(WriteTensorRtArguments("net.onnx", net.graph, net.plan));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(TensorRtArguments, RefusesPlansThatItCannotSay) {
  EXPECT_EQ(ErrorOf(NamedNetOf({"a"}, {})),
            "the plan has no operator in 16 bits, and nothing for arguments of trtexec to say");
  EXPECT_THAT(ErrorOf(NamedNetOf({"a"}, {{"a", "qint8"}})),
              HasSubstr("write --to=onnx-qdq:flavour=tensorrt"));
  std::vector<std::string> names = {"low"};
  for (int i = 0; i < 3000; ++i) {
    names.push_back(std::string(40, 'n') + std::to_string(i));
  }
  EXPECT_THAT(ErrorOf(NamedNetOf(names, {{"low", "float16"}})),
              HasSubstr("and Linux takes 131072 in one argument; write --to=onnx-mixed"));
}

TEST(TensorRtArguments, NoPathAddsAnArgument) {
  const NamedNet net = NamedNetOf({"a"}, {{"a", "float16"}});
  for (const char* const path : {"net\n--noDataTransfers", "net\r--safe"}) {
    try {
      static_cast<void>(WriteTensorRtArguments(path, net.graph, net.plan));
      ADD_FAILURE() << "written";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("stand in a line each; rename it"));
    }
  }
}

TEST(MindSporePlan, HasALineForEveryOperator) {
  const NamedNet net = NamedNetOf({"a", "b", "c=d", "e"}, {{"a", "float16"}, {"e", "bfloat16"}});
  const ExportedText file = WriteMindSporePlan(net.graph, net.plan);
  EXPECT_EQ(file.text,
            "[execution_plan]\na=data_type:float16\nb=data_type:float32\ne=data_type:float32\n");
  EXPECT_THAT(NotesOf(file.losses),
              ElementsAre("operators whose names have signs of INI files: 1, the first is 'c=d'",
                          "operators in neither float16 nor float32, which stand in float32: 1, "
                          "the first is 'e'"));
}

}  // namespace
}  // namespace halftone
