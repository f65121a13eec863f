#include "search/measure/reference_outputs.h"

#include <algorithm>
#include <utility>

#include "src/base/error.h"

namespace halftone {

ReferenceOutputs::ReferenceOutputs(std::vector<TensorType> types, std::size_t samples,
                                   std::int64_t most_bytes)
    : types_(std::move(types)) {
  for (const TensorType& type : types_) {
    bytes_each_ += static_cast<std::size_t>(type.size_bytes());
  }
  const std::size_t fit = static_cast<std::size_t>(std::max<std::int64_t>(most_bytes, 0)) /
                          std::max<std::size_t>(bytes_each_, 1);
  kept_ = std::min(samples, fit);
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(kept_ * bytes_each_);
}

void ReferenceOutputs::Store(std::size_t sample, std::span<const Tensor> outputs) {
  if (!Keeps(sample)) {
    return;
  }
  std::byte* target = bytes_.get() + sample * bytes_each_;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    Check(outputs[i].type() == types_[i], "outputs of the anchor have its types");
    target = std::copy_n(outputs[i].data(), outputs[i].size_bytes(), target);
  }
}

std::vector<Tensor> ReferenceOutputs::Of(std::size_t sample) const {
  Check(Keeps(sample), "the outputs of the sample are kept");
  std::vector<Tensor> outputs;
  const std::byte* from = bytes_.get() + sample * bytes_each_;
  for (const TensorType& type : types_) {
    Tensor& output = outputs.emplace_back(type);
    std::copy_n(from, output.size_bytes(), output.mutable_data());
    from += output.size_bytes();
  }
  return outputs;
}

}  // namespace halftone
