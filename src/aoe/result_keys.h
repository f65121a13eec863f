// Keys of AOE's result files, for the writer and the reader.
#pragma once

#include <cstdint>
#include <string_view>

#include "src/aoe/result_file.h"

namespace halftone {

inline constexpr const char* kOpat = "OPAT";
inline constexpr const char* kSgat = "SGAT";
inline constexpr const char* kBasic = "basic";
inline constexpr const char* kTuningName = "tuning_name";
inline constexpr const char* kTuningTimeS = "tuning_time(s)";
inline constexpr const char* kBaselineMs = "model_baseline_performance(ms)";
inline constexpr const char* kResultMs = "model_result_performance(ms)";
inline constexpr const char* kModelImprovement = "model_performance_improvement";
inline constexpr const char* kOpatTuningResult = "opat_tuning_result";
inline constexpr const char* kSgatTuningResult = "sgat_tuning_result";
inline constexpr const char* kModifiedOperators = "repo_modified_operators";
inline constexpr const char* kFailedOperators = "tune_failed_operators";
inline constexpr const char* kSummary = "repo_summary";
inline constexpr const char* kOpName = "op_name";
inline constexpr const char* kOpType = "op_type";
inline constexpr const char* kTunePerformance = "tune_performance";
inline constexpr const char* kBeforeUs = "performance_before_tune(us)";
inline constexpr const char* kAfterUs = "performance_after_tune(us)";
inline constexpr const char* kImprovement = "performance_improvement";
inline constexpr const char* kUpdateMode = "update_mode";
// Keys of the older layout.
inline constexpr const char* kOldTuneResult = "opat_tune_result";
inline constexpr const char* kOldAdded = "add_repo_operators";
inline constexpr const char* kOldUpdated = "update_repo_operators";

struct AoeCountRow {
  const char* key;
  std::int64_t AoeRepoSummary::*count;
};

inline constexpr AoeCountRow kAoeCounts[] = {
    {"total_num", &AoeRepoSummary::total},
    {"repo_hit_num", &AoeRepoSummary::hit},
    {"repo_add_num", &AoeRepoSummary::add},
    {"repo_update_num", &AoeRepoSummary::update},
    {"repo_reserved_num", &AoeRepoSummary::reserved},
    {"repo_unsatisfied_num", &AoeRepoSummary::unsatisfied},
};

}  // namespace halftone
