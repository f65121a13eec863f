#include "src/quantization/files/range_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/base/error.h"
#include "src/base/file.h"
#include "src/quantization/files/quantization_file.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace halftone {
namespace {

using Grid = TableEntry::Grid;

RangeTable Read(std::string_view text) {
  return ParseRangeTable(text, "t");
}

ValueRange RangeOf(const RangeTable& table, std::string_view name) {
  return table.entries.find(name)->second.range.value();
}

TEST(RangeTableTest, OrtJson) {
  const RangeTable table = Read(R"({"a": [-1.5, 2], "b": [[0.25], [3.5]]})");
  EXPECT_EQ(table.kind, "onnxruntime json");
  EXPECT_EQ(table.entries.size(), 2U);
  EXPECT_EQ(RangeOf(table, "a"), (ValueRange{-1.5, 2}));
  EXPECT_EQ(RangeOf(table, "b"), (ValueRange{0.25, 3.5}));
  EXPECT_TRUE(table.notes.empty());
}

TEST(RangeTableTest, NewerOrtJson) {
  const std::string tensors = R"({
    "a": {"lowest": {"data": -1.5, "dtype": "float32", "CLS": "numpy.array"},
          "highest": {"data": 2, "dtype": "float32", "CLS": "numpy.array"}, "CLS": "TensorData"},
    "channels": {"lowest": {"data": [-1, -3, 0]}, "highest": {"data": [[4, 1, 2]]}},
    "float8": {"avg": {"data": 1}, "std": {"data": 2}, "CLS": "TensorData"}})";
  for (const std::string& text :
       {tensors, R"({"CLS": "TensorsData", "data": )" + tensors +
                     R"(, "calibration_method": {"CLS": "CalibrationMethod", "value": "x"}})"}) {
    const RangeTable table = Read(text);
    EXPECT_EQ(table.kind, "onnxruntime json");
    EXPECT_EQ(table.entries.size(), 2U);
    EXPECT_EQ(RangeOf(table, "a"), (ValueRange{-1.5, 2}));
    EXPECT_EQ(RangeOf(table, "channels"), (ValueRange{-3, 4}));
    EXPECT_EQ(
        table.notes,
        (std::vector<std::string>{"'float8' is passed over: it has no lowest and highest value"}));
  }
}

TEST(RangeTableTest, OrtCache) {
  const RangeTable table = Read("168 0.25\nname with blanks 2.640000104904175\r\n\nneg -1e-05\n");
  EXPECT_EQ(table.kind, "onnxruntime cache");
  EXPECT_EQ(table.entries.size(), 3U);
  EXPECT_EQ(RangeOf(table, "168"), (ValueRange{-0.25, 0.25}));
  EXPECT_EQ(RangeOf(table, "name with blanks"),
            (ValueRange{-2.640000104904175, 2.640000104904175}));
  EXPECT_EQ(RangeOf(table, "neg"), (ValueRange{-1e-05, 1e-05}));
  EXPECT_TRUE(table.entries.at("168").symmetric);
  EXPECT_EQ(table.notes.size(), 1U);
}

// The file was made by the FlatBuffers library (Debian's python3-flatbuffers 2.0.8), as ONNX
// Runtime does it.
TEST(RangeTableTest, OrtFlatbuffers) {
  const RangeTable table =
      ReadRangeTable(testing::SourceDir() / "tests/data/quantization/calibration.flatbuffers");
  EXPECT_EQ(table.kind, "onnxruntime flatbuffers");
  EXPECT_EQ(table.entries.size(), 4U);
  EXPECT_EQ(RangeOf(table, "input"), (ValueRange{-2.640000104904175, 2.640000104904175}));
  EXPECT_EQ(RangeOf(table, "168"), (ValueRange{-9.99e-05, 9.99e-05}));
  EXPECT_EQ(RangeOf(table, "/layer 1/conv"), (ValueRange{-1000, 1000}));
  EXPECT_EQ(RangeOf(table, "neg"), (ValueRange{-0.25, 0.25}));
}

