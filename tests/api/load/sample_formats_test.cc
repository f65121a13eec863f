// Every format of samples works for networks of fixed and of free shapes, with --input_shape and
// without, and gives the same samples: by LoadModel() and LoadSamples(), through which all commands
// read them. What a message proposes is taken.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <regex>

#include "src/accuracy/tensor_file.h"
#include "src/api/load/traced_samples.h"
#include "src/api/shape_profiles.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/onnx/tensor_proto.h"
#include "tests/support/image_samples.h"
#include "tests/support/image_writer.h"
#include "tests/support/model_writer.h"
#include "tests/support/zip_writer.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;
using ::halftone::testing::ModelWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kHeight = 6;
constexpr std::int64_t kWidth = 4;

// Pixels of two images, as floats of whole numbers below 256.
Tensor Stack() {
  Tensor stack(DType::kFloat32, {2, 3, kHeight, kWidth});
  float next = 0;
  for (float& value : stack.mutable_values<float>()) {
    value = next++;
  }
  return stack;
}

std::string Bytes(const Tensor& tensor) {
  return {reinterpret_cast<const char*>(tensor.data()), tensor.size_bytes()};
}

Tensor Image(const Tensor& stack, std::int64_t index) {
  Tensor one(DType::kFloat32, {1, 3, kHeight, kWidth});
  std::memcpy(one.mutable_data(),
              stack.data() + index * static_cast<std::int64_t>(one.size_bytes()), one.size_bytes());
  return one;
}

// A format: writes both samples into a folder and says what --inputs is.
struct Format {
  const char* name;
  bool has_shape;  // without --input_shape, for free height and width
  std::string (*write)(const fs::path& folder);
};

void WriteImage(const fs::path& path, std::int64_t index) {
  const Tensor image = Image(Stack(), index);
  std::vector<std::uint8_t> rgb;
  for (std::int64_t pixel = 0; pixel < kHeight * kWidth; ++pixel) {
    for (std::int64_t channel = 0; channel < 3; ++channel) {
      rgb.push_back(static_cast<std::uint8_t>(
          image.values<float>()[static_cast<std::size_t>(channel * kHeight * kWidth + pixel)]));
    }
  }
  testing::WritePng(path, kHeight, kWidth, 3, rgb);
}

constexpr Format kFormats[] = {
    {"Npy", true,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.npy", FormatNpy(Stack()));
       return (folder / "x.npy").string();
     }},
    {"NpyByName", true,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.npy", FormatNpy(Stack()));
       return "x:" + (folder / "x.npy").string();
     }},
    {"Pb", true,
     [](const fs::path& folder) {
       WriteTensorProto(folder / "x.pb", Stack(), "x");
       return (folder / "x.pb").string();
     }},
    {"Npz", true,
     [](const fs::path& folder) {
       testing::WriteZip(folder / "x.npz", {{"any.npy", FormatNpy(Stack())}});
       return (folder / "x.npz").string();
     }},
    {"NpzByName", true,
     [](const fs::path& folder) {
       testing::WriteZip(folder / "x.npz", {{"any.npy", FormatNpy(Stack())}});
       return "x:" + (folder / "x.npz").string();
     }},
    {"Bin", false,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.bin", Bytes(Stack()));
       return (folder / "x.bin").string();
     }},
    {"RawByName", false,
     [](const fs::path& folder) {
       WriteFileAtomically(folder / "x.raw", Bytes(Stack()));
       return "x:" + (folder / "x.raw").string();
     }},
    {"Images", true,
     [](const fs::path& folder) {
       CreateFolder(folder / "pictures");
       WriteImage(folder / "pictures/0.png", 0);
       WriteImage(folder / "pictures/1.png", 1);
       return (folder / "pictures").string();
     }},
    {"Sets", true,
     [](const fs::path& folder) {
       WriteTensorProto(folder / "sets/test_data_set_0/input_0.pb", Image(Stack(), 0), "x");
       WriteTensorProto(folder / "sets/test_data_set_1/input_0.pb", Image(Stack(), 1), "x");
       return (folder / "sets").string();
     }},
    {"Set", true,
     [](const fs::path& folder) {
       WriteTensorProto(folder / "set/input_0.pb", Stack(), "x");
       return (folder / "set").string();
     }},
};

struct Network {
  const char* name;
  std::vector<std::int64_t> extents;
};

const Network kNetworks[] = {
    {"Fixed", {1, 3, kHeight, kWidth}},
    {"FreeBatch", {-1, 3, kHeight, kWidth}},
    {"FreeImage", {1, 3, -1, -1}},
    {"AllFree", {-1, -1, -1, -1}},
};

class SampleFormatsTest
    : public ::testing::TestWithParam<std::tuple<Format, Network, std::string>> {};

std::string WithoutShape(const std::exception& error) {
  return error.what();
}

