// Advice on a configuration that makes infinities or NaN: where they begin, and which lines of
// --keep_dtype prevent them.
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

// Runs the samples, each node as a step of its own, until one overflows, and returns clauses about
// that sample, each with "; " before it. The first names the cause: a constant that vanished, or an
// operator that makes 0 where float32 has other values. The second names lines of --keep_dtype with
// which the network is finite on this sample, or says that no few lines were found. In a sequence,
// the cause is searched from the first step that overflows, and the lines are tried on all steps.
// Empty: no sample overflows in such a run, or an Error ended the search, for example because an
// option excludes further lines. The search runs float32 and up to 30 configurations on the sample.
std::string OverflowAdvice(const OverflowCase& overflow);

}  // namespace halftone
