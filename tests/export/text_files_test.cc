// Files of text that name operators and their types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/error.h"
#include "src/export/mindspore_plan.h"
#include "src/export/tensorrt_arguments.h"
#include "tests/export/named_net.h"

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
