// Files that are written of small models whose outputs and types are easily lost: ONNX's own
// checker accepts each, their interface is that of the model, and they compute what the plan
// computes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "src/exec/host_target.h"
#include "src/export/check_onnx.h"
#include "src/export/onnx_mixed.h"
#include "src/precision/resolve/resolve.h"
#include "tests/export/written_model.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using testing::ExpectValid;
using ::testing::HasSubstr;
using testing::Imported;

struct Network {
  const char* name;
  const char* text;  // behind the versions, as ONNX's parser reads it
};

constexpr const char* kWeights = "<float[3,2] w = {0.5, -1, 0.25, 2, -0.75, 1.5}>";

// '@' stands for kWeights.
constexpr Network kNetworks[] = {
    {"index_behind_identity", R"(g (float[4,3] x) => (int64[4] label, float[4,2] p) @
     { h = MatMul(x, w)  p = Softmax<axis = -1>(h)  best = ArgMax<axis = -1, keepdims = 0>(h)
       label = Identity(best) })"},
    {"index_behind_two", R"(g (float[4,3] x) => (int64[4] label) @
     { h = MatMul(x, w)  a = ArgMax<axis = -1, keepdims = 0>(h)  b = Identity(a)
       label = Identity(b) })"},
    {"index_behind_reshape", R"(g (float[4,3] x) => (int64[4,1] label, float[4,1] y)
     <float[3,2] w = {0.5, -1, 0.25, 2, -0.75, 1.5}, int64[2] shape = {4, 1}>
     { h = MatMul(x, w)  i = ArgMax<axis = 1, keepdims = 1>(h)  label = Reshape(i, shape)
       y = GatherElements<axis = 1>(h, i) })"},
    {"integers_behind_identity", R"(g (float[4,3] x) => (int64[4,2] i, float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 7>(h)  i = Identity(k)  y = Cast<to = 1>(k) })"},
    {"integers_behind_dropout", R"(g (float[4,3] x) => (int32[4,2] i, float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 6>(h)  y = Cast<to = 1>(k)  i = Identity(k) })"},
    {"top_k", R"(g (float[4,3] x) => (float[4,1] v, int64[4,1] i)
     <float[3,2] w = {0.5, -1, 0.25, 2, -0.75, 1.5}, int64[1] k = {1}>
     { h = MatMul(x, w)  a, b = TopK<axis = 1>(h, k)  v = Identity(a)  i = Identity(b) })"},
    {"shape_out", R"(g (float[4,3] x) => (int64[2] s, float[4,2] y) @
     { h = MatMul(x, w)  y = Relu(h)  a = Shape(y)  s = Identity(a) })"},
    {"comparison", R"(g (float[4,3] x) => (bool[4,2] b, float[4,2] y)
     <float[3,2] w = {0.5, -1, 0.25, 2, -0.75, 1.5}, float zero = {0}>
     { h = MatMul(x, w)  a = Greater(h, zero)  b = Identity(a)  y = Where(a, h, zero) })"},
    {"float_behind_identity", R"(g (float[4,3] x) => (float[4,2] y, float[4,2] z) @
     { h = MatMul(x, w)  y = Identity(h)  z = Relu(h) })"},
    {"one_tensor_twice", R"(g (float[4,3] x) => (float[4,2] y, float[4,2] z) @
     { h = MatMul(x, w)  y = Relu(h)  z = Identity(y) })"},
    {"input_out", R"(g (float[4,3] x) => (float[4,2] y, float[4,3] x2) @
     { h = MatMul(x, w)  y = Relu(h)  x2 = Identity(x) })"},
    {"constant_out", R"(g (float[4,3] x) => (float[4,2] y, float[3,2] w) @
     { h = MatMul(x, w)  y = Relu(h) })"},
    {"cast_at_input", R"(g (int64[4,3] i) => (float[4,2] y) @
     { x = Cast<to = 1>(i)  h = MatMul(x, w)  y = Relu(h) })"},
    {"half_input", R"(g (float16[4,3] i) => (float[4,2] y) @
     { x = Cast<to = 1>(i)  h = MatMul(x, w)  y = Relu(h) })"},
    {"half_output", R"(g (float[4,3] x) => (float16[4,2] y) @
     { h = MatMul(x, w)  r = Relu(h)  y = Cast<to = 10>(r) })"},
    {"half_behind_identity", R"(g (float[4,3] x) => (float16[4,2] o, float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 10>(h)  o = Identity(k)  y = Cast<to = 1>(k) })"},
    {"half_inside", R"(g (float[4,3] x) => (float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 10>(h)  c = Cast<to = 1>(k)  y = Relu(c) })"},
    {"brain_inside", R"(g (float[4,3] x) => (float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 16>(h)  c = Cast<to = 1>(k)  y = Relu(c) })"},
    {"half_operators", R"(g (float[4,3] x) => (float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 10>(h)  a = Relu(k)  b = Add(a, k)  y = Cast<to = 1>(b) })"},
    {"double_inside", R"(g (float[4,3] x) => (float[4,2] y) @
     { h = MatMul(x, w)  k = Cast<to = 11>(h)  a = Relu(k)  y = Cast<to = 1>(a) })"},
    {"branches", R"(g (float[4,3] x) => (float[4,2] y, int64[4] i)
     <float[3,2] w = {0.5, -1, 0.25, 2, -0.75, 1.5}, bool yes = {1}>
     { h = MatMul(x, w)
       y, a = If(yes)<then_branch = t () => (float[4,2] u, int64[4] v)
           { u = Relu(h)  v = ArgMax<axis = 1, keepdims = 0>(h) },
         else_branch = e () => (float[4,2] p, int64[4] q)
           { p = Neg(h)  q = ArgMin<axis = 1, keepdims = 0>(h) }>
       i = Identity(a) })"},
};

