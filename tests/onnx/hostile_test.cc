// What somebody who means harm, or a broken exporter, puts into a model: each is refused with the
// whole sentence that stands here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "src/base/error.h"
#include "tests/support/model_writer.h"

namespace halftone {
namespace {

using testing::ModelWriter;
namespace fs = std::filesystem;

struct Case {
  const char* name;
  // Of a model x [2,3] -> Relu 'relu' -> y that will lie in the folder.
  std::function<void(ModelWriter&, const fs::path& folder)> spoil;
  ErrorKind kind;
  std::string message;  // behind "reading '<file>': "; @ is the folder
};

constexpr ErrorKind kModel = ErrorKind::kModel;
constexpr ErrorKind kUnsupported = ErrorKind::kUnsupported;
constexpr ErrorKind kIo = ErrorKind::kIo;

ModelWriter Good() {
  ModelWriter writer;
  writer.Input("x", {2, 3});
  writer.Node("Relu", "relu", {"x"}, {"y"});
  writer.Output("y");
  return writer;
}

onnx::NodeProto& Relu(ModelWriter& writer) {
  return *writer.graph().mutable_node(0);
}

onnx::TensorProto& Initializer(ModelWriter& writer, const std::vector<std::int64_t>& dims) {
  writer.Floats("c", dims, {});
  return *writer.graph().mutable_initializer(0);
}

void SetEntry(onnx::TensorProto& tensor, const std::string& key, const std::string& value) {
  auto* entry = tensor.add_external_data();
  entry->set_key(key);
  entry->set_value(value);
}

// Four floats at `location`.
onnx::TensorProto& External(ModelWriter& writer, const std::string& location) {
  onnx::TensorProto& tensor = Initializer(writer, {4});
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  SetEntry(tensor, "location", location);
  return tensor;
}

void Link(const fs::path& target, const fs::path& link) {
  fs::remove(link);
  fs::create_symlink(target, link);
}

void SetExtent(ModelWriter& writer, int axis, std::int64_t extent) {
  auto* type = writer.graph().mutable_input(0)->mutable_type()->mutable_tensor_type();
  type->mutable_shape()->mutable_dim(axis)->set_dim_value(extent);
}

const Case kCases[] = {
    {"cyclic",
     [](auto& w, auto&) {
       w.Node("Add", "a", {"y", "q"}, {"p"});
       w.Node("Neg", "b", {"p"}, {"q"});
     },
     kModel, "node 'a' (Add) is part of a cycle, or behind one"},
    {"cyclic_by_itself",
     [](auto& w, auto&) {
       w.Node("Add", "a", {"x", "p"}, {"p"});
     },
     kModel, "node 'a' (Add) is part of a cycle, or behind one"},
    {"dangling", [](auto& w, auto&) { Relu(w).set_input(0, "nowhere"); }, kModel,
     "node 'relu' (Relu): input 'nowhere' is made by no node and is no input or initializer"},
    {"mistyped_operand", [](auto& w, auto&) { w.Node("Not", "not", {"x"}, {"z"}); }, kModel,
     "node 'not' (Not): input 0: expected bool, got float32 2x3"},
    {"mistyped_attribute",
     [](auto& w, auto&) {
       Relu(w).set_op_type("LeakyRelu");
       ModelWriter::SetInt(Relu(w), "alpha", 1);
     },
     kModel, "node 'relu' (LeakyRelu): attribute 'alpha': expected a float, got an integer"},
    {"huge_extent", [](auto& w, auto&) { SetExtent(w, 0, std::int64_t{1} << 62); }, kModel,
     "input 'x': shape 4611686018427387904x3 has an extent of more than 2^40"},
    {"overflowing_product",
     [](auto& w, auto&) {
       SetExtent(w, 0, std::int64_t{1} << 32);
       SetExtent(w, 1, std::int64_t{1} << 32);
     },
     kModel, "input 'x': shape 4294967296x4294967296 has more than 2^59 elements"},
    {"negative_extent", [](auto& w, auto&) { SetExtent(w, 0, -5); }, kModel,
     "input 'x': extent -5 is negative"},
    {"overflowing_product_of_an_initializer",
     [](auto& w, auto&) {
       Initializer(w, {std::int64_t{1} << 32, std::int64_t{1} << 32});
     },
     kModel, "initializer 'c': shape 4294967296x4294967296 has more than 2^59 elements"},
    {"huge_initializer_without_data",
     [](auto& w, auto&) { Initializer(w, {std::int64_t{1} << 40}); }, kModel,
     "initializer 'c': expected 1099511627776 elements of data for float32 1099511627776, got 0"},
    {"negative_extent_of_an_initializer", [](auto& w, auto&) { Initializer(w, {-4}); }, kModel,
     "initializer 'c': shape -4 has a negative extent"},
    {"initializer_too_short", [](auto& w, auto&) { Initializer(w, {4}).add_float_data(1); }, kModel,
     "initializer 'c': expected 4 elements of data for float32 4, got 1"},
    {"initializer_too_long",
     [](auto& w, auto&) { Initializer(w, {1}).set_raw_data(std::string(8, '\0')); }, kModel,
     "initializer 'c': expected 4 bytes of data for float32 1, got 8"},
    {"initializer_in_a_field_of_another_type",
     [](auto& w, auto&) { Initializer(w, {1}).add_int64_data(1); }, kModel,
     "initializer 'c': expected 1 elements of data for float32 1, got 0"},
    {"overflowing_product_in_a_node",
     [](auto& w, auto&) {
       w.Integers("dims", {std::int64_t{1} << 32, std::int64_t{1} << 32, 2, 3});
       w.Node("Expand", "expand", {"x", "dims"}, {"z"});
     },
     kModel, "node 'expand' (Expand): shape 4294967296x4294967296x2x3 has more than 2^59 elements"},
    {"overflowing_repeats",
     [](auto& w, auto&) {
       w.Integers("repeats", {std::int64_t{1} << 62, 4});
       w.Node("Tile", "tile", {"x", "repeats"}, {"z"});
     },
     kModel, "node 'tile' (Tile): shape 2x4611686018427387904 has an extent of more than 2^40"},
    {"overflowing_pads",
     [](auto& w, auto&) {
       constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
       w.Integers("pads", {kMost, kMost, kMost, kMost});
       w.Node("Pad", "pad", {"x", "pads"}, {"z"});
     },
     kModel,
     "node 'pad' (Pad): input 'pads': 9223372036854775807 and 9223372036854775807 are no sensible "
     "padding of axis 0"},
    {"external_data_climbs_out", [](auto& w, auto&) { External(w, "sub/../../w.bin"); }, kModel,
     "initializer 'c': external data 'sub/../../w.bin' lies outside the folder of the model"},
    {"external_data_of_an_absolute_path", [](auto& w, auto&) { External(w, "/etc/passwd"); },
     kModel, "initializer 'c': external data '/etc/passwd' lies outside the folder of the model"},
    {"external_data_through_a_link_out",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder.parent_path() / "halftone_outside.bin", std::string(16, '\0'));
       Link(folder.parent_path() / "halftone_outside.bin", folder / "link.bin");
       External(w, "link.bin");
     },
     kModel, "initializer 'c': external data 'link.bin' lies outside the folder of the model"},
    {"external_data_through_a_linked_folder",
     [](auto& w, auto& folder) {
       Link("/etc", folder / "sub");
       External(w, "sub/passwd");
     },
     kModel, "initializer 'c': external data 'sub/passwd' lies outside the folder of the model"},
    {"external_data_through_a_link_to_itself",
     [](auto& w, auto& folder) {
       Link("loop.bin", folder / "loop.bin");
       External(w, "loop.bin");
     },
     kIo, "initializer 'c': external data 'loop.bin' is missing or not a file in '@'"},
    {"external_data_missing", [](auto& w, auto&) { External(w, "w.bin"); }, kIo,
     "initializer 'c': external data 'w.bin' is missing or not a file in '@'"},
    {"external_data_is_a_folder",
     [](auto& w, auto& folder) {
       fs::create_directories(folder / "w.bin");
       External(w, "w.bin");
     },
     kIo, "initializer 'c': external data 'w.bin' is missing or not a file in '@'"},
    {"external_data_is_the_folder", [](auto& w, auto&) { External(w, "."); }, kIo,
     "initializer 'c': external data '.' is missing or not a file in '@'"},
    {"external_data_without_location",
     [](auto& w, auto&) { Initializer(w, {4}).set_data_location(onnx::TensorProto::EXTERNAL); },
     kModel, "initializer 'c': external data: expected a location, got none"},
    {"external_data_short",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder / "w.bin", std::string(15, '\0'));
       External(w, "w.bin");
     },
     kModel,
     "initializer 'c': external data 'w.bin': 16 bytes from byte 0 on are asked for, the file has "
     "15"},
    {"external_data_empty",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder / "w.bin", "");
       External(w, "w.bin");
     },
     kModel,
     "initializer 'c': external data 'w.bin': 16 bytes from byte 0 on are asked for, the file has "
     "0"},
    {"external_data_from_behind_the_end",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder / "w.bin", std::string(16, '\0'));
       SetEntry(External(w, "w.bin"), "offset", "9223372036854775807");
     },
     kModel,
     "initializer 'c': external data 'w.bin': 16 bytes from byte 9223372036854775807 on are asked "
     "for, the file has 16"},
    {"external_data_of_another_length",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder / "w.bin", std::string(64, '\0'));
       SetEntry(External(w, "w.bin"), "length", "20");
     },
     kModel, "initializer 'c': expected 16 bytes of data for float32 4, got 20"},
    {"external_data_from_a_negative_offset",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder / "w.bin", std::string(64, '\0'));
       SetEntry(External(w, "w.bin"), "offset", "-1");
     },
     kModel, "initializer 'c': external data: expected a count of bytes as offset, got '-1'"},
    {"external_data_huge_and_sparse",
     [](auto& w, auto& folder) {
       WriteFileAtomically(folder / "w.bin", "");
       fs::resize_file(folder / "w.bin", std::uintmax_t{1} << 30);
       onnx::TensorProto& tensor = External(w, "w.bin");
       tensor.clear_dims();
       tensor.add_dims((std::int64_t{1} << 28) + 1);
     },
     kModel,
     "initializer 'c': external data 'w.bin': 1073741828 bytes from byte 0 on are asked for, the "
     "file has 1073741824"},
    {"initializer_name_twice",
     [](auto& w, auto&) {
       w.Floats("c", {1}, {1});
       w.Floats("c", {1}, {1});
     },
     kModel, "initializer 'c' is given twice"},
    {"input_name_twice", [](auto& w, auto&) { w.Input("x", {1}); }, kModel,
     "graph input 'x' is given twice"},
    {"value_name_twice", [](auto& w, auto&) { w.Node("Neg", "b", {"x"}, {"y"}); }, kModel,
     "node 'b' (Neg): output 'y' is made twice: by another node, an input or an initializer as "
     "well"},
    {"output_name_twice", [](auto& w, auto&) { w.Output("y"); }, kModel,
     "graph output 'y' is given twice"},
    {"unknown_domain", [](auto& w, auto&) { Relu(w).set_domain("com.example"); }, kUnsupported,
     "node 'relu' (Relu): halftone does not have operator com.example.Relu; missing "
     "for this model, with the number of nodes: com.example.Relu (1); export the model with "
     "operators of docs/reference/operators.md"},
    {"unknown_domain_only",
     [](auto& w, auto&) { w.model.mutable_opset_import(0)->set_domain("com.example"); }, kModel,
     "expected an opset of the domain ai.onnx, the model declares none"},
    {"names_that_a_terminal_would_act_on",
     [](auto& w, auto&) { Relu(w).set_input(0, "\x1b[2J\n"); }, kModel,
     "node 'relu' (Relu): input '\\x1b[2J\\n' is made by no node and is no input or initializer"},
};

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class Hostile : public ::testing::TestWithParam<Case> {};

