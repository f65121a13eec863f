// oneDNN calls for one problem of a convolution (conv_parts.h): the convolution and, where oneDNN
// needs channels in blocks, the copies before and after it.
#pragma once

#include "kernels/onednn/conv.h"
#include "kernels/onednn/conv_parts.h"
#include "kernels/onednn/library.h"

namespace halftone {

// The primitive that oneDNN offers for a problem, with the layout that it chooses for the weights.
// Throws dnnl::error if there is none.
dnnl::convolution_forward::primitive_desc DescribeConv(const ConvCall& call,
                                                       const ConvProblem& problem,
                                                       LibraryAlgorithm algorithm);

// Layout of the weights as the query has them.
dnnl::memory::desc PlainWeights(const ConvCall& call);

// Copy into another layout, which fills incomplete blocks of channels with zeros. `copy` is empty
// if the layouts are equal.
struct LibraryCopy {
  dnnl::reorder copy;
  dnnl::memory::desc from, to, scratchpad;
};

class ConvProgram {
 public:
  // `weights` must have the layout of `description`; `bias` is empty if the call has none.
  ConvProgram(const ConvCall& call, const ConvProblem& problem,
              const dnnl::convolution_forward::primitive_desc& description,
              const dnnl::memory& weights, const dnnl::memory& bias);

  [[nodiscard]] const dnnl::memory& weights() const { return weights_; }

  [[nodiscard]] std::int64_t scratch_bytes() const;

  // Computes the rows `y` of the result from the rows `x` of the input, both [H, W, C]. `scratch`
  // has scratch_bytes() bytes. Requires a OneLibraryThread.
  void Run(const std::byte* x, std::byte* y, std::byte* scratch) const;

 private:
  [[nodiscard]] std::int64_t scratchpad_bytes() const;

  dnnl::convolution_forward primitive_;
  dnnl::memory::desc scratchpad_;
  LibraryCopy input_, output_;
  dnnl::memory weights_;
  dnnl::memory bias_;
};

}  // namespace halftone
