// Workloads, trials and fronts with something in every field, for tests of the stores.
#pragma once

#include <cstdint>
#include <vector>

#include "knowledge_base/prune_bank.h"
#include "knowledge_base/store.h"

namespace halftone::testing {

Workload SampleWorkload();

// A measured trial; `number` makes plan and numbers differ.
Trial MeasuredTrial(std::uint64_t number);
// Rejected after resolving, and before.
Trial RejectedTrial(std::uint64_t number);
Trial UnresolvedTrial();

// Made of measured trials that the store has, the last of which is chosen.
StoredFront SampleFront(const Hash128& workload_key, const std::vector<Trial>& members = {});

KernelVersion SampleKernels();

// Measurements with these kernels are those of now.
CurrentMeasurements MeasuredWith(const KernelVersion& kernels);
// `number` makes signature and numbers differ; even ones chose another kernel, and name those that
// were compared.
OperatorTiming SampleTiming(int number);

// Profile of "MatMul" with two calls of one family and one of another; `threads` makes numbers
// differ.
OperatorProfile SampleProfile(int threads);

// Calibration of SampleWorkload()'s network; `number` makes key and texts differ.
BankCalibration SampleCalibration(int number);

// Two groups, one with a refused choice.
Sensitivity SampleSensitivity();

}  // namespace halftone::testing
