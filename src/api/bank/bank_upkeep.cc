#include "src/api/bank/bank_upkeep.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>

#include "knowledge_base/bank_export.h"
#include "knowledge_base/bank_records.h"
#include "knowledge_base/copy_bank.h"
#include "knowledge_base/prune_bank.h"
#include "knowledge_base/record_json.h"
#include "knowledge_base/sqlite_store.h"
#include "knowledge_base/verify_bank.h"
#include "src/api/bank/stored_calibration.h"
#include "src/api/bank/upkeep_texts.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/base/file.h"
#include "src/base/limits.h"
#include "src/base/output_file.h"
#include "src/base/published_folder.h"
#include "src/base/text.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyDigits = 12;  // of a workload key in lists

std::string WorkloadLine(const WorkloadSummary& summary) {
  return fmt::format("  {}  {}  {}  halftone {}  {}  {}", summary.key.ToHex().substr(0, kKeyDigits),
                     summary.workload.model_name, summary.workload.input_shapes,
                     summary.workload.tool_version, Counted(summary.records, "record"),
                     summary.last_recorded_at);
}

std::string DaysAgo(double days) {
  const auto then = std::chrono::floor<std::chrono::seconds>(
      std::chrono::system_clock::now() - std::chrono::duration<double, std::ratio<86400>>(days));
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.000Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(then)));
}

// The targets whose banks the folder has. Error kDatabase where it has none.
std::vector<std::string> TargetsIn(const fs::path& bank_folder) {
  std::vector<std::string> targets;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(bank_folder, error)) {
    if (fs::exists(DatabasePath(bank_folder, entry.path().filename().string()), error)) {
      targets.push_back(entry.path().filename().string());
    }
  }
  if (targets.empty()) {
    throw Error(ErrorKind::kDatabase, fmt::format("there is no knowledge base below '{}': expected "
                                                  "<soc_version>/halftone.db in it",
                                                  bank_folder.string()));
  }
  return targets;
}

}  // namespace

void CopyBank(const fs::path& bank_folder, std::string_view soc_version,
              const fs::path& to_folder) {
  const std::vector<std::string> targets =
      soc_version.empty() ? TargetsIn(bank_folder) : std::vector{std::string(soc_version)};
  PublishedFolder folder(to_folder);
  for (const std::string& target : targets) {
    const fs::path copy = DatabasePath(folder.part(), target);
    CreateFolder(copy.parent_path());
    CopyDatabase(DatabasePath(bank_folder, target), copy);
  }
  folder.Publish();
}

BankVerdict CheckBank(const fs::path& bank, std::string_view soc_version) {
  const fs::path database = DatabasePath(bank, soc_version);
  const BankCheck check = VerifyBank(database);
  BankVerdict verdict{.intact = check.findings.empty(), .text = {}};
  for (const std::string& finding : check.findings) {
    AddLine(verdict.text, finding);
  }
  AddLine(verdict.text,
          fmt::format("'{}': checked {}: {}", database.string(), Counts(check.records),
                      verdict.intact ? "intact" : Counted(std::ssize(check.findings), "finding")));
  return verdict;
}

std::string PruneBank(const fs::path& bank, std::string_view soc_version,
                      const PruneRequest& request) {
  PruneOptions options{.keep_newest = request.keep_newest,
                       .superseded = request.superseded,
                       .dominated = request.dominated,
                       .dry_run = request.dry_run};
  if (request.other_versions) {
    options.other_than = CurrentMeasurements{
        .workload = [](const Workload& workload) { return IsCurrent(workload); },
        .timing = [](const KernelVersion& kernels,
                     std::string_view signature) { return IsCurrent(kernels, signature); },
        .profile =
            [](const KernelVersion& kernels, std::string_view op) {
              return kernels == CurrentKernels(OperatorsNamed(op));
            },
        .calibration =
            [](const KernelVersion& kernels, std::string_view operators) {
              return kernels == KernelsOfScales(OperatorsNamed(operators));
            }};
  }
  if (request.older_than_days) {
    options.before = DaysAgo(*request.older_than_days);
  }
  if (!options.selects_anything()) {
    throw Error(ErrorKind::kUsage,
                "bank prune: nothing says what may go; give --other_versions, --older_than, "
                "--keep_newest, --superseded or --dominated, and --dry_run to see what would");
  }
  const fs::path database = DatabasePath(bank, soc_version);
  CheckExists(database);
  const PruneResult result = PruneBank(database, options);
  if (result.nothing()) {
    return "nothing to prune\n";
  }
  std::string text;
  if (!result.workloads.empty()) {
    text += fmt::format("{} {}:\n", request.dry_run ? "would remove" : "removed",
                        Counted(std::ssize(result.workloads), "workload"));
  }
  for (const WorkloadSummary& summary : result.workloads) {
    AddLine(text, WorkloadLine(summary));
  }
  text += fmt::format("{} of what stays: {}\n", request.dry_run ? "would remove" : "removed",
                      Counts({0, result.trials, result.fronts, result.sensitivities, result.timings,
                              result.profiles, result.calibrations}));
  if (!request.dry_run) {
    AddLine(text, fmt::format("'{}': {} -> {}", database.string(),
                              FormatBytes(static_cast<double>(result.bytes_before)),
                              FormatBytes(static_cast<double>(result.bytes_after))));
  }
  return text;
}