TEST_P(SampleFormatsTest, GivesTheSamplesOfANpyFile) {
  const auto& [format, network, given] = GetParam();
  ModelWriter writer;
  writer.Input("x", network.extents);
  writer.Node("Relu", "relu", {"x"}, {"y"});
  writer.Output("y");
  const fs::path path = writer.Save();
  const std::string inputs = format.write(path.parent_path());
  const bool pictures = std::string_view(format.name) == "Images";
  ModelOptions options{.path = path, .input_shape = given, .inputs = inputs};
  options.image = pictures ? "range=255,layout=NCHW" : "";
  const bool is_open = network.extents[2] < 0 && given.empty();
  if (is_open && !format.has_shape) {
    try {
      static_cast<void>(LoadModel(options));
      FAIL() << "a shape was made up";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      // The proposal is taken, and the bytes are samples of it.
      std::smatch proposal;
      const std::string message = WithoutShape(error);
      ASSERT_TRUE(std::regex_search(message, proposal, std::regex("--input_shape=\"([^\"]*)\"")))
          << message;
      options.input_shape = proposal[1];
      EXPECT_FALSE(LoadSamples(LoadModel(options), {.inputs = inputs}).empty()) << message;
    }
    return;
  }
  const Model model = LoadModel(options);
  EXPECT_EQ(model.input_shapes, fmt::format("x:1,3,{},{}", kHeight, kWidth));
  DatasetOptions data{.inputs = inputs, .labels = {}};
  data.image = options.image;
  const Dataset samples = LoadSamples(model, data);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_THAT(samples.notes, ElementsAre());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(Bytes(samples.Read(i).inputs.at(0)),
              Bytes(Image(Stack(), static_cast<std::int64_t>(i))));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, SampleFormatsTest,
                         ::testing::Combine(::testing::ValuesIn(kFormats),
                                            ::testing::ValuesIn(kNetworks),
                                            ::testing::Values("", "x:1,3,6,4")),
                         [](const auto& row) {
                           return std::string(std::get<0>(row.param).name) +
                                  std::get<1>(row.param).name +
                                  (std::get<2>(row.param).empty() ? "" : "AndShape");
                         });

// Two inputs that share a free axis, one of them empty.
class CacheTest : public ::testing::Test {
 protected:
  CacheTest() {
    ModelWriter writer;
    writer.Input("x", {1, -1, 2});
    writer.Input("past", {1, -1, 2});
    writer.graph()
        .mutable_input(1)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(1)
        ->set_dim_param("past_length");
    ModelWriter::SetInt(writer.Node("Concat", "concat", {"past", "x"}, {"y"}), "axis", 1);
    writer.Output("y");
    path_ = writer.Save();
    folder_ = path_.parent_path();
  }

  fs::path path_;
  fs::path folder_;
};

TEST_F(CacheTest, ArchivesSayTheExtentsOfEachInputAlsoIfThereIsNone) {
  testing::WriteZip(folder_ / "xs.npz",
                    {{"past.npy", FormatNpy(Tensor(DType::kFloat32, {1, 0, 2}))},
                     {"x.npy", FormatNpy(Tensor(DType::kFloat32, {1, 5, 2}))}});
  const std::string inputs = (folder_ / "xs.npz").string();
  for (const char* shape : {"", "past:1,0,2", "x:1,5,2;past:1,0,2"}) {
    const Model model = LoadModel({.path = path_, .input_shape = shape, .inputs = inputs});
    EXPECT_EQ(model.input_shapes, "x:1,5,2;past:1,0,2") << shape;
    EXPECT_EQ(LoadSamples(model, {.inputs = inputs}).size(), 1U);
  }
}

// Without a shape the proposal for each input is one that the option takes.
TEST_F(CacheTest, WhatAMessageProposesIsTakenAlsoWithoutElements) {
  WriteFileAtomically(folder_ / "past.npy", FormatNpy(Tensor(DType::kFloat32, {1, 0, 2})));
  WriteFileAtomically(folder_ / "x.npy", FormatNpy(Tensor(DType::kFloat32, {1, 5, 2})));
  const std::string inputs = fmt::format("x:{0}/x.npy;past:{0}/past.npy", folder_.string());
  const Model wrong = LoadModel({.path = path_, .input_shape = "past:1,3,2", .inputs = inputs});
  try {
    static_cast<void>(LoadSamples(wrong, {.inputs = inputs}));
    FAIL();
  } catch (const Error& error) {
    std::smatch proposal;
    const std::string message = error.what();
    ASSERT_TRUE(std::regex_search(message, proposal, std::regex("--input_shape \"([^\"]*)\"")))
        << message;
    const Model right = LoadModel({.path = path_, .input_shape = proposal[1], .inputs = inputs});
    EXPECT_EQ(LoadSamples(right, {.inputs = inputs}).size(), 1U);
  }
}

