// oneDNN calls for one problem of a convolution (conv_parts.h): the convolution and, if it needs
// channels in blocks, the copies before and after it.
#pragma once

#include "kernels/onednn/conv.h"
#include "kernels/onednn/conv_parts.h"
#include "kernels/onednn/library.h"

namespace halftone {

// The primitive that oneDNN offers for a problem, with the layout of weights that it chooses.
// Throws dnnl::error if it offers none.
dnnl::convolution_forward::primitive_desc DescribeConv(const ConvCall& call,
                                                       const ConvProblem& problem,
                                                       LibraryAlgorithm algorithm);

// Layout of the weights in the call.
dnnl::memory::desc PlainWeights(const ConvCall& call);

// A copy into another layout, or no copy; fills up incomplete blocks of channels with zeros.
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
