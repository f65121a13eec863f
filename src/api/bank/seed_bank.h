// Bank that a run only reads: what others measured of the network and of this machine's kernels.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "src/api/halftone.h"

namespace halftone {

// Error kUsage for a bank to read without one to write, or for one that is both; kDatabase for a
// folder that is not there.
void CheckSeedBank(const std::filesystem::path& seed_bank, const std::filesystem::path& bank);

// Adds to the bank what `seed_bank` holds of this network (workloads with trials, fronts and
// sensitivities) and of this machine's kernels for its operators on `threads` threads (timings and
// profiles). `shapes`: the network at each input shape. `seed_bank` is the folder above
// <soc_version>; nothing is written to it and no lock is taken. The result is a sentence for the
// screen: what was added, or that there is no such bank. Error kDatabase of either bank.
std::string TakeFromSeedBank(std::span<const Model> shapes, const std::filesystem::path& seed_bank,
                             const std::filesystem::path& bank, std::string_view soc_version,
                             int threads);

}  // namespace halftone
