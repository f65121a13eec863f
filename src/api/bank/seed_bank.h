// Seed bank: a knowledge base that a run only reads, to take over earlier measurements of its
// network and earlier timings of this machine's kernels.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "src/api/halftone.h"

namespace halftone {

// Accepts an empty `seed_bank`. Errors: kUsage for a seed bank without `bank`, or with the same
// folder as `bank`; kDatabase for a missing folder.
void CheckSeedBank(const std::filesystem::path& seed_bank, const std::filesystem::path& bank);

// Copies from `seed_bank` into `bank`: the workloads of this network with their trials, fronts and
// sensitivities, its calibrations, and the timings and profiles of this machine's kernels for its
// operators on `threads` threads. `shapes`: the network at each input shape. Both banks are folders
// above <soc_version>. The seed bank is read without a lock, so nobody may write to it meanwhile.
// Returns a sentence for the screen: the numbers of records, or that there is no such bank. Error
// kDatabase for either bank.
std::string TakeFromSeedBank(std::span<const Model> shapes, const std::filesystem::path& seed_bank,
                             const std::filesystem::path& bank, std::string_view soc_version,
                             int threads);

}  // namespace halftone
