// Files that are no models, models that are broken, and what is said about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <string>

#include "src/base/error.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using testing::ModelWriter;

// x [2,3] -> Relu 'relu' -> y
ModelWriter Good(std::int64_t opset = 17) {
  ModelWriter writer(opset);
  writer.Input("x", {2, 3});
  writer.Node("Relu", "relu", {"x"}, {"y"});
  writer.Output("y");
  return writer;
}

struct Case {
  const char* name;
  std::function<void(ModelWriter&)> spoil;
  ErrorKind kind;
  const char* message;
};

class Malformed : public ::testing::TestWithParam<Case> {};

TEST_P(Malformed, IsRefusedWithFileAndReason) {
  ModelWriter writer = Good();
  GetParam().spoil(writer);
  const auto file = writer.Save();
  try {
    ReadOnnx(file);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(GetParam().message));
    EXPECT_THAT(error.what(), ::testing::StartsWith("reading '" + file.string() + "': "));
    EXPECT_EQ(error.kind(), GetParam().kind) << error.what();
  }
}

onnx::NodeProto& Relu(ModelWriter& writer) {
  return *writer.graph().mutable_node(0);
}

constexpr ErrorKind kModel = ErrorKind::kModel;
constexpr ErrorKind kUnsupported = ErrorKind::kUnsupported;

