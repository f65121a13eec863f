// Benchmarks of kernel table entries on one thread with hot operands, registered per entry and
// dtype.
//
// Hot weights flatter small batches, because a model runs each operator with cold weights: these
// numbers compare kernels and do not predict models.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/kernel_table.h"

namespace halftone {

struct ShapeLine {
  std::string name;
  std::vector<std::int64_t> values;
};

// The lines of bench/shapes/<file>. Errors kIo and kModel name the file and line.
std::vector<ShapeLine> ReadShapes(const std::string& file, std::size_t values_per_line);

struct KernelBench {
  std::string name;
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  StepLayout layout;
  std::vector<Shape> inputs;   // all of one dtype, except those in `given`
  std::vector<bool> constant;  // parallel to inputs
  Shape result;                // empty: by the operator's shape rule
  double operations = 0;       // of one run
  double spread = 1;           // constants lie in [-spread, spread)
  // Operands, by index, that random numbers cannot replace (indices, counts).
  std::map<std::size_t, Tensor> given;
  // Operands that replace the random ones of each float dtype, with a result of `result_dtype`; all
  // but the first are constant. Results must then be equal bit for bit.
  std::vector<Tensor> operands;
  DType result_dtype = DType::kFloat32;
  // True: constants come from memory, because runs alternate between more sets of them than any
  // cache holds.
  bool cold = false;
};

// Registers every entry that serves the call in float32, float16 and bfloat16, except references.
// Before timing, compares the result with that of the first float32 entry and reports a relative L2
// distance above 2^-6 as an error (the tests check the exact bounds). Counters: operations and
// bytes per second; of_roof: roofline time of the machine, from arithmetic peak and bandwidth
// measured just before (bench/peak/), over the time taken; precise_choice, fast_choice: 1 for the
// entry that serves high_precision, high_performance.
void RegisterKernelBench(const KernelBench& bench);

}  // namespace halftone