TEST(RangeTableTest, NoByteOfFlatbuffersLeadsOutOfTheFile) {
  const std::string good =
      ReadFile(testing::SourceDir() / "tests/data/quantization/calibration.flatbuffers");
  int refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      try {
        ParseRangeTable(bad, "t");
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);  // most bytes are offsets and sizes
  for (std::size_t size = 8; size < good.size() - 16; ++size) {
    EXPECT_THROW(ParseRangeTable(good.substr(0, size), "t"), Error) << size;
  }
}

TEST(RangeTableTest, TensorRtCache) {
  const RangeTable table = Read(
      "TRT-8203-EntropyCalibration2\ninput: 3c010204\n"
      "(Unnamed Layer* 48) [Constant]_output: 3f800000\r\nonnx::Conv_1: x: 40000000\nzero: "
      "00000000\n");
  EXPECT_EQ(table.kind, "tensorrt");
  EXPECT_EQ(table.entries.size(), 3U);
  EXPECT_EQ(RangeOf(table, "(Unnamed Layer* 48) [Constant]_output"), (ValueRange{-127, 127}));
  EXPECT_EQ(RangeOf(table, "onnx::Conv_1: x"), (ValueRange{-254, 254}));
  const TableEntry& input = table.entries.at("input");
  EXPECT_EQ(input.scales, std::vector<float>{0x1.020408p-7F});
  EXPECT_EQ(input.grid, Grid::kSigned);
  EXPECT_EQ(ActivationScaleOf(input),
            (ActivationScale{.scale = 0x1.020408p-7F, .zero_point = 128}));
  EXPECT_EQ(table.notes, std::vector<std::string>{"'zero' is passed over: its scale is 0"});
  EXPECT_TRUE(Read("TRT-100-MinMaxCalibration\n").entries.empty());
}

constexpr std::string_view kOldAimet = R"({
  "version": "0.6.1",
  "activation_encodings": {
    "20": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "False", "max": 2.6, "min": -2.1,
            "offset": -114.0, "scale": 0.018501389771699905}],
    "half": [{"bitwidth": 16, "dtype": "float"}],
    "byte": [{"bitwidth": 8, "dtype": "float"}],
    "by hand": [{"bitwidth": 8, "min": 0.5, "max": 2.55}]
  },
  "param_encodings": {
    "w": [{"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 1.27, "min": -1.28,
           "offset": -128, "scale": 0.01},
          {"bitwidth": 8, "dtype": "int", "is_symmetric": "True", "max": 2.54, "min": -2.54,
           "offset": -127, "scale": 0.02}],
    "b": [{"bitwidth": 32, "dtype": "int", "is_symmetric": "True", "max": 1, "min": -1,
           "offset": -2147483648, "scale": 1e-9}],
    "tensorflow": [{"bitwidth": 8, "is_symmetric": "False", "max": 2.184721499681473,
                    "min": -0.10788747668266296, "offset": 11, "scale": 0.0089906234367221}]
  },
  "quantizer_args": {"per_channel_quantization": true}
})";

