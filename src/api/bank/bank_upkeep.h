// What `halftone bank` does to whole knowledge bases: merge, verify, prune, export, import. Texts
// are lines for the screen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halftone {

// Everything of each of `from` that the bank does not hold yet; a bank that is not there is made.
// `from` are folders above <soc_version>, or halftone.db files. One transaction for each. Errors:
// kUsage for a bank that is to be merged into itself, kDatabase.
std::string MergeBanks(const std::vector<std::filesystem::path>& from,
                       const std::filesystem::path& bank, std::string_view soc_version);

struct BankVerdict {
  bool intact = false;
  std::string text;  // a line per finding, and one that sums up
};

// `repair`: first mends what can be mended (knowledge_base/repair_bank.h), with a line for each.
// Error kDatabase for what is no bank of this version at all.
BankVerdict CheckBank(const std::filesystem::path& bank, std::string_view soc_version,
                      bool repair = false);

struct PruneRequest {
  bool other_versions = false;              // measured by another halftone, kernels or ISA
  std::optional<std::int64_t> keep_newest;  // workloads of each network
  std::optional<double> older_than_days;    // to which nothing was added since
  bool superseded = false;
  bool dominated = false;
  bool dry_run = false;
};

// Error kUsage when nothing is selected; kDatabase. knowledge_base/prune_bank.h says what goes.
std::string PruneBank(const std::filesystem::path& bank, std::string_view soc_version,
                      const PruneRequest& request);

// JSON lines, each with its end, to `write`, many at once; docs/knowledge_base.md has the fields.
// The result is the number of rows.
std::int64_t ExportBank(const std::filesystem::path& bank, std::string_view soc_version,
                        const std::function<void(std::string_view)>& write);
// The same into a file, which appears when it is whole (src/base/output_file.h). Error kIo.
std::string ExportBank(const std::filesystem::path& bank, std::string_view soc_version,
                       const std::filesystem::path& file);

// The records of an export ("-": of standard input) that the bank does not hold yet, all or none; a
// bank that is not there is made. Errors: kIo, kDatabase with the line.
std::string ImportBank(const std::string& file, const std::filesystem::path& bank,
                       std::string_view soc_version);

}  // namespace halftone