TEST_P(Hostile, IsRefusedWithOneSentence) {
  ModelWriter writer = Good();
  const fs::path folder = writer.Save().parent_path();
  fs::remove_all(folder);
  fs::create_directories(folder);
  GetParam().spoil(writer, folder);
  const fs::path file = writer.Save();
  try {
    ReadOnnx(file);
    FAIL() << "was read";
  } catch (const Error& error) {
    std::string message = error.what();
    const std::string prefix = "reading '" + file.string() + "': ";
    ASSERT_THAT(message, ::testing::StartsWith(prefix));
    message = Replaced(message.substr(prefix.size()), fs::canonical(folder).string(), "@");
    EXPECT_EQ(message, GetParam().message);
    EXPECT_EQ(error.kind(), GetParam().kind);
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Cases, Hostile, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

std::string MessageOf(const fs::path& file) {
  try {
    ReadOnnx(file);
  } catch (const Error& error) {
    return Replaced(error.what(), file.string(), "@");
  }
  return "no error";
}

TEST(HostileFile, TruncatedInTheMiddleOfAWeight) {
  ModelWriter writer = Good();
  writer.Floats("c", {1000}, std::vector<float>(1000, 1));
  const fs::path file = writer.Save();
  const std::string bytes = ReadFile(file);
  WriteFileAtomically(file, std::string_view(bytes).substr(0, bytes.size() / 2));
  EXPECT_EQ(MessageOf(file),
            "reading '@': expected an ONNX model, 2037 bytes do not parse as one: cut short, of "
            "another format, or with subgraphs more than 30 deep");
}

// x through `depth` Ifs inside each other, each taking its first branch.
ModelWriter NestedIfs(int depth) {
  ModelWriter writer;
  writer.Input("x", {2});
  auto* yes = writer.graph().add_initializer();
  yes->set_name("yes");
  yes->set_data_type(onnx::TensorProto::BOOL);
  yes->add_int32_data(1);
  onnx::GraphProto body;
  for (int level = depth; level > 0; --level) {
    onnx::GraphProto outer;
    outer.set_name("body");
    onnx::NodeProto& node = *outer.add_node();
    const std::string made = "v" + std::to_string(level);
    node.add_output(made);
    if (level == depth) {
      node.set_op_type("Neg");
      node.add_input("x");
    } else {
      node.set_op_type("If");
      node.add_input("yes");
      for (const char* branch : {"then_branch", "else_branch"}) {
        auto* attribute = node.add_attribute();
        attribute->set_name(branch);
        attribute->set_type(onnx::AttributeProto::GRAPH);
        if (branch == std::string("then_branch")) {
          *attribute->mutable_g() = body;
        } else {
          auto* identity = attribute->mutable_g()->add_node();
          identity->set_op_type("Identity");
          identity->add_input("x");
          identity->add_output("e" + std::to_string(level));
          attribute->mutable_g()->add_output()->set_name("e" + std::to_string(level));
        }
      }
    }
    outer.add_output()->set_name(made);
    body = std::move(outer);
  }
  *writer.graph().add_node() = body.node(0);
  writer.Output("v1");
  return writer;
}

TEST(HostileFile, SubgraphsAreReadToADepthOfThirty) {
  EXPECT_EQ(testing::NodesOf(NestedIfs(30).Import().graph).substr(0, 4), "Neg[");
  EXPECT_EQ(MessageOf(NestedIfs(40).Save()),
            "reading '@': expected an ONNX model, 3887 bytes do not parse as one: cut short, of "
            "another format, or with subgraphs more than 30 deep");
  EXPECT_EQ(MessageOf(NestedIfs(300).Save()),
            "reading '@': expected an ONNX model, 30852 bytes do not parse as one: cut short, of "
            "another format, or with subgraphs more than 30 deep");
}

}  // namespace
}  // namespace halftone
