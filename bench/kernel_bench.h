// Benchmarks of kernel table entries, one thread, hot operands: registered per entry and dtype.
//
// Hot weights flatter small batches (a model runs each layer with cold ones); these numbers compare
// kernels, they do not predict models.
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

// The lines of bench/shapes/<file>. Error kIo/kModel naming the file and line.
std::vector<ShapeLine> ReadShapes(const std::string& file, std::size_t values_per_line);

struct KernelBench {
  std::string name;
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  StepLayout layout;
  std::vector<Shape> inputs;   // all of one dtype, but for those in `given`
  std::vector<bool> constant;  // parallel to inputs
  Shape result;                // empty: by the operator's shape rule
  double operations = 0;       // of one run
  double spread = 1;           // constants lie in [-spread, spread)
  // Operands by index that are not random, because random numbers would make no sense (indices,
  // counts).
  std::map<std::size_t, Tensor> given;
  // Replaces random operands in each float dtype: these operands, all constant but the first, for a
  // result of `result_dtype`. Results must then be the same to the bit.
  std::vector<Tensor> operands;
  DType result_dtype = DType::kFloat32;
  // Constants come from memory: runs alternate between so many sets of them that no cache holds
  // all.
  bool cold = false;
};

// Registers every entry that serves the call in float32, float16 and bfloat16, references excepted.
// Before timing, the result is compared with that of the first float32 entry: a relative L2
// distance above 2^-6 is reported as an error (the tests check the exact bounds). Counters:
// operations and bytes per second; of_roof: roofline time of the machine, from arithmetic peak and
// bandwidth measured just before (bench/peak/), over the time taken; precise_choice, fast_choice: 1
// for the entry that serves high_precision, high_performance.
void RegisterKernelBench(const KernelBench& bench);

}  // namespace halftone
