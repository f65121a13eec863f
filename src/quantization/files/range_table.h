// Tables of ranges and scales in the formats of several tools, read into one type. Formats:
// docs/reference/range_files.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/quantization/quantization.h"

namespace halftone {

// Most bytes of a file that is read. The limit of JSON is lower, because a parsed document takes up
// to 10 times the memory of its text.
inline constexpr std::size_t kMostTableBytes = 256U << 20U;
inline constexpr std::size_t kMostJsonTableBytes = 64U << 20U;

// Entry of one tensor: a range, or scales with zero points, or both. An entry of a float tensor has
// only its number of bits.
struct TableEntry {
  // Numbers that the tensor can hold.
  enum class Grid : std::uint8_t {
    kUnsaid,    // the table does not say
    kUnsigned,  // integers from 0 to 2^bits - 1
    kSigned,    // integers from -2^(bits-1) to 2^(bits-1) - 1
    kFloat,     // floating point: 16 or 32 bits
  };

  Grid grid = Grid::kUnsaid;
  int bits = 8;
  bool symmetric = false;     // true: the range reaches equally far on both sides of 0
  bool is_parameter = false;  // true: a constant; false: an activation
  std::optional<ValueRange> range;
  // Scales with real = scale * (q - zero_point), finite and above 0: one for the tensor, or one for
  // each channel. `zero_points` is parallel to `scales`. Empty: the table does not say.
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;

  friend bool operator==(const TableEntry&, const TableEntry&) = default;
};

// Kinds of tables for which callers have special cases.
inline constexpr std::string_view kOwnKind = "quantization.json";
inline constexpr std::string_view kGlowKind = "glow";

struct RangeTable {
  std::string kind;                                        // TableReader::kind
  std::map<std::string, TableEntry, std::less<>> entries;  // entry of each tensor, by its name
  // Full sentences about entries that were skipped, or that may mislead.
  std::vector<std::string> notes;
};

// Scale and zero point of an activation in uint8; a zero point of int8 grows by 128. Empty: the
// entry has no scale or several, the grid is kUnsaid or kFloat, the bits are not 8, or the zero
// point is outside 0 to 255.
std::optional<ActivationScale> ActivationScaleOf(const TableEntry& entry);

// Scales of a constant in int8; a zero point of uint8 shrinks by 128. Empty: the entry has no
// scales, the grid is kUnsaid or kFloat, the bits are not 8, or a zero point is outside int8.
std::optional<WeightScales> WeightScalesOf(const TableEntry& entry);

// A table of the scales of all activations and weights, each with its range. It leaves out channel
// factors, bias shifts and per_channel_weights, which a table cannot hold.
RangeTable TableOf(const Quantization& quantization);

// Reads a table from a file, or from the text of the file named `where`. The content decides the
// kind. Error kUsage, "<where>: ...": no kind recognises the text, more bytes than the limits
// above, or a fault that the reader of the kind names. Error kIo: the file cannot be read.
RangeTable ReadRangeTable(const std::filesystem::path& path);
RangeTable ParseRangeTable(std::string_view text, std::string_view where);

// A kind of table. TableReaders() returns them in the order in which they are tried.
struct TableReader {
  std::string_view kind;     // "aimet"
  std::string_view meaning;  // "encodings of AIMET, versions 0.4 to 1.0.0"
};

std::vector<TableReader> TableReaders();

// ---- Writers

struct WrittenTable {
  std::string text;
  // Full sentences about entries that were left out because the format cannot hold them.
  std::vector<std::string> notes;
};

// Writes a calibration.json of ONNX Runtime: {"tensor": [low, high]}. Error kUnsupported: a name
// that is not UTF-8.
WrittenTable WriteOrtJson(const RangeTable& table);

// Writes a calibration.cache of ONNX Runtime: a line "<tensor> <largest magnitude>" for each
// tensor.
WrittenTable WriteOrtCache(const RangeTable& table);

// First line of a calibration cache of TensorRT, with version and algorithm. TensorRT refuses a
// cache of another version.
inline constexpr std::string_view kTensorRtFirstLine = "TRT-8203-EntropyCalibration2";
// Writes a calibration cache of TensorRT: `first_line`, then a line "<tensor>: <scale>" for each
// tensor. The scale is that of symmetric int8, max(|low|, |high|) / 127, as the 8 hexadecimal
// digits of a float32.
WrittenTable WriteTensorRtCache(const RangeTable& table,
                                std::string_view first_line = kTensorRtFirstLine);

// Versions of AIMET's encodings: 0.6.1 and 1.0.0.
enum class AimetVersion : std::uint8_t { k061, k100 };
// Writes encodings of AIMET. A range without scales is extended to 0 and becomes a scale of 8 bits.
// Error kUnsupported: a name that is not UTF-8.
WrittenTable WriteAimet(const RangeTable& table, AimetVersion version);

}  // namespace halftone
