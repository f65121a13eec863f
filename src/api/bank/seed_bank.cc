#include "src/api/bank/seed_bank.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "knowledge_base/read_network.h"
#include "knowledge_base/sqlite_store.h"
#include "search/operators/format_times.h"
#include "search/operators/operator_timing.h"
#include "src/api/bank/stored_profile.h"
#include "src/api/bank/upkeep_texts.h"
#include "src/api/bank/workload.h"
#include "src/base/error.h"
#include "src/exec/operator_signature.h"

namespace halftone {
namespace {

namespace fs = std::filesystem;

PartOfNetwork PartFor(std::span<const Model> shapes, std::string_view soc_version, int threads) {
  std::set<OpKind> ops;
  std::set<std::string, std::less<>> places;
  for (const Model& model : shapes) {
    ops.merge(OperatorsOf(model.graph));
    places.merge(PlacesOf(model.graph));
  }
  std::vector<KernelVersion> kernels = {KernelsOfFormatTimes()};
  for (const OpKind op : ops) {
    kernels.push_back(CurrentKernels({op}));
  }
  for (const Model& model : shapes) {  // of the network as a whole
    const KernelVersion of_network = CurrentKernels(OperatorsOf(model.graph));
    if (std::ranges::find(kernels, of_network) == kernels.end()) {
      kernels.push_back(of_network);
    }
  }
  const Hash128& hash = shapes.front().hash;
  return {.model_hash = hash,
          .target = std::string(soc_version),
          .kernels = std::move(kernels),
          .wants_timing =
              [places = std::move(places), threads,
               network = fmt::format("{}{}", kNetworkSignature, hash.ToHex())](
                  std::string_view signature) {
                return IsOnThreads(signature, threads) &&
                       (signature.starts_with(network) || places.contains(PlaceOf(signature)));
              },
          .wants_profile = [threads](std::string_view, int its) { return its == threads; }};
}

}  // namespace

void CheckSeedBank(const fs::path& seed_bank, const fs::path& bank) {
  if (seed_bank.empty()) {
    return;
  }
  if (bank.empty()) {
    throw Error(ErrorKind::kUsage,
                "--seed_bank adds to the knowledge base of --op_bank_path: leave --no_bank out, or "
                "--seed_bank");
  }
  std::error_code error;
  if (!fs::is_directory(seed_bank, error)) {
    throw Error(
        ErrorKind::kDatabase,
        fmt::format("--seed_bank={}: expected the folder of a knowledge base, above "
                    "<soc_version>, but {}",
                    seed_bank.string(),
                    fs::exists(seed_bank, error) ? "it is no folder" : "it does not exist"));
  }
  if (fs::equivalent(seed_bank, bank, error)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--seed_bank={}: it is the knowledge base of --op_bank_path itself; "
                            "leave one of them out",
                            seed_bank.string()));
  }
}

std::string TakeFromSeedBank(std::span<const Model> shapes, const fs::path& seed_bank,
                             const fs::path& bank, std::string_view soc_version, int threads) {
  const fs::path source = DatabasePath(seed_bank, soc_version);
  std::error_code error;
  if (!fs::exists(source, error)) {
    return fmt::format("'{}' is not there: nothing is known from it", source.string());
  }
  const PartOfNetwork part = PartFor(shapes, soc_version, threads);
  return AddedLine("read", source.string(),
                   AddToBank(DatabasePath(bank, soc_version), [&](const RecordVisitor& visit) {
                     ReadPartOfNetwork(source, part, visit);
                   }));
}

}  // namespace halftone
