// What is said about inputs that do not fit the network: one sentence each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "src/accuracy/dataset.h"
#include "src/accuracy/tensor_file.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/tensor_proto.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

// A file of the folder that `inputs` names; its text when it is no tensor.
struct File {
  const char* name;
  Tensor tensor;
  const char* text = nullptr;
};

struct Case {
  const char* name;
  std::vector<File> files;
  std::string inputs;  // @ is the folder
  ErrorKind kind;
  std::string message;
};

Tensor Floats(Shape shape, std::vector<float> values) {
  return Tensor::From<float>(std::move(shape), values);
}

Tensor Longs(Shape shape, std::vector<std::int64_t> values) {
  return Tensor::From<std::int64_t>(std::move(shape), values);
}

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

const Tensor kX = Floats({1, 2}, {1, 2});
const Tensor kIds = Longs({1}, {7});

constexpr ErrorKind kUsage = ErrorKind::kUsage;
constexpr ErrorKind kModel = ErrorKind::kModel;
constexpr ErrorKind kIo = ErrorKind::kIo;

// Of a network with the inputs 'x' (float32 1x2) and 'ids' (int64 1).
const Case kCases[] = {
    {"wrong_name",
     {{"x.npy", kX}, {"i.npy", kIds}},
     "y:@/x.npy;ids:@/i.npy",
     kUsage,
     "'y:@/x.npy': expected <input>:<file>, the inputs of the network are 'x', 'ids'"},
    {"missing_input",
     {{"x.npy", kX}},
     "x:@/x.npy",
     kUsage,
     "no file is given for input 'ids': the inputs of the network are 'x', 'ids'"},
    {"input_twice",
     {{"x.npy", kX}},
     "x:@/x.npy;x:@/x.npy",
     kUsage,
     "input 'x' is given twice: leave one of the files out"},
    {"name_without_file", {}, "x:", kUsage, "'x:': expected a file behind the colon"},
    {"empty_list",
     {},
     ";",
     kIo,
     "';' does not exist: expected a folder, a .npy, .npz, .pb, .bin, .png or .jpg file, or "
     "'<input>:<file>;...' with 'x', "
     "'ids'"},
    {"empty_item",
     {{"x.npy", kX}},
     "x:@/x.npy;",
     kUsage,
     "'': expected <input>:<file>, the inputs of the network are 'x', 'ids'"},
    {"too_few_files",
     {{"input_0.pb", kX}},
     "@",
     kIo,
     "'@/input_1.pb' is missing: expected a file for each input of the network, 1 is 'ids': add "
     "it"},
    {"too_many_files",
     {{"input_0.pb", kX}, {"input_1.pb", kIds}, {"input_2.pb", kIds}},
     "@",
     kModel,
     "'@/input_2.pb' is one file too many: the inputs of the network are 'x', 'ids', remove it"},
    {"too_few_files_in_a_set",
     {{"test_data_set_0/input_0.pb", kX}},
     "@",
     kIo,
     "'@/test_data_set_0/input_1.pb' is missing: expected a file for each input of the network, 1 "
     "is 'ids': add it"},
    {"one_file_for_two_inputs",
     {{"x.npy", kX}},
     "@/x.npy",
     kUsage,
     "'@/x.npy' is one file, the network has 2 inputs: use '<input>:<file>;...' with 'x', 'ids'"},
    {"wrong_rank",
     {{"x.npy", Floats({2}, {1, 2})}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
     "float32 2: reshape it to 1x2"},
    {"wrong_rank_of_samples",
     {{"x.npy", Floats({3, 2, 1}, {1, 2, 3, 4, 5, 6})}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
     "float32 3x2x1: reshape it to 3x2"},
    {"wrong_rank_and_count",
     {{"x.npy", Floats({3}, {1, 2, 3})}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
     "float32 3: write it with 2 axes"},
    {"wrong_extent",
     {{"x.npy", Floats({1, 3}, {1, 2, 3})}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
     "float32 1x3: write it in that shape, or where the network leaves it open give --input_shape "
     "\"x:1,3\""},
    {"wrong_extent_of_samples",
     {{"x.npy", Floats({2, 1}, {1, 2})}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x' expects float32 1x2 or several of them stacked along axis 0, found "
     "float32 2x1: write it in that shape, or where the network leaves it open give --input_shape "
     "\"x:1,1\""},
    {"wrong_dtype",
     {{"x.npy", Longs({1, 2}, {1, 2})}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x' expects float32, found int64: write the file as float32"},
    {"floats_for_integers",
     {{"x.npy", kX}, {"i.npy", Floats({1}, {1})}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/i.npy': input 'ids' expects int64, found float32: write the file as int64"},
    {"nan",
     {{"x.npy", Floats({2, 2}, {1, 2, 3, kNaN})}, {"i.npy", Longs({2}, {1, 2})}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'@/x.npy': input 'x': expected finite values, element 1 of sample 1 is nan: mend that sample "
     "or leave it out"},
    {"infinity",
     {{"input_0.pb", Floats({1, 2}, {-kInfinity, 0})}, {"input_1.pb", kIds}},
     "@",
     kModel,
     "'@/input_0.pb': input 'x': expected finite values, element 0 of sample 0 is -inf: mend that "
     "sample or leave it out"},
    {"no_such_path",
     {},
     "@/none",
     kIo,
     "'@/none' does not exist: expected a folder, a .npy, .npz, .pb, .bin, .png or .jpg file, or "
     "'<input>:<file>;...' with "
     "'x', 'ids'"},
    {"no_such_file",
     {{"x.npy", kX}},
     "x:@/x.npy;ids:@/none.npy",
     kIo,
     "cannot read '@/none.npy': No such file or directory"},
    {"empty_folder",
     {},
     "@",
     kIo,
     "'@' holds neither test_data_set_N folders nor input_0.pb nor PNG or JPEG images: expected "
     "one "
     "of them (.npy files are given as '<input>:<file>;...')"},
    {"empty_set",
     {{"test_data_set_0/notes.txt", {}, "none"}},
     "@",
     kIo,
     "'@/test_data_set_0/input_0.pb' is missing: expected a file for each input of the network, 0 "
     "is 'x': add it"},
    {"no_samples",
     {{"x.npy", Floats({0, 2}, {})}, {"i.npy", Longs({0}, {})}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "'x:@/x.npy;ids:@/i.npy' holds no samples: expected at least one, add it or leave --inputs "
     "out for generated ones"},
    {"mixed_sample_counts",
     {{"x.npy", Floats({2, 2}, {1, 2, 3, 4})}, {"i.npy", Longs({3}, {1, 2, 3})}},
     "x:@/x.npy;ids:@/i.npy",
     kModel,
     "expected as many samples for every input, '@/x.npy' holds 2, '@/i.npy' holds 3: leave out "
     "what the others do not have"},
    {"mixed_forms_of_a_folder",
     {{"test_data_set_0/input_0.pb", kX}, {"test_data_set_0/input_1.pb", kIds}, {"input_0.pb", kX}},
     "@",
     kIo,
     "'@' holds both test_data_set_N folders and input_0.pb: expected one of them"},
    {"npy_files_in_a_folder",
     {{"input_0.npy", kX}, {"input_1.npy", kIds}},
     "@",
     kIo,
     "'@' holds neither test_data_set_N folders nor input_0.pb nor PNG or JPEG images: expected "
     "one "
     "of them (.npy files are given as '<input>:<file>;...')"},
    {"other_format",
     {{"x.txt", {}, "1 2"}, {"i.npy", kIds}},
     "x:@/x.txt;ids:@/i.npy",
     kIo,
     "'@/x.txt': expected a .npy or .pb file"},
    {"other_format_under_the_name_of_npy",
     {{"x.npy", {}, "1 2"}, {"i.npy", kIds}},
     "x:@/x.npy;ids:@/i.npy",
     kIo,
     "'@/x.npy' does not begin as a .npy file does: it is not a .npy file halftone reads"},
    {"other_format_under_the_name_of_pb",
     {{"x.pb", {}, "1 2"}, {"i.npy", kIds}},
     "x:@/x.pb;ids:@/i.npy",
     kModel,
     "reading the tensor '@/x.pb': expected a serialized TensorProto, 3 bytes do not parse as one: "
     "cut short or of another format"},
};

class InputErrorTest : public ::testing::TestWithParam<Case> {};

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
    text.replace(at, from.size(), to);
  }
  return text;
}

TEST_P(InputErrorTest, IsOneSentence) {
  const fs::path folder =
      fs::path(::testing::TempDir()) / (std::string("halftone_input_error_") + GetParam().name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const File& file : GetParam().files) {
    const fs::path path = folder / file.name;
    fs::create_directories(path.parent_path());
    if (file.text != nullptr) {
      WriteFileAtomically(path, file.text);
    } else if (path.extension() == ".pb") {
      WriteTensorProto(path, file.tensor, "t");
    } else {
      WriteFileAtomically(path, FormatNpy(file.tensor));
    }
  }
  Graph graph;
  for (const auto& [name, type] : {std::pair<std::string, TensorType>{"x", kX.type()},
                                   std::pair<std::string, TensorType>{"ids", kIds.type()}}) {
    graph.inputs.push_back(graph.AddValue({.name = name, .type = type, .constant = {}}));
  }
  try {
    LoadDataset(graph, {.inputs = Replaced(GetParam().inputs, "@", folder.string()), .labels = {}});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(Replaced(error.what(), folder.string(), "@"), GetParam().message);
    EXPECT_EQ(error.kind(), GetParam().kind);
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Cases, InputErrorTest, ::testing::ValuesIn(kCases),
                         [](const auto& row) { return std::string(row.param.name); });

// A list is no path, whatever its length: a part of a path has at most 255 bytes.
TEST(InputListTest, MayBeLongerThanAName) {
  Graph graph;
  graph.inputs.push_back(
      graph.AddValue({.name = std::string(300, 'x'), .type = kX.type(), .constant = {}}));
  const std::string name(300, 'x');
  const std::string list = fmt::format("{}:none.npy", name);
  try {
    LoadDataset(graph, {.inputs = list, .labels = {}});
    FAIL() << "was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot read 'none.npy': No such file or directory");
  }
}

}  // namespace
}  // namespace halftone
