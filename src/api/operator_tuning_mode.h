// Modes of operator tuning: --operator_tuning.
#pragma once

#include <cstdint>

#include "src/base/enum_table.h"

namespace halftone {

enum class OperatorTuningMode : std::uint8_t {
  kOff,      // stored choices of kernels are used, none are made
  kProfile,  // times in the network what the machine profile leaves open
  kFull,     // times every kernel of every operator in the network
};

inline constexpr EnumRow<OperatorTuningMode> kOperatorTuningModes[] = {
    {OperatorTuningMode::kOff, "off", "what the knowledge base has of earlier tuning is used"},
    {OperatorTuningMode::kProfile, "profile",
     "a machine profile, measured once, ranks the kernels; those that it leaves open are timed"},
    {OperatorTuningMode::kFull, "full", "every kernel of every operator is timed"},
};

}  // namespace halftone
