#include "src/exec/shared_constants.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/exec/operator_signature.h"

namespace halftone {
namespace {

// A page: what kernels make of less does not show in the memory of a network.
constexpr std::size_t kWorthSharing = 4096;

std::shared_ptr<const KernelState> PrepareNew(const KernelEntry& kernel, const KernelQuery& query) {
  return kernel.prepare != nullptr ? kernel.prepare(query) : nullptr;
}

}  // namespace

SharedConstants::Converted SharedConstants::Convert(const Tensor& source, DType dtype, bool clip) {
  if (source.size_bytes() == 0) {  // has no address
    return {.tensor = halftone::Convert(source, dtype), .clipped = {}};
  }
  const auto [entry, is_new] =
      converted_.try_emplace({source.data(), source.shape().dims(), dtype, clip});
  Converted& converted = entry->second;
  if (is_new) {
    converted.tensor = ConvertWeight(source, dtype, clip, converted.clipped);
    sources_.push_back(source);
    known_.insert(source.data());
    known_.insert(converted.tensor.data());
    converted_bytes_ +=
        converted.tensor.data() != source.data() ? converted.tensor.size_bytes() : 0;
  }
  return converted;
}

std::shared_ptr<const KernelState> SharedConstants::Prepare(const KernelEntry& kernel,
                                                            const KernelQuery& query) {
  std::vector<Address> addresses;
  std::size_t bytes = 0;
  bool all_known = true;
  for (const Tensor* constant : query.constants) {
    addresses.push_back(constant != nullptr ? constant->data() : nullptr);
    if (constant != nullptr) {
      bytes = std::max(bytes, constant->size_bytes());
      all_known = all_known && known_.count(constant->data()) > 0;
    }
  }
  if (bytes < kWorthSharing || !all_known) {
    return PrepareNew(kernel, query);
  }
  // The address tells the bytes, the signature their types and everything else of the call.
  std::string call = fmt::format("{}: {}", kernel.name, OperatorSignature(query, 1));
  const auto [entry, is_new] = prepared_.try_emplace({std::move(call), std::move(addresses)});
  if (is_new) {
    try {
      KernelQuery sharing = query;
      sharing.packed = &packed_;
      entry->second = PrepareNew(kernel, sharing);
    } catch (...) {
      prepared_.erase(entry);
      throw;
    }
  }
  return entry->second;
}

}  // namespace halftone