TEST(RangeTableTest, AimetUpTo061) {
  const RangeTable table = Read(kOldAimet);
  EXPECT_EQ(table.kind, "aimet");
  EXPECT_EQ(ActivationScaleOf(table.entries.at("20")),
            (ActivationScale{.scale = 0.018501389771699905F, .zero_point = 114}));
  EXPECT_EQ(RangeOf(table, "20"), (ValueRange{-2.1, 2.6}));
  const TableEntry& half = table.entries.at("half");
  EXPECT_EQ(half.grid, Grid::kFloat);
  EXPECT_EQ(half.bits, 16);
  EXPECT_FALSE(half.range);
  EXPECT_FALSE(table.entries.contains("byte"));
  EXPECT_EQ(ActivationScaleOf(table.entries.at("by hand")),
            (ActivationScale{.scale = 0.01F, .zero_point = 0}));
  const TableEntry& weights = table.entries.at("w");
  EXPECT_TRUE(weights.is_parameter);
  EXPECT_EQ(weights.grid, Grid::kSigned);
  EXPECT_EQ(weights.range, (ValueRange{-2.54, 2.54}));
  EXPECT_EQ(WeightScalesOf(weights), (WeightScales{.scales = {0.01F, 0.02F}, .zero_points = {}}));
  EXPECT_EQ(table.entries.at("b").bits, 32);
  EXPECT_EQ(WeightScalesOf(table.entries.at("b")), std::nullopt);
  // -0.10789 / 0.00899 = -12: unsigned 12, so signed -116.
  EXPECT_EQ(WeightScalesOf(table.entries.at("tensorflow")),
            (WeightScales{.scales = {0.0089906234367221F}, .zero_points = {-116}}));
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{
                "'byte' is passed over: it has floats of 8 bits",
                "1 encoding with an offset above 0, as older versions wrote it: its zero point is "
                "taken from min and scale"}));
}

TEST(RangeTableTest, Aimet100) {
  const RangeTable table = Read(R"({
    "version": "1.0.0",
    "activation_encodings": [
      {"name": "x", "dtype": "INT", "bw": 8, "is_sym": false, "enc_type": "PER_TENSOR",
       "scale": [0.5], "offset": [-10]},
      {"name": "h", "dtype": "FLOAT", "bw": 16, "enc_type": "PER_TENSOR"}],
    "param_encodings": [
      {"name": "w", "dtype": "INT", "bw": 8, "is_sym": "True", "enc_type": "PER_CHANNEL",
       "scale": [0.5, 0.25], "offset": [-128, -128]},
      {"name": "blocks", "dtype": "INT", "bw": 4, "is_sym": true, "enc_type": "PER_BLOCK",
       "scale": [1, 1], "offset": [-8, -8], "block_size": 64}]})");
  EXPECT_EQ(table.kind, "aimet");
  EXPECT_EQ(table.entries.size(), 3U);
  EXPECT_EQ(ActivationScaleOf(table.entries.at("x")),
            (ActivationScale{.scale = 0.5F, .zero_point = 10}));
  EXPECT_EQ(RangeOf(table, "x"), (ValueRange{-5, 122.5}));
  EXPECT_EQ(WeightScalesOf(table.entries.at("w")),
            (WeightScales{.scales = {0.5F, 0.25F}, .zero_points = {}}));
  EXPECT_EQ(ActivationScaleOf(table.entries.at("w")), std::nullopt);
  EXPECT_EQ(table.notes,
            std::vector<std::string>{"'blocks' is passed over: it has scales of kind PER_BLOCK"});
}

TEST(RangeTableTest, GlowProfile) {
  const RangeTable table = Read(
      "---\nGraphPreLowerHash: 0x1\n...\n---\n"
      "- {NodeOutputName: a:0, Min: -1, Max: 2, Histogram: [1, 2]}\n...\n");
  EXPECT_EQ(table.kind, "glow");
  EXPECT_EQ(RangeOf(table, "a:0"), (ValueRange{-1, 2}));
}

Quantization Example() {
  Quantization quantization;
  quantization.activations["x"] = {.scale = 0.5F, .zero_point = 10};
  quantization.activations["y"] = {.scale = 0.1F, .zero_point = 128};
  quantization.weights["w"] = {.scales = {0.5F, 0.25F}, .zero_points = {}};
  quantization.weights["v"] = {.scales = {0.5F}, .zero_points = {-3}};
  return quantization;
}

