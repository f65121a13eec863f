// Loss scaling of a training script, with the argument checks of its classes.
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
  double scale = 0;  // at the start
  bool dynamic = false;
  bool overflow_check = true;  // false: steps that overflow are applied
};

// Parses a `loss_scale_manager` map. Error kUsage with file and line: `type` missing or unknown, an
// argument that the class does not have (closest one named), one that is missing, a value of
// another type or out of range. Warnings: arguments without effect, a scale so high that every step
// overflows.
LossScaling ReadLossScaling(const SettingsNode& node, std::string_view where,
                            std::vector<std::string>& warnings);

}  // namespace halftone
