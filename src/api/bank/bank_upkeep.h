// Operations of `halftone bank` on whole knowledge bases: merge, copy, verify, prune, export and
// import. The returned texts are lines for the screen.
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

// Adds the new records of each source in `from` to `bank`, and creates the bank if it is missing. A
// source is a folder above <soc_version> or a halftone.db file. Each source is added in one
// transaction; the first error ends the merge, and earlier sources stay merged. The expected CPUs
// are those of the measurements in the bank, or this machine's if the bank has no measurements. A
// source with measurements of other CPUs gives a warning line or, with `same_cpu`, an Error
// kDatabase before anything is added. Errors: kUsage if a source is the bank itself; kDatabase.
std::string MergeBanks(const std::vector<std::filesystem::path>& from,
                       const std::filesystem::path& bank, std::string_view soc_version,
                       bool same_cpu = false);

// Outcome of merging one bank.
struct MergeOutcome {
  std::filesystem::path source;  // path of the database file
  AddedRecords records;          // by kind (kRecordNames)
  // CPU models of the source's measurements that are not among the expected ones.
  std::vector<std::string> other_cpus;
  std::optional<Error> error;  // set: nothing was added from the source
};

struct MergeOptions {
  bool same_cpu = false;  // true: refuses a source that has other_cpus
  // Expected CPU model (as CpuName()) if the bank has no measurements; empty: this machine's.
  std::string cpu;
  std::function<void(const MergeOutcome&)> on_source;  // called after each source
};

// Does the same as MergeBanks(), but returns one outcome for each of `from`, in order, and goes on
// after a source that is missing, damaged or refused; such a source leaves the bank unchanged.
// Error kDatabase if the bank itself cannot be opened or written.
std::vector<MergeOutcome> MergeEach(const std::vector<std::filesystem::path>& from,
                                    const std::filesystem::path& bank, std::string_view soc_version,
                                    const MergeOptions& options = {});

// Copies the bank of one target, or all banks of the folder if `soc_version` is empty. Each copy is
// the state at one moment, even while other processes write to the bank. `to_folder` must not
// exist, and appears complete or not at all. The copies have no write-ahead logs, so that they can
// be read on a read-only file system. Errors: kDatabase for a missing or damaged bank; kIo, also
// for a `to_folder` that exists.
void CopyBank(const std::filesystem::path& bank_folder, std::string_view soc_version,
              const std::filesystem::path& to_folder);

struct BankVerdict {
  bool intact = false;
  std::string text;  // one line for each finding, then a summary line
};

// Checks every row of the bank by VerifyBank(). Error kDatabase for a file that is no bank of this
// version.
BankVerdict CheckBank(const std::filesystem::path& bank, std::string_view soc_version);

// Selection of records to delete, as PruneOptions (knowledge_base/prune_bank.h) describes it.
struct PruneRequest {
  // Records that were measured with another version, other kernels or another CPU than the present.
  bool other_versions = false;
  std::optional<std::int64_t> keep_newest;  // number of workloads that stay for each network
  std::optional<double> older_than_days;    // workloads without an addition for so many days
  bool superseded = false;
  bool dominated = false;
  bool dry_run = false;
};

// Deletes the selected records. Errors: kUsage if nothing is selected; kDatabase.
std::string PruneBank(const std::filesystem::path& bank, std::string_view soc_version,
                      const PruneRequest& request);

// Writes the export into a file, which appears when it is complete (src/base/output_file.h).
// Errors: kIo; kDatabase for a missing or damaged bank.
std::string ExportBank(const std::filesystem::path& bank, std::string_view soc_version,
                       const std::filesystem::path& file);

// Adds the new records of an export file ("-": standard input) to the bank, all or none, and
// creates the bank if it is missing. Records in a form that is no longer read are left out, and a
// line of the result counts them. Errors: kIo; kDatabase, naming the line; kUsage for a line that
// is longer than any record.
std::string ImportBank(const std::string& file, const std::filesystem::path& bank,
                       std::string_view soc_version);

}  // namespace halftone
