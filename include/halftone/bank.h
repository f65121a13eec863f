// Knowledge bases (banks): their location, and their content as text. A bank is a folder that
// stores the measurements of tuning runs, with one database for each target.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace halftone {

struct BankLocation {
  std::filesystem::path path;
  // Origin of the path: "TUNE_BANK_PATH", "ASCEND_CACHE_PATH", "option" or "default".
  std::string source;
};

// Purpose of a bank. It decides in which order FindBank() looks at the places; the first one that
// is set wins (docs/reference/ascend.md, "Where the bank is").
enum class BankUse : std::uint8_t {
  kReadOperators,  // --op_bank_path: TUNE_BANK_PATH, the option, the default
  kReadSubgraphs,  // --mdl_bank_path: the option, TUNE_BANK_PATH, the default
  kWrite,          // aoe: TUNE_BANK_PATH, ASCEND_CACHE_PATH/aoe_data, the default
};

// Values of the option and of environment variables; empty: unset.
struct BankPlaces {
  std::string option;
  std::string tune_bank_path;
  std::string ascend_cache_path;
  std::string home;  // HOME; empty: the working directory takes its place
};

// Returns the bank for a use; the folder need not exist. The default is Ascend's own folder if it
// exists ($HOME/Ascend/latest/data/aoe/custom/op, for kReadSubgraphs .../graph), else
// $HOME/.local/share/halftone/op_bank.
BankLocation FindBank(BankUse use, const BankPlaces& places);

// Texts of `halftone bank list` and `halftone bank show`. `soc_version`: name of the target.
// `workload_prefix`: first hexadecimal digits of the key of a workload; empty: the workload that
// was recorded last. Errors: kDatabase and kIo for the bank; kUsage: no workload has a key with
// these digits, or several have.
std::string ListBank(const std::filesystem::path& bank, std::string_view soc_version);
std::string ShowBank(const std::filesystem::path& bank, std::string_view soc_version,
                     std::string_view workload_prefix);

// Passes the whole content of a bank to `write` as JSON lines, many lines in each call
// (docs/internals/bank.md, "Export"). Returns the number of rows. Errors kDatabase, kIo.
std::int64_t ExportBank(const std::filesystem::path& bank, std::string_view soc_version,
                        const std::function<void(std::string_view)>& write);

}  // namespace halftone
