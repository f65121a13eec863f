// Knowledge bases: where they are, and what they hold.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace halftone {

struct BankLocation {
  std::filesystem::path path;
  std::string source;  // "TUNE_BANK_PATH", "ASCEND_CACHE_PATH", "option", "default"
};

// Purpose of a bank; it decides the search order (docs/reference/ascend.md, "Where the bank is").
enum class BankUse : std::uint8_t {
  kReadOperators,  // --op_bank_path: TUNE_BANK_PATH, the option, the default
  kReadSubgraphs,  // --mdl_bank_path: the option, TUNE_BANK_PATH, the default
  kWrite,          // aoe: TUNE_BANK_PATH, ASCEND_CACHE_PATH/aoe_data, the default
};

// The texts of the option and of the environment, empty when unset.
struct BankPlaces {
  std::string option;
  std::string tune_bank_path;
  std::string ascend_cache_path;
  std::string home;
};

// The default is that of the specification if it exists, else $HOME/.local/share/halftone/op_bank.
BankLocation FindBank(BankUse use, const BankPlaces& places);

// Texts of `bank list` and `bank show`.
std::string ListBank(const std::filesystem::path& bank, std::string_view soc_version);
std::string ShowBank(const std::filesystem::path& bank, std::string_view soc_version,
                     std::string_view workload_prefix);

// Passes JSON lines with line ends to `write`, many at once; fields: docs/internals/bank.md. The
// result is the number of rows.
std::int64_t ExportBank(const std::filesystem::path& bank, std::string_view soc_version,
                        const std::function<void(std::string_view)>& write);

}  // namespace halftone
