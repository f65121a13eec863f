// Tables of ranges and scales that other tools write: one value for all of them. Formats:
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

// Of a file that is read. A parsed JSON document takes up to 10 times its text.
inline constexpr std::size_t kMostTableBytes = 256U << 20U;
inline constexpr std::size_t kMostJsonTableBytes = 64U << 20U;

// What a table says of one tensor. A table says a range, or scales with zero points, or both; of a
// float tensor its bits alone.
struct TableEntry {
  // Numbers that the tensor is held in.
  enum class Grid : std::uint8_t {
    kUnsaid,
    kUnsigned,  // integers from 0 to 2^bits - 1
    kSigned,    // from -2^(bits-1) to 2^(bits-1) - 1
    kFloat,     // floating point: 16 or 32 bits
  };

  Grid grid = Grid::kUnsaid;
  int bits = 8;
  bool symmetric = false;     // the same range on both sides of 0
  bool is_parameter = false;  // a constant, not an activation
  std::optional<ValueRange> range;
  // real = scale * (q - zero_point): one for the tensor or one for each channel, finite and above
  // 0; `zero_points` are parallel. Empty: not said.
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;

  friend bool operator==(const TableEntry&, const TableEntry&) = default;
};

// Kinds that callers treat apart.
inline constexpr std::string_view kOwnKind = "quantization.json";
inline constexpr std::string_view kGlowKind = "glow";

struct RangeTable {
  std::string kind;                                        // name of a row of TableReaders()
  std::map<std::string, TableEntry, std::less<>> entries;  // by tensor, as the table names it
  std::vector<std::string> notes;  // what was passed over, or may mislead: a sentence each
};

// The scale and zero point that a table gives for an activation, as uint8; int8 gets 128 more.
// Empty: it gives a range only, other bits, or one scale for each channel.
std::optional<ActivationScale> ActivationScaleOf(const TableEntry& entry);

// The scales that a table gives for a constant, as int8. Empty: as above.
std::optional<WeightScales> WeightScalesOf(const TableEntry& entry);

// All of a quantisation that a table can say: not its bias shifts.
RangeTable TableOf(const Quantization& quantization);

// Reads a file or a text of any kind below, recognised by its content. Errors kUsage, "<where>:
// ...": not such a table, or as its reader says; kIo.
RangeTable ReadRangeTable(const std::filesystem::path& path);
RangeTable ParseRangeTable(std::string_view text, std::string_view where);

// A kind of table; the first that recognises a text reads it.
struct TableReader {
  std::string_view kind;     // "aimet"
  std::string_view meaning;  // "encodings of AIMET, versions 0.4 to 1.0.0"
};

std::vector<TableReader> TableReaders();

// ---- Writers

struct WrittenTable {
  std::string text;
  std::vector<std::string> notes;  // what the format cannot say: a sentence each
};

// calibration.json of ONNX Runtime: {"tensor": [low, high]}.
WrittenTable WriteOrtJson(const RangeTable& table);

// calibration.cache of ONNX Runtime: a line "tensor magnitude".
WrittenTable WriteOrtCache(const RangeTable& table);

// A calibration cache of TensorRT: a line "tensor: " and the bits of max(|low|, |high|) / 127.
// `first_line` names version and algorithm; TensorRT refuses that of another version.
inline constexpr std::string_view kTensorRtFirstLine = "TRT-8203-EntropyCalibration2";
WrittenTable WriteTensorRtCache(const RangeTable& table,
                                std::string_view first_line = kTensorRtFirstLine);

// Encodings of AIMET. Ranges without scales become 8 bits, extended to 0.
enum class AimetVersion : std::uint8_t { k061, k100 };
WrittenTable WriteAimet(const RangeTable& table, AimetVersion version);

}  // namespace halftone