const Case kCases[] = {
    {"no_graph", [](auto& w) { w.model.clear_graph(); }, kModel, "the file holds no graph"},
    // What only passes may make (kernels/softmax/softmax.h).
    {"softmax_with_a_mask",
     [](auto& w) {
       Relu(w).set_op_type("Softmax");
       Relu(w).add_input("x");
     },
     kModel, "node 'relu' (Softmax): expected 1 input, got 2"},
    {"softmax_with_a_scale",
     [](auto& w) {
       Relu(w).set_op_type("Softmax");
       ModelWriter::SetFloat(Relu(w), "scale", 0.5F);
     },
     kUnsupported, "attribute 'scale' has no meaning for Softmax here"},
    {"no_opset", [](auto& w) { w.model.clear_opset_import(); }, kModel, "expected an opset"},
    {"opset_too_old", [](auto& w) { w.model.mutable_opset_import(0)->set_version(0); },
     kUnsupported, "opset 0 is not supported, 1 to 24 are"},
    {"opset_too_new", [](auto& w) { w.model.mutable_opset_import(0)->set_version(25); },
     kUnsupported, "opset 25 is not supported"},
    {"other_domain_only",
     [](auto& w) { w.model.mutable_opset_import(0)->set_domain("ai.onnx.ml"); }, kModel,
     "expected an opset of the domain ai.onnx"},
    {"cycle",
     [](auto& w) {
       w.Node("Add", "a", {"y", "q"}, {"p"});
       w.Node("Neg", "b", {"p"}, {"q"});
     },
     kModel, "node 'a' (Add) is part of a cycle"},
    {"dangling_input", [](auto& w) { Relu(w).set_input(0, "nowhere"); }, kModel,
     "node 'relu' (Relu): input 'nowhere' is made by no node"},
    {"output_made_twice", [](auto& w) { w.Node("Neg", "b", {"x"}, {"y"}); }, kModel,
     "node 'b' (Neg): output 'y' is made twice"},
    {"output_is_an_input", [](auto& w) { w.Node("Neg", "b", {"y"}, {"x"}); }, kModel,
     "output 'x' is made twice"},
    {"input_given_twice", [](auto& w) { w.Input("x", {1}); }, kModel,
     "graph input 'x' is given twice"},
    {"initializer_given_twice",
     [](auto& w) {
       w.Floats("c", {1}, {1});
       w.Floats("c", {1}, {1});
     },
     kModel, "initializer 'c' is given twice"},
    {"graph_output_missing", [](auto& w) { w.Output("z"); }, kModel,
     "graph output 'z' is made by no node"},
    {"graph_output_given_twice", [](auto& w) { w.Output("y"); }, kModel,
     "graph output 'y' is given twice"},
    {"no_graph_output", [](auto& w) { w.graph().clear_output(); }, kModel, "the graph has none"},
    {"node_without_output", [](auto& w) { w.Node("Neg", "b", {"x"}, {}); }, kModel,
     "node 'b' (Neg): expected an output, got none"},
    {"too_few_inputs", [](auto& w) { Relu(w).set_op_type("Add"); }, kModel,
     "node 'relu' (Add): expected 2 inputs, got 1"},
    {"no_inputs", [](auto& w) { Relu(w).clear_input(); }, kModel, "expected 1 inputs, got 0"},
    {"too_many_inputs",
     [](auto& w) {
       Relu(w).set_op_type("Conv");
       for (int i = 0; i < 3; ++i) {
         Relu(w).add_input("x");
       }
     },
     kModel, "node 'relu' (Conv): expected 2 to 3 inputs, got 4"},
    {"required_input_left_out",
     [](auto& w) {
       Relu(w).set_op_type("Where");
       Relu(w).set_input(0, "");
       Relu(w).add_input("x");
       Relu(w).add_input("x");
     },
     kModel, "input 0 is left out but not optional"},
    {"mistyped_attribute",
     [](auto& w) {
       Relu(w).set_op_type("LeakyRelu");
       ModelWriter::SetInt(Relu(w), "alpha", 1);
     },
     kModel, "node 'relu' (LeakyRelu): attribute 'alpha': expected a float, got an integer"},
    {"attribute_twice",
     [](auto& w) {
       Relu(w).set_op_type("LeakyRelu");
       ModelWriter::SetFloat(Relu(w), "alpha", 1);
       ModelWriter::SetFloat(Relu(w), "alpha", 1);
     },
     kModel, "attribute 'alpha': is given twice"},
    {"attribute_without_meaning", [](auto& w) { ModelWriter::SetInt(Relu(w), "slope", 1); },
     kUnsupported, "attribute 'slope' has no meaning for Relu"},
    {"attribute_without_type", [](auto& w) { Relu(w).add_attribute()->set_name("a"); }, kModel,
     "attribute 'a': expected an attribute with a type"},
    {"operand_types_differ",
     [](auto& w) {
       w.Integers("c", {1});
       w.Node("Add", "add", {"x", "c"}, {"z"});
     },
     kModel, "node 'add' (Add): input 1: expected float32 as before it, got int64 1"},
    {"wrong_operand_type", [](auto& w) { w.Node("Not", "not", {"x"}, {"z"}); }, kModel,
     "node 'not' (Not): input 0: expected bool, got float32 2x3"},
    {"initializer_too_short",
     [](auto& w) {
       w.Floats("c", {4}, {1, 2});
     },
     kModel, "initializer 'c': expected 4 elements of data for float32 4, got 2"},
    {"initializer_negative_extent",
     [](auto& w) {
       w.Floats("c", {-4}, {1, 2});
     },
     kModel, "initializer 'c': shape -4 has a negative extent"},
    {"input_negative_extent",
     [](auto& w) {
       auto* shape =
           w.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
       shape->mutable_dim(0)->set_dim_value(-5);
     },
     kModel, "input 'x': extent -5 is negative"},
    {"input_overflowing_extents",
     [](auto& w) {
       auto* shape =
           w.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
       shape->mutable_dim(0)->set_dim_value(std::int64_t{1} << 40);
       shape->mutable_dim(1)->set_dim_value(std::int64_t{1} << 40);
     },
     kModel, "more than 2^59 elements"},
    {"input_unknown_type",
     [](auto& w) {
       w.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(77);
     },
     kUnsupported, "input 'x': expected elements of a type that halftone has, found number 77 of"},
    {"input_sequence",
     [](auto& w) { w.graph().mutable_input(0)->mutable_type()->mutable_sequence_type(); },
     kUnsupported, "input 'x': expected a tensor"},
    {"external_file_missing",
     [](auto& w) {
       w.Floats("c", {1}, {});
       auto* tensor = w.graph().mutable_initializer(0);
       tensor->set_data_location(onnx::TensorProto::EXTERNAL);
       auto* entry = tensor->add_external_data();
       entry->set_key("location");
       entry->set_value("weights.bin");
     },
     ErrorKind::kIo, "initializer 'c': external data 'weights.bin' is missing"},
    {"external_file_outside",
     [](auto& w) {
       w.Floats("c", {1}, {});
       auto* tensor = w.graph().mutable_initializer(0);
       tensor->set_data_location(onnx::TensorProto::EXTERNAL);
       auto* entry = tensor->add_external_data();
       entry->set_key("location");
       entry->set_value("sub/../../weights.bin");
     },
     kModel, "lies outside the folder of the model"},
    {"sparse_initializer", [](auto& w) { w.graph().add_sparse_initializer(); }, kUnsupported,
     "expected a dense tensor, found a sparse one; write it with all its elements"},
    {"missing_operators",
     [](auto& w) {
       w.Node("StringNormalizer", "text", {"x"}, {"a"});
       w.Node("Bernoulli", "", {"x"}, {"b"});
       w.Node("StringNormalizer", "", {"x"}, {"c"});
       w.Node("Fused", "", {"x"}, {"d"}).set_domain("com.example");
     },
     kUnsupported,
     "node 'text' (StringNormalizer): halftone does not have operator StringNormalizer of opset "
     "17; "
     "missing for this model, with the number of nodes: Bernoulli (1), StringNormalizer (2), "
     "com.example.Fused (1); export the model with operators of docs/reference/operators.md"},
    {"loop",
     [](auto& w) {
       w.Node("Loop", "loop", {"", "", "x"}, {"z"});
     },
     kModel, "node 'loop' (Loop): attribute 'body' is missing"},
    {"constant_of_text",
     [](auto& w) { ModelWriter::SetText(w.Node("Constant", "c", {}, {"z"}), "value_string", "t"); },
     kUnsupported, "node 'c' (Constant): attribute 'value_string'"},
    {"constant_without_value", [](auto& w) { w.Node("Constant", "c", {}, {"z"}); }, kModel,
     "node 'c' (Constant): expected 1 attribute that holds the value, got 0"},
    {"statistics_of_batch_norm",
     [](auto& w) {
       w.Node("BatchNormalization", "norm", {"x", "x", "x", "x", "x"}, {"n", "mean"});
       w.Output("mean");
     },
     kUnsupported,
     "node 'norm' (BatchNormalization): the outputs behind the first (training statistics) are "
     "used, but not supported; export the model for inference, or take them out of it"},
    {"tile_of_opset_1",
     [](auto& w) {
       w.model.mutable_opset_import(0)->set_version(1);
       w.Node("Tile", "tile", {"x", "x", "x"}, {"z"});
     },
     kUnsupported,
     "node 'tile' (Tile): the variant of Tile below opset 6 is not supported: convert the model"},
    {"non_zero_at_run_time", [](auto& w) { w.Node("NonZero", "where", {"x"}, {"z"}); },
     kUnsupported,
     "node 'where' (NonZero): input 'X' is computed at run time, and a shape depends on it: give a "
     "sample with --inputs, which says what it is"},
    {"activation_unknown_direction",
     [](auto& w) {
       auto& node = w.Node("RNN", "rnn", {"x", "x", "x"}, {"z"});
       auto* attribute = node.add_attribute();
       attribute->set_name("activations");
       attribute->set_type(onnx::AttributeProto::STRING);
       attribute->set_s("Tanh");
     },
     kModel, "node 'rnn' (RNN): attribute 'activations': expected a list of texts"},
    {"data_dependent_shape",
     [](auto& w) {
       w.Input("shape", {2}, onnx::TensorProto::INT64);
       w.Node("Reshape", "reshape", {"x", "shape"}, {"z"});
     },
     kUnsupported, "node 'reshape' (Reshape): input 'shape' is computed at run time"},
};

