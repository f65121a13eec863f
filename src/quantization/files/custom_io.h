// File of -custom-IO-list-file (Qualcomm Cloud AI): layout and precision of the inputs and outputs
// of the compiled network. Grammar: docs/reference/cloud_ai.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/enum_table.h"

namespace halftone {

inline constexpr std::size_t kMostCustomIoBytes = 1U << 20U;

enum class IoLayout : std::uint8_t { kNchw, kNhwc };
enum class IoPrecision : std::uint8_t { kFloat, kFloat16, kInt8 };

inline constexpr EnumRow<IoLayout> kIoLayouts[] = {
    {IoLayout::kNchw, "NCHW", "channels in front of rows and columns"},
    {IoLayout::kNhwc, "NHWC", "channels last"},
};
inline constexpr EnumRow<IoPrecision> kIoPrecisions[] = {
    {IoPrecision::kFloat, "float", "32 bits"},
    {IoPrecision::kFloat16, "float16", "16 bits"},
    {IoPrecision::kInt8, "int8", "8 bits; with Scale and Offset"},
};

// Scale of a tensor in IoPrecision::kInt8: real = scale * (q - offset), q from -128 to 127.
struct IoScale {
  float scale = 1;          // above 0, finite
  std::int32_t offset = 0;  // -128 to 127

  friend bool operator==(const IoScale&, const IoScale&) = default;
};

// One entry of the file.
struct CustomIo {
  std::string name;                      // name of the input or output
  std::optional<IoLayout> layout;        // empty: as in the model
  std::optional<IoPrecision> precision;  // empty: as in the model
  std::optional<IoScale> scale;          // set if and only if `precision` is kInt8

  friend bool operator==(const CustomIo&, const CustomIo&) = default;
};

// An input or output of the model.
struct IoTensor {
  std::string name;
  std::size_t rank = 0;
  std::optional<IoPrecision> precision;  // empty: another type, such as int64
};

// Parses the text of the file named `where`. Error kUsage, "<where>:<line>: ...", naming the input
// or output: not YAML, an entry that is no map, an unknown or missing key, a value that is not in
// the tables above, Scale or Offset without int8, int8 without both, a repeated name, more than
// kMostCustomIoBytes.
std::vector<CustomIo> ParseCustomIo(std::string_view text, std::string_view where);

// Checks entries against the inputs and outputs of a model. Error kUsage, "<where>: ...": an entry
// that names none of `tensors`, a precision for a tensor without IoTensor::precision, a layout for
// a tensor of a rank other than 4.
void CheckCustomIo(std::span<const CustomIo> entries, std::span<const IoTensor> tensors,
                   std::string_view where);

// The text of the file. ParseCustomIo() reads it back to equal entries. Error kUnsupported: a name
// that is not UTF-8.
std::string WriteCustomIo(std::span<const CustomIo> entries);

// A template for users to edit (-dump-custom-IO-config-template): one entry for each tensor, which
// changes nothing.
std::vector<CustomIo> CustomIoTemplate(std::span<const IoTensor> tensors);

}  // namespace halftone
