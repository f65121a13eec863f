#include "src/onnx/tensor_proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <string>

#include "src/base/error.h"
#include "src/base/file.h"

namespace halftone {
namespace {

std::filesystem::path TestFile(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / ("halftone_tensor_proto_" + name);
}

void Save(const onnx::TensorProto& proto, const std::filesystem::path& file) {
  WriteFileAtomically(file, proto.SerializeAsString());
}

std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

class RoundTrip : public ::testing::TestWithParam<DTypeRow> {};

TEST_P(RoundTrip, KeepsTypeAndBits) {
  Tensor tensor(GetParam().dtype, Shape{2, 3});
  for (int i = 0; i < 6; ++i) {
    StoreDouble(tensor.dtype(), tensor.mutable_data(), i, i % 2);
  }
  const auto file = TestFile(std::string(GetParam().name));
  WriteTensorProto(file, tensor, "x");
  const Tensor back = ReadTensorProto(file);
  EXPECT_EQ(back.type(), tensor.type());
  EXPECT_EQ(std::memcmp(back.data(), tensor.data(), tensor.size_bytes()), 0);
}

INSTANTIATE_TEST_SUITE_P(DTypes, RoundTrip, ::testing::ValuesIn(kDTypes),
                         [](const auto& c) { return std::string(c.param.name); });

// A sparse file: it takes no room on the disk, and nothing of it is read.
TEST(ReadTensorProto, AFileBeyondTheLimitOfProtobuf) {
  const auto file = TestFile("large.pb");
  WriteFileAtomically(file, "");
  std::filesystem::resize_file(file, std::uintmax_t{1} << 31U);
  EXPECT_EQ(ErrorOf([&] { ReadTensorProto(file); }),
            "'" + file.string() +
                "' is larger than 2 GiB, the limit of protobuf: store large tensors as external "
                "data");
  std::filesystem::remove(file);
}

TEST(ReadTensorProto, ScalarsAndEmptyTensors) {
  const float value = 7;
  WriteTensorProto(TestFile("scalar"), Tensor::From<float>({}, {&value, 1}), "s");
  EXPECT_EQ(ReadTensorProto(TestFile("scalar")).values<float>()[0], 7);
  WriteTensorProto(TestFile("none"), Tensor(DType::kInt64, Shape{0, 4}), "e");
  EXPECT_EQ(ReadTensorProto(TestFile("none")).shape(), (Shape{0, 4}));
}

// Values 0, 1 and 2 in the typed field that the specification names for each element type.
struct TypedCase {
  const char* name;
  DType dtype;
  std::function<void(onnx::TensorProto&, int value)> add;
};

class TypedField : public ::testing::TestWithParam<TypedCase> {};

TEST_P(TypedField, IsRead) {
  onnx::TensorProto proto;
  proto.set_data_type(RowOf(GetParam().dtype).onnx_type);
  proto.add_dims(3);
  for (int i = 0; i < 3; ++i) {
    GetParam().add(proto, i);
  }
  Save(proto, TestFile("typed"));
  const Tensor tensor = ReadTensorProto(TestFile("typed"));
  ASSERT_EQ(tensor.dtype(), GetParam().dtype);
  EXPECT_EQ(DoubleAt(tensor.dtype(), tensor.data(), 1), 1);
  EXPECT_EQ(DoubleAt(tensor.dtype(), tensor.data(), 2), GetParam().dtype == DType::kBool ? 1 : 2);
}

const auto kAddInt32 = [](onnx::TensorProto& proto, int value) { proto.add_int32_data(value); };

const TypedCase kTypedCases[] = {
    {"float32", DType::kFloat32, [](auto& p, int v) { p.add_float_data(static_cast<float>(v)); }},
    {"float64", DType::kFloat64, [](auto& p, int v) { p.add_double_data(v); }},
    {"int64", DType::kInt64, [](auto& p, int v) { p.add_int64_data(v); }},
    {"uint32", DType::kUInt32, [](auto& p, int v) { p.add_uint64_data(static_cast<unsigned>(v)); }},
    {"uint64", DType::kUInt64, [](auto& p, int v) { p.add_uint64_data(static_cast<unsigned>(v)); }},
    {"int32", DType::kInt32, kAddInt32},
    {"int16", DType::kInt16, kAddInt32},
    {"uint16", DType::kUInt16, kAddInt32},
    {"int8", DType::kInt8, kAddInt32},
    {"uint8", DType::kUInt8, kAddInt32},
    {"boolean", DType::kBool, kAddInt32},
    {"float16_bits", DType::kFloat16,
     [](auto& p, int v) { p.add_int32_data(Float16::FromFloat(static_cast<float>(v)).bits); }},
    {"bfloat16_bits", DType::kBFloat16,
     [](auto& p, int v) { p.add_int32_data(BFloat16::FromFloat(static_cast<float>(v)).bits); }},
};

INSTANTIATE_TEST_SUITE_P(Fields, TypedField, ::testing::ValuesIn(kTypedCases),
                         [](const auto& c) { return std::string(c.param.name); });

struct BadCase {
  const char* name;
  std::function<void(onnx::TensorProto&)> spoil;  // of a good float tensor of three elements
  const char* message;
};

class BadTensor : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadTensor, IsRefusedWithTheReason) {
  onnx::TensorProto proto;
  proto.set_data_type(1);
  proto.add_dims(3);
  proto.set_raw_data(std::string(12, '\0'));
  GetParam().spoil(proto);
  const auto file = TestFile("bad.pb");
  Save(proto, file);
  const std::string message = ErrorOf([&] { ReadTensorProto(file); });
  EXPECT_THAT(message, ::testing::HasSubstr("bad.pb"));
  EXPECT_THAT(message, ::testing::HasSubstr(GetParam().message));
}

void MakeExternal(onnx::TensorProto& proto, const std::string& location) {
  proto.clear_raw_data();
  proto.set_data_location(onnx::TensorProto::EXTERNAL);
  auto* entry = proto.add_external_data();
  entry->set_key("location");
  entry->set_value(location);
}

const BadCase kBadCases[] = {
    {"short_raw_data", [](auto& p) { p.set_raw_data(std::string(8, '\0')); },
     "expected 12 bytes of data for float32 3, got 8"},
    {"no_data", [](auto& p) { p.clear_raw_data(); }, "expected 3 elements of data"},
    {"unknown_type", [](auto& p) { p.set_data_type(99); },
     "found number 99 of TensorProto.DataType"},
    {"text", [](auto& p) { p.set_data_type(8); }, "found STRING (8) of TensorProto.DataType"},
    {"no_type", [](auto& p) { p.clear_data_type(); }, "expected an element type, got none"},
    {"negative_extent", [](auto& p) { p.set_dims(0, -3); }, "negative extent"},
    {"overflowing_dims",
     [](auto& p) {
       p.add_dims(std::int64_t{1} << 40);
       p.add_dims(std::int64_t{1} << 40);
     },
     "more than 2^59 elements"},
    {"huge_dims_without_data", [](auto& p) { p.set_dims(0, std::int64_t{1} << 40); },
     "expected 4398046511104 bytes"},
    {"value_beyond_type",
     [](auto& p) {
       p.clear_raw_data();
       p.set_data_type(3);
       for (const int value : {1, 2, 300}) {
         p.add_int32_data(value);
       }
     },
     "element 2 is 300, which int8 cannot hold"},
    {"external_climbs_out", [](auto& p) { MakeExternal(p, "../passwd"); }, "outside the folder"},
    {"external_absolute", [](auto& p) { MakeExternal(p, "/etc/passwd"); }, "outside the folder"},
    {"external_missing", [](auto& p) { MakeExternal(p, "halftone_no_such_file"); },
     "'halftone_no_such_file' is missing"},
    {"external_without_location", [](auto& p) { p.set_data_location(onnx::TensorProto::EXTERNAL); },
     "expected a location"},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadTensor, ::testing::ValuesIn(kBadCases),
                         [](const auto& c) { return std::string(c.param.name); });

// The elements as they lie in the file.
TEST(LocateTensorProto, RawElementsAreFoundWithoutReadingThem) {
  onnx::TensorProto proto;
  proto.set_name("x");
  proto.set_doc_string(std::string(10'000, 'd'));
  proto.set_data_type(1);
  proto.add_dims(2);
  proto.add_dims(1);
  const float values[] = {3, 4};
  proto.set_raw_data(values, sizeof(values));
  const std::string bytes = proto.SerializeAsString();
  WriteFileAtomically(TestFile("raw.pb"), bytes);
  const auto place = LocateTensorProto(TestFile("raw.pb"));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->type, (TensorType{DType::kFloat32, {2, 1}}));
  const std::string raw(reinterpret_cast<const char*>(values), sizeof(values));
  EXPECT_EQ(bytes.substr(static_cast<std::size_t>(place->offset), raw.size()), raw);
  // Numbers behind each other in one field, as other writers have them.
  std::string packed = "\x0a\x02\x02\x01\x10\x01\x4a\x08";
  packed.append(reinterpret_cast<const char*>(values), sizeof(values));
  WriteFileAtomically(TestFile("packed.pb"), packed);
  EXPECT_EQ(LocateTensorProto(TestFile("packed.pb")).value().offset, 8);
}

// What has to be read whole, or is refused when it is.
TEST(LocateTensorProto, OtherFilesAreLeftToReading) {
  onnx::TensorProto raw;
  raw.set_data_type(1);
  raw.add_dims(3);
  raw.set_raw_data(std::string(12, '\0'));
  const std::function<void(onnx::TensorProto&)> spoils[] = {
      [](auto& p) { p.set_raw_data(std::string(8, '\0')); },
      [](auto& p) { p.clear_raw_data(); },
      [](auto& p) { p.clear_data_type(); },
      [](auto& p) { p.set_data_type(99); },
      [](auto& p) { p.add_float_data(1); },
      [](auto& p) { p.mutable_segment()->set_begin(0); },
      [](auto& p) { p.set_data_location(onnx::TensorProto::EXTERNAL); },
  };
  for (const auto& spoil : spoils) {
    onnx::TensorProto proto = raw;
    spoil(proto);
    Save(proto, TestFile("left.pb"));
    EXPECT_FALSE(LocateTensorProto(TestFile("left.pb"))) << proto.DebugString();
  }
  const std::string bytes = raw.SerializeAsString();
  WriteFileAtomically(TestFile("left.pb"), bytes.substr(0, bytes.size() - 1));
  EXPECT_FALSE(LocateTensorProto(TestFile("left.pb"))) << "cut short";
  WriteFileAtomically(TestFile("left.pb"), "");
  EXPECT_FALSE(LocateTensorProto(TestFile("left.pb"))) << "empty";
  EXPECT_THAT(ErrorOf([&] { LocateTensorProto(TestFile("absent.pb")); }),
              ::testing::HasSubstr("absent.pb"));
}

TEST(ReadTensorProto, EmptyAndForeignFiles) {
  const auto file = TestFile("foreign.pb");
  WriteFileAtomically(file, "");
  EXPECT_THAT(ErrorOf([&] { ReadTensorProto(file); }), ::testing::HasSubstr("the file is empty"));
  WriteFileAtomically(file, "\x0a\xff\xff\xff\xff\x0f no tensor");
  EXPECT_THAT(ErrorOf([&] { ReadTensorProto(file); }), ::testing::HasSubstr("do not parse"));
  EXPECT_THAT(ErrorOf([&] { ReadTensorProto(TestFile("absent.pb")); }),
              ::testing::HasSubstr("absent.pb"));
}

TEST(ReadTensorProto, ExternalDataHonoursOffsetAndLength) {
  const auto folder = TestFile("folder");
  CreateFolder(folder);
  const float values[] = {1, 2, 3, 4};
  WriteFileAtomically(folder / "weights.bin",
                      {reinterpret_cast<const char*>(values), sizeof(values)});
  onnx::TensorProto proto;
  proto.set_data_type(1);
  proto.add_dims(2);
  MakeExternal(proto, "weights.bin");
  auto* offset = proto.add_external_data();
  offset->set_key("offset");
  offset->set_value("8");
  Save(proto, folder / "t.pb");
  EXPECT_THAT(ReadTensorProto(folder / "t.pb").values<float>(), ::testing::ElementsAre(3, 4));

  offset->set_value("12");
  Save(proto, folder / "t.pb");
  EXPECT_THAT(ErrorOf([&] { ReadTensorProto(folder / "t.pb"); }),
              ::testing::HasSubstr("8 bytes from byte 12 on are asked for, the file has 16"));

  offset->set_value("-1");
  Save(proto, folder / "t.pb");
  EXPECT_THAT(ErrorOf([&] { ReadTensorProto(folder / "t.pb"); }),
              ::testing::HasSubstr("expected a count of bytes as offset, got '-1'"));
}

// Large data at a multiple of 64 bytes are the file's own; elsewhere, and bools, they are copied.
// Either way the tensor holds what the file holds, aligned as kernels want it, and outlives it.
TEST(ReadTensorProto, LargeExternalDataAreMapped) {
  const auto folder = TestFile("mapped");
  CreateFolder(folder);
  constexpr std::int64_t kCount = 20'000;
  std::vector<float> values(kCount + 100);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i);
  }
  for (const std::int64_t first : {0, 16, 1, 7, 64}) {
    WriteFileAtomically(folder / "weights.bin",
                        {reinterpret_cast<const char*>(values.data()), values.size() * 4});
    onnx::TensorProto proto;
    proto.set_data_type(1);
    proto.add_dims(kCount);
    MakeExternal(proto, "weights.bin");
    auto* offset = proto.add_external_data();
    offset->set_key("offset");
    offset->set_value(std::to_string(first * 4));
    Save(proto, folder / "t.pb");
    const Tensor tensor = ReadTensorProto(folder / "t.pb");
    std::filesystem::remove(folder / "weights.bin");
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % Tensor::kAlignment, 0U);
    EXPECT_EQ(tensor.values<float>()[0], static_cast<float>(first));
    EXPECT_EQ(tensor.values<float>()[kCount - 1], static_cast<float>(first + kCount - 1));
  }
  WriteFileAtomically(folder / "weights.bin", std::string(1 << 17, '\x02'));
  onnx::TensorProto proto;
  proto.set_data_type(onnx::TensorProto::BOOL);
  proto.add_dims(1 << 17);
  MakeExternal(proto, "weights.bin");
  Save(proto, folder / "t.pb");
  EXPECT_EQ(ReadTensorProto(folder / "t.pb").bytes()[(1 << 17) - 1], std::byte{1});
}

TEST(ReadTensorProto, ExternalDataThroughALinkOutOfTheFolderIsRefused) {
  const auto folder = TestFile("linked");
  CreateFolder(folder);
  WriteFileAtomically(TestFile("outside.bin"), std::string(12, '\0'));
  std::error_code error;
  std::filesystem::remove(folder / "link.bin", error);
  std::filesystem::create_symlink(TestFile("outside.bin"), folder / "link.bin");
  onnx::TensorProto proto;
  proto.set_data_type(1);
  proto.add_dims(3);
  MakeExternal(proto, "link.bin");
  Save(proto, folder / "t.pb");
  EXPECT_THAT(ErrorOf([&] { ReadTensorProto(folder / "t.pb"); }),
              ::testing::HasSubstr("'link.bin' lies outside the folder"));
}

}  // namespace
}  // namespace halftone
