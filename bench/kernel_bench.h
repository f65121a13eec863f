// Benchmarks of kernel table entries on one thread, with operands in the cache. Each entry is
// registered once per dtype.
//
// Weights in the cache flatter small batches, because a model runs each operator with weights from
// memory. So these numbers compare kernels and do not predict models.
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

// Reads the lines of bench/shapes/<file>. Errors kIo and kModel name the file; kModel also names
// the line.
std::vector<ShapeLine> ReadShapes(const std::string& file, std::size_t values_per_line);

struct KernelBench {
  std::string name;
  OpKind op = OpKind::kIdentity;
  Attributes attributes;
  Fusion fusion;
  StepLayout layout;
  std::vector<Shape> inputs;   // all of one dtype, except those in `given`
  std::vector<bool> constant;  // parallel to inputs
  Shape result;                // rank 0: the operator's shape rule gives it
  double operations = 0;       // operations of one run
  double spread = 1;           // constants lie in [-spread, spread)
  // Operands, by index, that random numbers cannot replace (indices, counts).
  std::map<std::size_t, Tensor> given;
  // All operands; empty: random ones in each float dtype. If they are set, all but the first are
  // constant, the result has `result_dtype`, and the results of all entries must be equal bit for
  // bit.
  std::vector<Tensor> operands;
  DType result_dtype = DType::kFloat32;
  // True: constants come from memory, because successive runs use more sets of them in turn than
  // any cache holds.
  bool cold = false;
};

// Registers a bench of every entry that runs the call on this CPU in float32, float16 or bfloat16
// (with `operands`, in the dtype of the first one), except references and emulations. Before
// timing, each bench compares its result with that of the first float32 entry, and reports a
// relative L2 distance above 2^-6 as an error; the tests check the exact bounds. Counters:
// - ops, bytes: operations and bytes per second
// - of_roof: roofline time of the machine over the time taken, by arithmetic peak and bandwidth
//   measured just before (bench/peak/)
// - precise_choice, fast_choice: 1 for the entry that serves high_precision or high_performance
void RegisterKernelBench(const KernelBench& bench);

}  // namespace halftone
