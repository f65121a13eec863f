// oneDNN calls for one problem of a convolution (conv_parts.h): the convolution and, where it wants
// channels in blocks, the copies around it.
#pragma once

#include "kernels/onednn/conv.h"
#include "kernels/onednn/conv_parts.h"
#include "kernels/onednn/library.h"

namespace halftone {

// The primitive that oneDNN offers for a problem; it chooses the layout of the weights. Throws
// dnnl::error where it offers none.
dnnl::convolution_forward::primitive_desc DescribeConv(const ConvCall& call,
                                                       const ConvProblem& problem,
                                                       LibraryAlgorithm algorithm);

// Layout of the weights in the call.
dnnl::memory::desc PlainWeights(const ConvCall& call);

// A copy into another layout, or none. Blocks are filled up with zeros.
struct LibraryCopy {
  dnnl::reorder copy;
  dnnl::memory::desc from, to, scratchpad;
};

class ConvProgram {
 public:
  // `weights` in the layout of `description`; an empty `bias` where the call has none.
  ConvProgram(const ConvCall& call, const ConvProblem& problem,
              const dnnl::convolution_forward::primitive_desc& description,
              const dnnl::memory& weights, const dnnl::memory& bias);

  [[nodiscard]] const dnnl::memory& weights() const { return weights_; }

  [[nodiscard]] std::int64_t scratch_bytes() const;

  // Runs the calls on rows of [H, W, C]. Requires a OneLibraryThread.
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
