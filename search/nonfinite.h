// Finds NaN and infinity in outputs, and the node that they came from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "src/accuracy/dataset.h"
#include "src/exec/executable.h"
#include "src/ir/graph.h"
#include "src/ir/tensor.h"

namespace halftone {

// The index of the first element that is not finite; empty for integers and bools.
std::optional<std::int64_t> FirstNonFinite(const TensorType& type, const void* data);

// The first element of `actual` that is not finite where `reference` is: output and index.
struct NonFiniteOutput {
  std::size_t output = 0;
  std::int64_t element = 0;
  double value = 0;
};

std::optional<NonFiniteOutput> FindNonFiniteOutput(std::span<const Tensor> reference,
                                                   std::span<const Tensor> actual);

// One sentence for a Rejection: runs both executables on the sample step by step and names the
// first node of `candidate` that makes a value that is not finite where the reference's is, with
// dtype, value and sample.
std::string DescribeNonFinite(const Graph& graph, const Executable& reference,
                              const Executable& candidate, const Sample& sample);

}  // namespace halftone
