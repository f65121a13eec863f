// Advice on a configuration that makes infinities or NaN: where they begin, and lines of
// --keep_dtype that were tried and mend it.
#pragma once

#include <string>

#include "kernels/parallel.h"
#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/precision/precision_options.h"
#include "src/target/target_spec.h"

namespace halftone {

struct OverflowCase {
  const Graph& graph;
  const TargetSpec& target;
  const PrecisionOptions& precision;
  const Dataset& dataset;
  const CompileOptions& compile;
};

// Clauses with "; " before each, on the first sample that overflows: the constant that vanished, or
// the operator that makes 0 where float32 has other values; then the lines that keep the network
// finite on this sample, or that none was found. Empty: no sample overflows where each node runs
// alone, or an option excludes further lines. In a sequence, the first step that overflows is
// traced back, and the lines are tried on all steps.
// Runs the network in float32 and in some ten configurations on that sample.
std::string OverflowAdvice(const OverflowCase& overflow);

}  // namespace halftone
