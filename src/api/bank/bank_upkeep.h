// Upkeep of whole knowledge bases by `halftone bank`: merge, verify, prune, export, import. Texts
// are lines for the screen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halftone/bank.h"
#include "knowledge_base/bank_records.h"
#include "src/base/error.h"

namespace halftone {

// Adds the new records of each of `from` to the bank, which is created where missing. `from` are
// folders above <soc_version>, or halftone.db files. Each source is one transaction; the first
// error ends the merge. A line warns where a source holds measurements of another CPU than the bank
// does, or than this machine if the bank holds none; with `same_cpu` that is Error kDatabase,
// before anything is added. Errors: kUsage for a bank that is to be merged into itself, kDatabase.
std::string MergeBanks(const std::vector<std::filesystem::path>& from,
                       const std::filesystem::path& bank, std::string_view soc_version,
                       bool same_cpu = false);

// Outcome of merging one bank.
struct MergeOutcome {
  std::filesystem::path source;  // the database
  AddedRecords records;          // by kind (kRecordNames)
  // CPUs of its measurements of which the bank has none.
  std::vector<std::string> other_cpus;
  std::optional<Error> error;  // why nothing of it was added
};

struct MergeOptions {
  bool same_cpu = false;  // true: Error for a source that has other_cpus
  // CPU model, as CpuName(), that a bank without measurements counts as; empty: this machine's.
  std::string cpu;
  std::function<void(const MergeOutcome&)> on_source;  // after each
};

// MergeBanks() with an outcome for each of `from`, in their order: a source that is missing,
// damaged or refused leaves the bank as it was, and the next follows. Error kDatabase where the
// bank itself cannot be opened or written.
std::vector<MergeOutcome> MergeEach(const std::vector<std::filesystem::path>& from,
                                    const std::filesystem::path& bank, std::string_view soc_version,
                                    const MergeOptions& options = {});

// Copies the bank of one target, or all banks of the folder if `soc_version` is empty. Each copy
// shows one moment, although other processes may write meanwhile. `to_folder`, which must not
// exist, appears complete or not at all; it has no write-ahead logs and can be read where nothing
// can be written. Errors: kDatabase for a bank that is missing or damaged, kIo.
void CopyBank(const std::filesystem::path& bank_folder, std::string_view soc_version,
              const std::filesystem::path& to_folder);

struct BankVerdict {
  bool intact = false;
  std::string text;  // a line per finding, and one that sums up
};

// Error kDatabase for a file that is no bank of this version.
BankVerdict CheckBank(const std::filesystem::path& bank, std::string_view soc_version);

struct PruneRequest {
  bool other_versions = false;              // measured by another halftone, kernels or ISA
  std::optional<std::int64_t> keep_newest;  // workloads of each network
  std::optional<double> older_than_days;    // to which nothing was added since
  bool superseded = false;
  bool dominated = false;
  bool dry_run = false;
};

// Deletes records (knowledge_base/prune_bank.h). Errors: kUsage for no selection; kDatabase.
std::string PruneBank(const std::filesystem::path& bank, std::string_view soc_version,
                      const PruneRequest& request);

// Writes the lines of ExportBank() into a file, which appears when complete
// (src/base/output_file.h). Error kIo.
std::string ExportBank(const std::filesystem::path& bank, std::string_view soc_version,
                       const std::filesystem::path& file);

// Adds the new records of an export ("-": standard input) to the bank, all or none; a missing bank
// is created. Records of older programs in a form that is not read are left out, with a sentence.
// Errors: kIo, kDatabase with the line.
std::string ImportBank(const std::string& file, const std::filesystem::path& bank,
                       std::string_view soc_version);

}  // namespace halftone