TEST_F(CacheTest, ARawFileHasTheFreeExtentsOfOtherInputsWithTheirNames) {
  ModelWriter writer;
  writer.Input("ids", {-1, -1});
  writer.Input("mask", {-1, -1});
  writer.Node("Mul", "mul", {"ids", "mask"}, {"y"});
  writer.Output("y");
  const fs::path path = writer.Save();
  WriteFileAtomically(folder_ / "ids.npy", FormatNpy(Tensor(DType::kFloat32, {3, 7})));
  WriteFileAtomically(folder_ / "mask.bin", std::string(std::size_t{3 * 7 * 4}, '\0'));
  const std::string inputs = fmt::format("ids:{0}/ids.npy;mask:{0}/mask.bin", folder_.string());
  const Model model = LoadModel({.path = path, .inputs = inputs});
  EXPECT_EQ(model.input_shapes, "ids:1,7;mask:1,7");
  EXPECT_EQ(LoadSamples(model, {.inputs = inputs}).size(), 3U);
}

// An extent that the model fixes is no matter of --input_shape.
TEST(SampleAdviceTest, DataInAnotherOrderOfAxesIsToBeTransposed) {
  ModelWriter writer;
  writer.Input("x", {-1, 3, -1, -1});
  writer.Node("Relu", "relu", {"x"}, {"y"});
  writer.Output("y");
  const fs::path path = writer.Save();
  const fs::path file = path.parent_path() / "x.npy";
  WriteFileAtomically(file, FormatNpy(Tensor(DType::kFloat32, {1, 6, 4, 3})));
  const auto message = [&](const std::string& shape) {
    try {
      static_cast<void>(
          LoadSamples(LoadModel({.path = path, .input_shape = shape}), {.inputs = file.string()}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message("x:1,3,6,4"),
              HasSubstr("its axes are in another order: transpose it by 0,3,1,2"));
  EXPECT_THAT(message("x:1,3,8,8"),
              HasSubstr("the model fixes these extents: write it in that shape"));
  EXPECT_THAT(message("x:1,3,8,8"), Not(HasSubstr("--input_shape")));
}

// Most shapes of a sentence, and its length, do not grow with the number of samples.
TEST(SampleShapesTest, FoldersOfOtherShapesAreOneSentence) {
  ModelWriter writer;
  writer.Input("x", {1, -1});
  writer.Node("Relu", "relu", {"x"}, {"y"});
  writer.Output("y");
  const fs::path path = writer.Save();
  for (int i = 0; i < 48; ++i) {
    testing::WriteImageSample(path.parent_path(), i, {1, 4 + 2 * (i % 3)});
  }
  const std::string inputs = path.parent_path().string();
  const ModelOptions options{.path = path, .inputs = inputs};
  const Dataset some = LoadSamples(LoadModel(options), {.inputs = inputs});
  EXPECT_EQ(some.size(), 16U);
  EXPECT_THAT(
      some.notes,
      ElementsAre(
          "32 of 48 test_data_set_N folders are left out, as they have other shapes than "
          "'x:1,4': 16 have 'x:1,6' (test_data_set_1, test_data_set_4, test_data_set_7, "
          "...); 16 have 'x:1,8' (test_data_set_2, test_data_set_5, test_data_set_8, ...)"));
  const std::vector<Model> models =
      LoadSampleProfiles(options, ShapesOfSamples(options, {.inputs = inputs}), {.inputs = inputs});
  std::size_t used = 0;
  for (const Dataset& dataset : LoadSamples(models, {.inputs = inputs})) {
    used += dataset.size();
    EXPECT_THAT(dataset.notes, ElementsAre());
  }
  EXPECT_EQ(used, 48U);
  try {
    static_cast<void>(
        LoadSamples(LoadModel({.path = path, .input_shape = "x:1,5"}), {.inputs = inputs}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("holds no usable samples: 48 of 48 test_data_set_N folders"));
    EXPECT_THAT(error.what(), HasSubstr("give --input_shape \"x:1,4\""));
    EXPECT_LT(std::string_view(error.what()).size(), 1000U);
  }
}

// --max_memory bounds what an archive unpacks to, wherever it is opened.
TEST(SampleMemoryTest, ArchivesKeepToTheLimit) {
  for (const std::int64_t width : {std::int64_t{4}, std::int64_t{-1}}) {
    ModelWriter writer;
    writer.Input("x", {1, width});
    writer.Node("Relu", "relu", {"x"}, {"y"});
    writer.Output("y");
    const fs::path path = writer.Save();
    const fs::path file = path.parent_path() / "x.npz";
    testing::WriteZip(file, {{"x.npy", FormatNpy(Tensor(DType::kFloat32, {100'000, 4}))}});
    for (const std::string& inputs : {file.string(), "x:" + file.string()}) {
      const auto load = [&](std::int64_t limit) {
        const ModelOptions options{.path = path, .inputs = inputs, .max_memory = limit};
        return LoadSamples(LoadModel(options), {.inputs = inputs}).size();
      };
      EXPECT_EQ(load(0), 100'000U);
      EXPECT_EQ(load(10'000'000), 100'000U);
      try {
        load(100'000);
        FAIL() << "the archive was unpacked";
      } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("unpacks to more than "));
      }
    }
  }
}

}  // namespace
}  // namespace halftone
