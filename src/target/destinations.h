// Destinations: runtimes that read a QDQ file, on this or another machine. A row says what the
// runtime computes in 8 bits and what operators cost there, so that `--quantize=for:NAME` can
// choose a plan for it on any machine. docs/guide/int8.md has the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/ir/op_kind.h"

namespace halftone {

struct Destination {
  std::string_view name;     // value of --quantize=for: and of --soc_version: "ort"
  std::string_view runtime;  // description: "ONNX Runtime on a CPU with AVX-512 VNNI"
  std::string_view flavour;  // flavour of the export format onnx-qdq
  // true: activations are uint8 with any zero point. false: they are int8 with zero point 0, which
  // equals uint8 with zero point 128.
  bool has_zero_points;
  // Operators that the runtime computes in 8 bits if pairs of QuantizeLinear and DequantizeLinear
  // surround them. Operators that only reshape a tensor, and operators that are folded into
  // weights, are not listed.
  std::span<const OpKind> scaled;
  // Matrix operators among `scaled` that need no such pair behind them: the result is float32.
  std::span<const OpKind> wide;
  // Fusions of 8-bit operators that the runtime does not make: names of src/passes/passes.cc.
  std::span<const std::string_view> fusions_off;
  // Peak rates of matrix operators, in TFLOP/s; a multiplication and an addition are two
  // operations.
  double float32;
  double float16;
  double bfloat16;
  double int8;        // TOP/s
  double bandwidth;   // GB/s of memory, which bounds other operators and conversions between types
  double conversion;  // time of such a conversion / time to read and write the tensor once
  std::string_view source;  // publication of the figures
};

std::span<const Destination> Destinations();

// Returns the destination with this name; null: there is none.
const Destination* FindDestination(std::string_view name);

std::vector<std::string> DestinationNames();

// True if `op` is in Destination::scaled, or in Destination::wide.
bool IsScaledOn(const Destination& destination, OpKind op);
bool IsWideOn(const Destination& destination, OpKind op);

}  // namespace halftone
