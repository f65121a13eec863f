#include "src/quantization/quantization.h"

#include <bit>

namespace halftone {
namespace {

std::int64_t BitsOf(float value) {
  return std::bit_cast<std::int32_t>(value);
}

void Add(Hasher& hasher, const std::vector<float>& values) {
  hasher.Add(static_cast<std::int64_t>(values.size()));
  for (const float value : values) {
    hasher.Add(BitsOf(value));
  }
}

}  // namespace

Hash128 Quantization::Digest() const {
  Hasher hasher;
  hasher.Add(static_cast<std::int64_t>(activations.size()));
  for (const auto& [name, scale] : activations) {
    hasher.Add(name).Add(BitsOf(scale.scale)).Add(std::int64_t{scale.zero_point});
  }
  hasher.Add(static_cast<std::int64_t>(weights.size()));
  for (const auto& [name, scales] : weights) {
    hasher.Add(name);
    Add(hasher, scales.scales);
    hasher.Add(static_cast<std::int64_t>(scales.zero_points.size()));
    for (const std::int32_t zero : scales.zero_points) {
      hasher.Add(std::int64_t{zero});
    }
  }
  hasher.Add(std::int64_t{per_channel_weights ? 1 : 0});
  hasher.Add(static_cast<std::int64_t>(bias_shifts.size()));
  for (const auto& [name, shift] : bias_shifts) {
    hasher.Add(name);
    Add(hasher, shift);
  }
  if (!channel_factors.empty()) {  // else digests are those of versions that had none
    hasher.Add(static_cast<std::int64_t>(channel_factors.size()));
    for (const auto& [name, of_value] : channel_factors) {
      hasher.Add(name).Add(std::int64_t{of_value.axis});
      Add(hasher, of_value.factors);
    }
  }
  return hasher.Finish();
}

struct SharedQuantization::Held {
  Held(Quantization made, QuantizationSource from)
      : quantization(std::move(made)), source(std::move(from)), digest(quantization.Digest()) {}

  Quantization quantization;
  QuantizationSource source;
  Hash128 digest;
};

SharedQuantization::SharedQuantization(Quantization quantization)
    : SharedQuantization(std::move(quantization), QuantizationSource()) {}

SharedQuantization::SharedQuantization(Quantization quantization, QuantizationSource source)
    : held_(std::make_shared<const Held>(std::move(quantization), std::move(source))) {}

const Quantization& SharedQuantization::operator*() const {
  return held_->quantization;
}

const Quantization* SharedQuantization::operator->() const {
  return &held_->quantization;
}

const Hash128& SharedQuantization::digest() const {
  return held_->digest;
}

const QuantizationSource& SharedQuantization::source() const {
  return held_->source;
}

bool operator==(const SharedQuantization& a, const SharedQuantization& b) {
  return a.held_ == b.held_ ||
         (a.held_ != nullptr && b.held_ != nullptr && a.digest() == b.digest());
}

}  // namespace halftone
