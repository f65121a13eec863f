// Loss scaling of a training script, read with the argument checks of the Ascend classes for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/training/settings_tree.h"

namespace halftone {

struct LossScaling {
  enum class Kind : std::uint8_t { kFixed, kExponentialUpdate, kKeras };

  Kind kind = Kind::kFixed;
  double scale = 0;            // initial scale
  bool dynamic = false;        // true: the scale changes during training
  bool overflow_check = true;  // false: steps whose gradients overflow are applied too
};

// Parses a `loss_scale_manager` map of the file named `where`. Appends full sentences to `warnings`
// about arguments without effect, a switched-off overflow check, and a scale so high that every
// step overflows. Error kUsage with file and line: `type` is missing or unknown, the class has no
// such argument (the message names the closest one), an argument is missing, or a value is of
// another type or out of range.
LossScaling ReadLossScaling(const SettingsNode& node, std::string_view where,
                            std::vector<std::string>& warnings);

}  // namespace halftone