onnx::ModelProto Parsed(const std::string& text, std::int64_t opset) {
  std::string whole =
      "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]> " + text;
  if (const auto at = whole.find('@'); at != std::string::npos) {
    whole.replace(at, 1, kWeights);
  }
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser::Parse(model, whole.c_str());
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage() << "\n" << whole;
  return model;
}

std::map<std::string, int> TypesOf(
    const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& list) {
  std::map<std::string, int> types;
  for (const auto& value : list) {
    types[value.name()] = value.type().tensor_type().elem_type();
  }
  return types;
}

class ValidFiles : public ::testing::TestWithParam<Network> {
 protected:
  ValidFiles()
      : model_(Parsed(GetParam().text, 13)),
        path_(fs::path(::testing::TempDir()) /
              (std::string("valid_") + GetParam().name + ".onnx")) {
    WriteFileAtomically(path_, model_.SerializeAsString());
    graph_ = Imported(path_);
  }

  void ExpectFile(const std::string& bytes, const std::string& what) {
    SCOPED_TRACE(what);
    onnx::ModelProto written;
    ASSERT_TRUE(written.ParseFromString(bytes));
    ExpectValid(written, graph_);
    EXPECT_NO_THROW(CheckOnnx(written));
    EXPECT_EQ(TypesOf(written.graph().input()), TypesOf(model_.graph().input()));
    EXPECT_EQ(TypesOf(written.graph().output()), TypesOf(model_.graph().output()));
    const fs::path file = fs::path(path_).replace_extension("." + what + ".onnx");
    WriteFileAtomically(file, bytes);
    const Graph read = Imported(file);
    ASSERT_EQ(read.outputs.size(), graph_.outputs.size());
    for (std::size_t i = 0; i < read.outputs.size(); ++i) {
      EXPECT_EQ(read.value(read.outputs[i]).type, graph_.value(graph_.outputs[i]).type);
    }
  }

  onnx::ModelProto model_;
  fs::path path_;
  Graph graph_;
};

TEST_P(ValidFiles, InSixteenBits) {
  for (const char* const mode : {"force_fp16", "allow_mix_precision_bf16"}) {
    const PrecisionPlan plan = ResolvePrecision(graph_, {.precision_mode = mode}, HostTarget());
    ExpectFile(WriteOnnxMixed(path_, graph_, plan).bytes, std::string("mixed.") + mode);
    ExpectFile(WriteOnnxQdq(path_, graph_, plan, QdqFlavour::kOrt).bytes,
               std::string("rounded.") + mode);
  }
}

