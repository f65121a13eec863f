#include "src/accuracy/tensor_file.h"

#include "gtest/gtest.h"
#include "src/base/error.h"

namespace halftone {
namespace {

using std::string_literals::operator""s;

// numpy.save(..., numpy.array([[1.5, -2.0]], dtype="<f4")), numpy 1.24: the header is padded to
// 128.
std::string NumpyFile() {
  std::string bytes =
      "\x93NUMPY\x01\x00\x76\x00"s + "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
  bytes.append(127 - bytes.size(), ' ');
  return bytes + "\n" + "\x00\x00\xc0\x3f\x00\x00\x00\xc0"s;
}

TEST(ParseNpyTest, ReadsWhatNumpyWrote) {
  ASSERT_EQ(NumpyFile().size(), 136U);
  const Tensor tensor = ParseNpy(NumpyFile(), "x.npy");
  EXPECT_EQ(tensor.type(), (TensorType{DType::kFloat32, {1, 2}}));
  EXPECT_EQ(tensor.values<float>()[0], 1.5F);
  EXPECT_EQ(tensor.values<float>()[1], -2.0F);
}

TEST(ParseNpyTest, ReadsVersions2And3) {
  for (const char version : {'\x02', '\x03'}) {
    const std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n";
    const std::string bytes = "\x93NUMPY"s + version + "\x00"s + static_cast<char>(header.size()) +
                              "\x00\x00\x00"s + header + "\x2a\x00\x00\x00\x00\x00\x00\x00"s;
    const Tensor tensor = ParseNpy(bytes, "x.npy");
    EXPECT_EQ(tensor.type(), (TensorType{DType::kInt64, {}}));
    EXPECT_EQ(tensor.values<std::int64_t>()[0], 42);
  }
}

TEST(NpyRoundTrip, EveryDTypeAndRank) {
  for (const DTypeRow& row : kDTypes) {
    for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3}, Shape{2, 0, 3}, Shape{1, 2, 3, 4}}) {
      Tensor tensor(row.dtype, shape);
      for (std::int64_t i = 0; i < tensor.ElementCount(); ++i) {
        StoreDouble(row.dtype, tensor.mutable_data(), i, static_cast<double>(i % 2));
      }
      const std::string bytes = FormatNpy(tensor);
      const Tensor back = ParseNpy(bytes, "x.npy");
      const DType stored = row.dtype == DType::kBFloat16 ? DType::kFloat32 : row.dtype;
      EXPECT_EQ(back.type(), (TensorType{stored, shape}));
      EXPECT_EQ(DoublesOf(back), DoublesOf(tensor)) << back.type().ToString();
      EXPECT_EQ((bytes.size() - back.size_bytes()) % 64, 0U);
    }
  }
}

TEST(NpyRoundTrip, WritesTheBytesNumpyWrites) {
  const float values[] = {1.5F, -2.0F};
  EXPECT_EQ(FormatNpy(Tensor::From<float>({1, 2}, values)), NumpyFile());
}

// A version 1 file with this header and `data` bytes of zeros.
std::string WithHeader(const std::string& header, std::size_t data) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(header.size()) + "\x00"s + header +
         std::string(data, '\0');
}

struct Malformed {
  const char* name;
  std::string bytes;
  const char* message;  // between "'x.npy' " and ": it is not a .npy file halftone reads"
};

class MalformedNpyTest : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedNpyTest, IsRefusedInOneSentence) {
  try {
    ParseNpy(GetParam().bytes, "x.npy");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kIo);
    EXPECT_EQ(std::string(error.what()),
              "'x.npy' "s + GetParam().message + ": it is not a .npy file halftone reads");
  }
}

const Malformed kMalformed[] = {
    {"Empty", "", "does not begin as a .npy file does"},
    {"Text", "1.5 2.5 3.5 4.5", "does not begin as a .npy file does"},
    {"MagicOnly", "\x93NUMPY", "does not begin as a .npy file does"},
    {"Version4", "\x93NUMPY\x04\x00\x01\x00{"s, "has format version 4 (expected 1, 2 or 3)"},
    {"ShortLength", "\x93NUMPY\x02\x00\x10\x00"s, "ends within its header"},
    {"LongHeader", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s,
     "announces a header of 4294967295 bytes and has 2"},
    {"NoDict", WithHeader("[1, 2]", 0), "has a malformed header (expected '{')"},
    {"NoKeys", WithHeader("{}", 0), "has a header without descr, fortran_order or shape"},
    {"NoShape", WithHeader("{'descr': '<f4', 'fortran_order': False}", 4),
     "has a header without descr, fortran_order or shape"},
    {"UnknownKey", WithHeader("{'descr': '<f4', 'order': 'C'}", 4),
     "has the unexpected or repeated header key 'order'"},
    {"RepeatedKey", WithHeader("{'descr': '<f4', 'descr': '<f8'}", 4),
     "has the unexpected or repeated header key 'descr'"},
    {"OpenText", WithHeader("{'descr", 0), "has a malformed header (a text without end)"},
    {"BigEndian", WithHeader("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4),
     "has elements of type '>f4' (expected little-endian bool, integers or floats)"},
    {"Complex", WithHeader("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", 8),
     "has elements of type '<c8' (expected little-endian bool, integers or floats)"},
    {"Objects", WithHeader("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8),
     "has elements of type '|O' (expected little-endian bool, integers or floats)"},
    {"Records", WithHeader("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4),
     "holds records"},
    {"Fortran", WithHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", 4),
     "is in Fortran order (write it with numpy.ascontiguousarray)"},
    {"OrderIsNumber", WithHeader("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4),
     "has a malformed header (fortran_order is neither True nor False)"},
    {"NegativeExtent", WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4),
     "has a malformed header (an extent is not a number from 0)"},
    {"HugeExtent",
     WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4),
     "has a malformed header (an extent is not a number from 0)"},
    {"Overflow",
     WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 4),
     "has 4 bytes of data, float32 4611686018427387904x4 has too many"},
    {"ShapeIsList", WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': [1]}", 4),
     "has a malformed header (expected '(')"},
    {"Truncated", WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7),
     "has 7 bytes of data, float32 2 has 8"},
    {"TooLong", WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9),
     "has 9 bytes of data, float32 2 has 8"},
    {"TextBehind", WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} + 1", 4),
     "has text behind its header"},
};

INSTANTIATE_TEST_SUITE_P(Files, MalformedNpyTest, ::testing::ValuesIn(kMalformed),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace halftone
