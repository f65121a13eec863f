// Destinations: runtimes elsewhere that read a QDQ file, a row of data each. A row says what the
// runtime computes in 8 bits and what its operators cost, so that `--quantize=for:NAME` chooses a
// plan for it on any machine. docs/guide/int8.md has the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/op_kind.h"

namespace halftone {

struct Destination {
  std::string_view name;     // value of --quantize=for: and of --soc_version: "ort"
  std::string_view runtime;  // for people: "ONNX Runtime on a CPU with AVX-512 VNNI"
  std::string_view flavour;  // of --to=onnx-qdq
  bool has_zero_points;      // false: an activation is int8 around 0 (uint8 around 128)
  // Operators computed in 8 bits between pairs of QuantizeLinear and DequantizeLinear. Operators
  // that only reshape a tensor take any format; those that are folded into weights do not count.
  std::span<const OpKind> scaled;
  // Products among these whose result may stay float32, without a pair behind them.
  std::span<const OpKind> wide;
  // Fusions of 8-bit operators that the runtime does not make: passes of src/passes/passes.cc.
  std::span<const std::string_view> fusions_off;
  // Peak rates of products, multiplications and additions counted apart: TFLOP/s and TOP/s.
  double float32;
  double float16;
  double bfloat16;
  double int8;
  double bandwidth;   // GB/s of memory: what operators without products cost, and borders
  double conversion;  // time of a border over that of reading and writing its tensor once
  std::string_view source;
};

std::span<const Destination> Destinations();

// Null when there is none of the name.
const Destination* FindDestination(std::string_view name);

std::vector<std::string> DestinationNames();

// True if the runtime computes `op` in 8 bits, and with a float32 result.
bool IsScaledOn(const Destination& destination, OpKind op);
bool IsWideOn(const Destination& destination, OpKind op);

}  // namespace halftone