TEST_P(ValidFiles, InEightBits) {
  std::vector<std::vector<Tensor>> samples;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    samples.push_back(testing::RandomInputs(graph_, seed));
  }
  const PrecisionPlan plan =
      testing::PlanIn(graph_, testing::RangesOn(graph_, samples), testing::AllInQInt8);
  ExpectFile(WriteOnnxQdq(path_, graph_, plan, QdqFlavour::kOrt).bytes, "qdq");
  ExpectFile(WriteOnnxQdq(path_, graph_, plan, QdqFlavour::kTensorRt).bytes, "tensorrt");
}

INSTANTIATE_TEST_SUITE_P(Export, ValidFiles, ::testing::ValuesIn(kNetworks),
                         [](const auto& network) { return std::string(network.param.name); });

std::string FaultOf(const std::string& text, std::int64_t opset = 13) {
  try {
    CheckOnnx(Parsed(text, opset));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    return error.what();
  }
  return {};
}

TEST(CheckOnnx, NamesTheNodeAndBothTypes) {
  EXPECT_EQ(FaultOf("g (float[2] x) => (float[2] y) { y = Relu(x) }"), "");
  EXPECT_EQ(FaultOf("g (float[2] x) => (float16[2] y) { y = Relu(x) }"),
            "node 0 (Relu) makes output 'y' as float, and the file declares it as float16");
  EXPECT_EQ(FaultOf("g (float[2] x, float16[2] z) => (float[2] y) { y = Add(x, z) }"),
            "node 0 (Add) reads 'x' as float and 'z' as float16, and takes one type for both");
  EXPECT_EQ(FaultOf("g (bfloat16[1,1,2,2] x) => (bfloat16[1,1,1,1] y) { y = GlobalMaxPool(x) }"),
            "node 0 (GlobalMaxPool) reads 'x' as bfloat16, which its operand X does not take in "
            "opset 13");
  EXPECT_EQ(FaultOf("g (float[2] x) => (float[2] y) { y = Relu(z) }"),
            "node 0 (Relu) reads tensor 'z', which nothing before it makes");
  EXPECT_EQ(FaultOf("g (float[2] x) => (float[2] y) { y = Relu(x) y = Neg(x) }"),
            "node 1 (Neg) makes tensor 'y', which the file has already");
  EXPECT_EQ(FaultOf("g (float[2] x) => (float[2] y) { z = Relu(x) }"), "nothing makes output 'y'");
}

// The library's schemas end at opset 17: the types that operands share are checked all the same.
TEST(CheckOnnx, ChecksTheTypesOfNewerOpsetsToo) {
  EXPECT_EQ(
      FaultOf("g (bfloat16[1,1,2,2] x) => (bfloat16[1,1,1,1] y) { y = GlobalMaxPool(x) }", 22), "");
  EXPECT_EQ(FaultOf("g (float[2] x, float16[2] z) => (float[2] y) { y = Add(x, z) }", 22),
            "node 0 (Add) reads 'x' as float and 'z' as float16, and takes one type for both");
}

TEST(CheckOnnx, LooksIntoBodies) {
  EXPECT_EQ(FaultOf("g (float[2] x, bool c) => (float[2] y) { y = If(c)<then_branch = t () => "
                    "(float[2] u) { u = Relu(x) }, else_branch = e () => (float16[2] v) "
                    "{ v = Cast<to = 10>(x) }> }"),
            "node '' (If) makes 'y' as float in one branch and as float16 in the other");
}

// Attributes and shapes are left to the library.
TEST(CheckOnnx, HasOneSentenceOfTheLibrary) {
  const std::string fault = FaultOf("g (float[2,3] x) => (float[5,7] y) { y = Relu(x) }");
  EXPECT_THAT(fault, HasSubstr("Relu"));
  EXPECT_EQ(fault.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace halftone
