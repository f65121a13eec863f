// Constants that executables share: weights in each dtype, and what kernels made of them (packed
// panels, transformed filters). Graphs of one model at several input shapes share them too, where
// their constants are the same tensors (src/ir/constant_pool.h).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/kernel_table.h"
#include "kernels/packed_weights.h"
#include "src/exec/clipped_weights.h"
#include "src/ir/tensor.h"

namespace halftone {

// Keeps what it made, once per dtype and kernel, for as long as it lives. Not thread safe; the
// executables that share its parts are, and may outlive it.
class SharedConstants {
 public:
  struct Converted {
    Tensor tensor;
    ClippedWeight clipped;  // count and largest
  };

  // ConvertWeight() of a constant of the graph: of the same bytes once per dtype.
  Converted Convert(const Tensor& source, DType dtype, bool clip);

  // What the kernel prepares for the query. Shared where its constants are large and all of them
  // are constants of the graph or made by Convert(): those are known by their address. Calls of
  // other shapes have states of their own, which share packed weights.
  std::shared_ptr<const KernelState> Prepare(const KernelEntry& kernel, const KernelQuery& query);

  // Bytes of the tensors that conversions made.
  [[nodiscard]] std::size_t converted_bytes() const { return converted_bytes_; }

  // What kernels made of constants, for calls of any shape.
  [[nodiscard]] const PackedWeights& packed() const { return packed_; }

  // Prepared kernels that are kept.
  [[nodiscard]] std::size_t prepared_count() const { return prepared_.size(); }

 private:
  using Address = const void*;
  std::map<std::tuple<Address, std::vector<std::int64_t>, DType, bool>, Converted> converted_;
  std::vector<Tensor> sources_;  // so that no address is used again
  std::set<Address> known_;
  std::map<std::pair<std::string, std::vector<Address>>, std::shared_ptr<const KernelState>>
      prepared_;
  PackedWeights packed_;
  std::size_t converted_bytes_ = 0;
};

}  // namespace halftone
