// Files of text that name operators and their types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/export/mindspore_plan.h"
#include "src/export/tensorrt_arguments.h"
#include "tests/support/graph_builder.h"

namespace halftone {
namespace {

using ::testing::ElementsAre;
using testing::GraphBuilder;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Net {
  Graph graph;
  PrecisionPlan plan;
};

// Relus behind one another; those without a type are in float32.
Net NetOf(const std::vector<std::string>& names, const std::map<std::string, std::string>& types) {
  GraphBuilder builder;
  ValueId last = builder.Input("x", {2, 4});
  for (const std::string& name : names) {
    last = builder.Add(OpKind::kRelu, name, {last});
  }
  Net net{.graph = builder.Finish({last})};
  for (Node& node : net.graph.nodes) {
    node.origins = {{node.name, "Relu", node.name + "_out"}};
  }
  net.plan = ReferencePlan(net.graph);
  for (std::size_t n = 0; n < net.graph.nodes.size(); ++n) {
    if (const auto found = types.find(net.graph.nodes[n].name); found != types.end()) {
      net.plan.nodes[n].inputs.assign(1, *NumericFormat::Named(found->second));
      net.plan.nodes[n].outputs.assign(1, *NumericFormat::Named(found->second));
    }
  }
  return net;
}

TEST(TensorRtArguments, ListsWhatDiffersFromTheUsualType) {
  Net net = NetOf({"a", "b", "c", "d"}, {{"a", "float16"}, {"b", "float16"}, {"c", "bfloat16"}});
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

TEST(TensorRtArguments, SaysWhichNamesItCannotWrite) {
  const Net net = NetOf({"a", "b,c", "d*"}, {{"a", "float16"}});
  const ExportedText file = WriteTensorRtArguments("net.onnx", net.graph, net.plan);
  EXPECT_THAT(file.text, Not(HasSubstr("--layerPrecisions")));
  EXPECT_THAT(NotesOf(file.losses),
              ElementsAre("layers whose names have ',', '*' or a line break, which trtexec cannot "
                          "read: 2, the first is 'b,c'"));
}

std::string ErrorOf(const Net& net) {
  try {
    static_cast<void>(WriteTensorRtArguments("net.onnx", net.graph, net.plan));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(TensorRtArguments, RefusesPlansThatItCannotSay) {
  EXPECT_EQ(ErrorOf(NetOf({"a"}, {})),
            "the plan has no operator in 16 bits, and nothing for arguments of trtexec to say");
  EXPECT_THAT(ErrorOf(NetOf({"a"}, {{"a", "qint8"}})),
              HasSubstr("write --to=onnx-qdq:flavour=tensorrt"));
  std::vector<std::string> names = {"low"};
  for (int i = 0; i < 3000; ++i) {
    names.push_back(std::string(40, 'n') + std::to_string(i));
  }
  EXPECT_THAT(ErrorOf(NetOf(names, {{"low", "float16"}})),
              HasSubstr("and Linux takes 131072 in one argument; write --to=onnx-mixed"));
}

TEST(MindSporePlan, HasALineForEveryOperator) {
  const Net net = NetOf({"a", "b", "c=d", "e"}, {{"a", "float16"}, {"e", "bfloat16"}});
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