INSTANTIATE_TEST_SUITE_P(Cases, Malformed, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

std::string ErrorOf(const std::filesystem::path& file) {
  try {
    ReadOnnx(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(MalformedFile, IsNamed) {
  const auto file = Good().Save();
  const std::string bytes = ReadFile(file);
  WriteFileAtomically(file, "");
  EXPECT_THAT(ErrorOf(file),
              ::testing::HasSubstr("model.onnx': expected an ONNX model, the file is empty"));
  WriteFileAtomically(file, "this is no protobuf at all");
  EXPECT_THAT(ErrorOf(file), ::testing::HasSubstr("26 bytes do not parse as one"));
  const auto absent = file.parent_path() / "absent.onnx";
  EXPECT_THAT(ErrorOf(absent), ::testing::HasSubstr("absent.onnx"));
  std::filesystem::remove(file);
  EXPECT_THAT(ErrorOf(file.parent_path()), ::testing::HasSubstr("holds no model.onnx"));
}

// Without the flush to the disk of WriteFileAtomically: these tests write hundreds of files.
void Overwrite(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// Wherever a file is cut it is refused or, when the cut falls between fields, lacks something.
TEST(MalformedFile, EveryPrefixIsRefused) {
  ModelWriter writer = Good();
  writer.Floats("c", {3}, {1, 2, 3});
  writer.Node("Add", "add", {"y", "c"}, {"z"});
  writer.Output("z");
  const auto file = writer.Save();
  const std::string bytes = ReadFile(file);
  // The opset comes last in the file, so that no proper prefix is complete.
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Overwrite(file, std::string_view(bytes).substr(0, size));
    EXPECT_NE(ErrorOf(file), "(no error)") << "cut to " << size << " of " << bytes.size();
  }
}

// Any single damaged byte gives a model or an Error, never a crash.
TEST(MalformedFile, DamagedBytesNeverCrash) {
  ModelWriter writer = Good();
  writer.Floats("c", {3}, {1, 2, 3});
  writer.Node("Add", "add", {"y", "c"}, {"z"});
  writer.Output("z");
  const auto file = writer.Save();
  const std::string bytes = ReadFile(file);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x08, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      Overwrite(file, damaged);
      EXPECT_NO_FATAL_FAILURE(ErrorOf(file));
    }
  }
}

}  // namespace
}  // namespace halftone
