#include "src/ir/fusion.h"

#include <utility>

#include "src/ir/op_table.h"

namespace halftone {
namespace {

void AddFlag(Attributes& attributes, const char* name, bool is_set) {
  if (is_set) {
    attributes.Set(name, std::int64_t{1});
  }
}

void AddActivation(Attributes& attributes, const StepActivation& activation) {
  attributes.Set("activation", std::string(InfoOf(activation.op).name));
  if (activation.op == OpKind::kRelu || activation.op == OpKind::kClip) {
    attributes.Set("activation_min", activation.low);
    attributes.Set("activation_max", activation.high);
  }
  if (activation.alpha) {
    attributes.Set("activation_alpha", *activation.alpha);
  }
  if (activation.beta) {
    attributes.Set("activation_beta", *activation.beta);
  }
  if (activation.approximate) {
    attributes.Set("activation_approximate", *activation.approximate);
  }
  if (!activation.slopes.empty()) {
    attributes.Set(std::string(kSlopesKey), activation.slopes);
  }
}

void AddSoftmax(Attributes& attributes, const StepSoftmax& softmax) {
  attributes.Set("scale", softmax.scale);
  if (softmax.fill) {
    attributes.Set("fill", *softmax.fill);
  }
  AddFlag(attributes, "drop", softmax.drop);
  AddFlag(attributes, "mask_last", softmax.mask_last);
}

void AddAttention(Attributes& attributes, const StepAttention& attention) {
  attributes.Set("fill", attention.fill);
  AddFlag(attributes, "drop", attention.drop);
  AddFlag(attributes, "mask_last", attention.mask_last);
  AddFlag(attributes, "k_rows", attention.key_rows);
}

}  // namespace

Attributes WithFacts(Attributes attributes, const Fusion& fusion, const StepLayout& layout) {
  if (fusion.activation) {
    AddActivation(attributes, *fusion.activation);
  }
  if (fusion.residual != ResidualPlace::kNone) {
    const bool before = fusion.residual == ResidualPlace::kBefore;
    attributes.Set("residual", std::string(before ? "before" : "after"));
  }
  if (!fusion.b_perm.empty()) {
    attributes.Set("b_perm", fusion.b_perm);
  }
  if (fusion.softmax) {
    AddSoftmax(attributes, *fusion.softmax);
  }
  if (fusion.attention) {
    AddAttention(attributes, *fusion.attention);
  }
  if (fusion.format) {
    attributes.Set("format", std::string(NameOf(*fusion.format)));
  }
  AddFlag(attributes, "channels_last", layout.channels_last);
  if (layout.shuffle_groups != 0) {
    attributes.Set("shuffle_groups", layout.shuffle_groups);
  }
  return attributes;
}

}  // namespace halftone
