// halftone_generate_banks: knowledge bases of networks that do not exist, for measuring what a
// fleet's banks cost.
//
//   halftone_generate_banks SOURCE.db FOLDER N [--first=K] [--merged]
//
// FOLDER/00000/host/halftone.db and on are copies of SOURCE.db, each with the hash and the name of
// a network of its own: keys and checksums are made anew, so that `halftone bank verify` passes.
// With
// --merged all networks are in one bank, FOLDER/host/halftone.db.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "knowledge_base/bank_records.h"
#include "knowledge_base/sqlite_store.h"
#include "src/base/error.h"
#include "src/base/hash.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  fs::path source;
  fs::path folder;
  std::int64_t count = 0;
  std::int64_t first = 0;
  bool merged = false;
};

// Records of one network as those of another: the keys of its workloads change with its hash.
class Renamer {
 public:
  explicit Renamer(std::int64_t number) : number_(number) {}

  BankRecord operator()(WorkloadRecord record) {
    const Hash128 old = KeyOf(record.workload);
    Workload& workload = record.workload;
    workload.model_name = fmt::format("network{:05}", number_);
    workload.model_hash = Hasher().Add(workload.model_hash).Add(number_).Finish();
    keys_.insert_or_assign(old, KeyOf(workload));
    return record;
  }

  BankRecord operator()(FrontRecord record) const {
    record.front.workload_key = keys_.at(record.front.workload_key);
    return record;
  }

  template <typename Record>
  BankRecord operator()(Record record) const {
    if constexpr (requires { record.workload_key; }) {
      record.workload_key = keys_.at(record.workload_key);
    }
    return record;
  }

 private:
  std::int64_t number_;
  std::map<Hash128, Hash128> keys_;  // of the copy's workloads by those of the source
};

void Generate(const Arguments& arguments) {
  std::vector<BankRecord> records;
  ReadBank(arguments.source, [&](const BankRecord& record) { records.push_back(record); });
  // Timings and profiles belong to no network: what all would share comes once.
  const auto visit_copy = [&](std::int64_t number, bool with_shared, const RecordVisitor& visit) {
    Renamer rename(number);
    for (const BankRecord& record : records) {
      if (with_shared || !(std::holds_alternative<TimingRecord>(record) ||
                           std::holds_alternative<ProfileRecord>(record))) {
        visit(std::visit(rename, record));
      }
    }
  };
  const std::int64_t end = arguments.first + arguments.count;
  if (arguments.merged) {
    AddToBank(DatabasePath(arguments.folder, "host"), [&](const RecordVisitor& visit) {
      for (std::int64_t number = arguments.first; number < end; ++number) {
        visit_copy(number, number == arguments.first, visit);
      }
    });
    return;
  }
  for (std::int64_t number = arguments.first; number < end; ++number) {
    AddToBank(DatabasePath(arguments.folder / fmt::format("{:05}", number), "host"),
              [&](const RecordVisitor& visit) { visit_copy(number, true, visit); });
  }
}

}  // namespace
}  // namespace halftone

int main(int argc, char** argv) {
  using namespace halftone;  // NOLINT(google-build-using-namespace): a program of one function
  Arguments arguments;
  CLI::App app("Knowledge bases of networks that do not exist, copied from one");
  app.add_option("source", arguments.source, "halftone.db to copy")->required();
  app.add_option("folder", arguments.folder, "Folder for the banks")->required();
  app.add_option("count", arguments.count, "Number of networks")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  app.add_option("--first", arguments.first, "Number of the first")->capture_default_str();
  app.add_flag("--merged", arguments.merged, "All networks in one bank");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto begin = std::chrono::steady_clock::now();
    Generate(arguments);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{} networks in {:.1f} s, {:.1f} ms each\n", arguments.count, seconds,
               1e3 * seconds / static_cast<double>(arguments.count));
  } catch (const Error& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return 0;
}