TEST(RangeTableTest, OurOwnFile) {
  QuantizationFile file{.quantization = Example(), .source = {}, .operators = {{"n", "int8"}}};
  const RangeTable table = Read(WriteQuantization(file));
  EXPECT_EQ(table.kind, "quantization.json");
  EXPECT_EQ(table.entries, TableOf(file.quantization).entries);
  EXPECT_EQ(table.notes.size(), 1U);
  for (const auto& [name, scale] : file.quantization.activations) {
    EXPECT_EQ(ActivationScaleOf(table.entries.at(name)), scale);
  }
  for (const auto& [name, weights] : file.quantization.weights) {
    EXPECT_EQ(WeightScalesOf(table.entries.at(name)), weights);
  }
  EXPECT_EQ(RangeOf(table, "x"), (ValueRange{-5, 122.5}));
  EXPECT_EQ(RangeOf(table, "w"), (ValueRange{-63.5, 63.5}));
  EXPECT_EQ(RangeOf(table, "v"), (ValueRange{-62.5, 65}));
}

// What every writer is given: scales, a range, a half, only zeros, a constant.
RangeTable Mixed() {
  RangeTable table = TableOf(Example());
  table.entries["range"].range = ValueRange{-1, 4};
  table.entries["above 0"].range = ValueRange{1, 2.55};
  table.entries["half"] = {.grid = Grid::kFloat, .bits = 16, .scales = {}, .zero_points = {}};
  table.entries["zero"].range = ValueRange{0, 0};
  table.entries["symmetric"] = {
      .symmetric = true, .range = ValueRange{-1.27, 1.27}, .scales = {}, .zero_points = {}};
  return table;
}

std::string WithNotes(const WrittenTable& written) {
  return fmt::format("{}--\n{}\n", written.text, fmt::join(written.notes, "\n"));
}

TEST(RangeTableTest, Golden) {
  const RangeTable table = Mixed();
  for (const auto& [name, written] :
       {std::pair{"ort_json", WriteOrtJson(table)}, std::pair{"ort_cache", WriteOrtCache(table)},
        std::pair{"tensorrt", WriteTensorRtCache(table)},
        std::pair{"aimet_0_6_1", WriteAimet(table, AimetVersion::k061)},
        std::pair{"aimet_1_0_0", WriteAimet(table, AimetVersion::k100)}}) {
    EXPECT_TRUE(
        testing::MatchesGolden(WithNotes(written), fmt::format("quantization/{}.txt", name)));
  }
}

TEST(RangeTableTest, WhatIsWrittenReadsBack) {
  const RangeTable table = TableOf(Example());
  for (const AimetVersion version : {AimetVersion::k061, AimetVersion::k100}) {
    const RangeTable read = Read(WriteAimet(table, version).text);
    for (const auto& [name, scale] : Example().activations) {
      EXPECT_EQ(ActivationScaleOf(read.entries.at(name)), scale);
    }
    for (const auto& [name, weights] : Example().weights) {
      EXPECT_EQ(WeightScalesOf(read.entries.at(name)), weights);
    }
    EXPECT_EQ(WriteAimet(read, version).text, WriteAimet(table, version).text);
  }
  EXPECT_EQ(RangeOf(Read(WriteOrtJson(table).text), "y"), RangeOf(table, "y"));
  EXPECT_EQ(RangeOf(Read(WriteOrtCache(table).text), "x"), (ValueRange{-122.5, 122.5}));
  const std::string cache = WriteTensorRtCache(table).text;
  EXPECT_EQ(WriteTensorRtCache(Read(cache)).text, cache);
}

TEST(RangeTableTest, NamesWithLineBreaksAreLeftOutOfLines) {
  RangeTable table;
  table.entries["a\nb"].range = ValueRange{-1, 1};
  EXPECT_EQ(WriteOrtCache(table).text, "");
  EXPECT_EQ(WriteOrtCache(table).notes.size(), 1U);
  EXPECT_EQ(WriteTensorRtCache(table, "TRT-1-x").text, "TRT-1-x\n");
  EXPECT_EQ(WriteTensorRtCache(table).notes.size(), 1U);
  EXPECT_EQ(RangeOf(Read(WriteOrtJson(table).text), "a\nb"), (ValueRange{-1, 1}));
}

}  // namespace
}  // namespace halftone
