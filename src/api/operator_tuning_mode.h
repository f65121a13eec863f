// Names of the modes of operator tuning: --operator_tuning.
#pragma once

#include "halftone/tune_options.h"
#include "src/base/enum_table.h"

namespace halftone {

inline constexpr EnumRow<OperatorTuningMode> kOperatorTuningModes[] = {
    {OperatorTuningMode::kOff, "off", "what the knowledge base has of earlier tuning is used"},
    {OperatorTuningMode::kProfile, "profile",
     "a machine profile, measured once, ranks the kernels; those that it leaves open are timed"},
    {OperatorTuningMode::kFull, "full", "every kernel of every operator is timed"},
};

}  // namespace halftone