std::int64_t ExportBank(const fs::path& bank, std::string_view soc_version,
                        const std::function<void(std::string_view)>& write) {
  constexpr std::size_t kEnough = std::size_t{1} << 16;  // one system call for many rows
  std::string lines = ExportHeader() + "\n";
  std::int64_t rows = 0;
  ReadBank(DatabasePath(bank, soc_version), [&](const BankRecord& record) {
    lines += RecordToJson(record) + "\n";
    ++rows;
    if (lines.size() >= kEnough) {
      write(lines);
      lines.clear();
    }
  });
  write(lines + ExportEnd(rows) + "\n");
  return rows;
}

std::string ExportBank(const fs::path& bank, std::string_view soc_version, const fs::path& file) {
  OutputFile output(file);
  const std::int64_t rows =
      ExportBank(bank, soc_version, [&](std::string_view lines) { output.Write(lines); });
  output.Finish();
  std::string text;
  AddLine(text, fmt::format("exported {} to '{}'", Counted(rows, "row"), file.string()));
  return text;
}

namespace {

// The next line of an export, as std::getline(). Error kUsage: it is longer than any record.
bool NextLine(std::istream& lines, std::string& line) {
  std::array<char, 1U << 16U> part = {};
  line.clear();
  while (true) {
    lines.getline(part.data(), part.size());
    const bool ends = !lines.fail() && !lines.eof();  // behind a line break, which counts
    line.append(part.data(), static_cast<std::size_t>(lines.gcount()) - (ends ? 1 : 0));
    if (ends) {
      return true;
    }
    if (lines.eof() || lines.bad() || lines.gcount() == 0) {
      return !line.empty();
    }
    if (line.size() > static_cast<std::size_t>(limits::kMostBankValueBytes)) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("expected a record of `halftone bank export`, found a line of more "
                              "than {}",
                              FormatBytes(limits::kMostBankValueBytes)));
    }
    lines.clear();
  }
}

// Appends a line for records that were left out, and one for fronts that were mended.
void AddLosses(std::string& text, const ExportLosses& losses) {
  if (losses.any_left_out()) {
    AddLine(text, fmt::format("left out {} that cannot be added; the first is {}",
                              Counts(losses.left_out), losses.first));
  }
  if (losses.mended_fronts > 0) {
    AddLine(text, fmt::format("{} named measurements that the export does not hold: the newest of "
                              "the same plans stand in",
                              Counted(losses.mended_fronts, "front")));
  }
}

}  // namespace

std::string ImportBank(const std::string& file, const fs::path& bank,
                       std::string_view soc_version) {
  const bool from_stdin = file == "-";
  std::string name = from_stdin ? "standard input" : file;
  std::ifstream stream;
  if (!from_stdin) {
    std::error_code error;
    stream.open(file, std::ios::binary);
    if (!stream || fs::is_directory(file, error)) {
      throw Error(ErrorKind::kIo,
                  fmt::format("cannot read '{}': expected a file of `halftone bank export`, or - "
                              "for standard input",
                              file));
    }
  }
  std::istream& lines = from_stdin ? std::cin : stream;
  ExportReader reader;
  const AddedRecords result =
      AddToBank(DatabasePath(bank, soc_version), [&](const RecordVisitor& visit) {
        std::int64_t number = 0;
        std::string line;
        const auto where = [&] { return fmt::format("{}:{}", name, number + 1); };
        while (WithContext(where, [&] { return NextLine(lines, line); })) {
          ++number;
          const auto record = WithContext([&] { return fmt::format("{}:{}", name, number); },
                                          [&] { return reader.Read(line); });
          if (record) {
            visit(*record);
          }
        }
        WithContext([&] { return name; }, [&] { reader.Finish(); });
      });
  std::string text;
  AddLine(text, AddedLine("imported", name, result));
  AddLosses(text, reader.losses());
  AddLine(text, fmt::format("knowledge base: {}", DatabasePath(bank, soc_version).string()));
  return text;
}

}  // namespace halftone
